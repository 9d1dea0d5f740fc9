"""`python -m pinochle.cli` is the command `pinochle`."""

import sys

from pinochle.cli.program import main

if __name__ == "__main__":
    sys.exit(main())
