"""Numbers of tries, chosen by `UNBRAID_EFFORT`."""

from __future__ import annotations

import os
from typing import Final

from attrs import frozen


@frozen
class Effort:
    """`examples` per Hypothesis test · `short`: letters of the texts that are tried exhaustively · `forks` per stream ·
    `fuzz` inputs per format."""

    examples: int
    short: int
    forks: int
    fuzz: int


_EFFORTS: Final = {"ci": Effort(10, 3, 50, 300), "nightly": Effort(1000, 5, 50, 100_000)}

EFFORT: Final = _EFFORTS[os.environ.get("UNBRAID_EFFORT") or "ci"]
