"""How much the laws try: `UNBRAID_EFFORT` is `ci` (the default; the folder takes minutes) or `nightly`."""

from typing import Final

from hypothesis import Phase, settings

from tests.laws.effort import EFFORT

FAST: Final = (Phase.explicit, Phase.reuse, Phase.generate)  # shrinking a parse at every split takes minutes

settings.register_profile("laws", settings.get_profile("unbraid"), max_examples=EFFORT.examples, phases=FAST)
settings.load_profile("laws")
