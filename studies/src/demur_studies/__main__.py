"""``python -m demur_studies`` is `demur reproduce`."""

import sys

from demur.cli.main import main

if __name__ == "__main__":
    main(["reproduce", *sys.argv[1:]])
