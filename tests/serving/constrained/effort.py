"""How much is tried: `UNBRAID_SAMPLES`, sampled outputs per format, 200 if it is not set; with fewer than 100 all is a sample."""

import os
from typing import Final

SAMPLES: Final = int(os.environ.get("UNBRAID_SAMPLES") or 200)
WHOLE: Final = SAMPLES >= 100
