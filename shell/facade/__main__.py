"""`python -m unbraid`."""

from __future__ import annotations

from unbraid.shell.cli import main

if __name__ == "__main__":
    main()
