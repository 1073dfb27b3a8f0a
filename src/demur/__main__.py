"""``python -m demur`` is the command line."""

from demur.cli.main import main

if __name__ == "__main__":
    main()
