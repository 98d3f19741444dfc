"""How much the laws try: `UNBRAID_EFFORT` is `ci` (the default; the folder takes minutes) or `nightly`."""

from hypothesis import settings

from tests.laws.effort import EFFORT

settings.register_profile("laws", settings.get_profile("unbraid"), max_examples=EFFORT.examples)
settings.load_profile("laws")
