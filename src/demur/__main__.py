"""The `demur` command, also as ``python -m demur``."""

from demur.cli.stopping import stoppable

__all__ = ["main"]


def main() -> None:
    """Run the command line; a signal that comes while its modules load ends it with one line, too."""
    with stoppable():
        from demur.cli.main import main as command

        command()


if __name__ == "__main__":
    main()
