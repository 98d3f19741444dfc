"""Is xgrammar there? Importing this module skips a test file where it is not, or fails it where it must be."""

import os
from importlib.util import find_spec
from typing import Final

import pytest

REASON: Final = "xgrammar is not installed: run `pip install --group grammar`, in an environment of its own"

if find_spec("xgrammar") is None or find_spec("jsonschema") is None:
    if os.environ.get("UNBRAID_REQUIRE_GRAMMAR"):
        pytest.fail(REASON, pytrace=False)
    pytest.skip(REASON, allow_module_level=True)
