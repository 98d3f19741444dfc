"""Numbers of tries, chosen by `UNBRAID_EFFORT`."""

from __future__ import annotations

import os
from typing import Final

from attrs import frozen


@frozen
class Effort:
    """`examples` per Hypothesis test · `short`: letters of the texts that are tried exhaustively · `forks` per stream ·
    `fuzz` inputs per format · `floods`: sampled repetitions per composition, None: all."""

    examples: int
    short: int
    forks: int
    fuzz: int
    floods: int | None


_EFFORTS: Final = {"ci": Effort(10, 3, 50, 300, 25), "nightly": Effort(1000, 5, 50, 100_000, None)}

EFFORT: Final = _EFFORTS[os.environ.get("UNBRAID_EFFORT") or "ci"]
