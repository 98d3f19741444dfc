"""Plumbing that every test shares: how Hypothesis runs. Data is in `tests/vocabularies.py`."""

import os

from hypothesis import HealthCheck, settings

# No deadline: two cores are shared by several workers. In CI the examples are the same in every run, so that a red run is a red change.
settings.register_profile(
    "unbraid",
    deadline=None,
    print_blob=True,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("unbraid")
