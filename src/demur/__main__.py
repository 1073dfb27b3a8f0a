"""``python -m demur`` is the command line."""

from demur.cli.starting import main

if __name__ == "__main__":
    main()
