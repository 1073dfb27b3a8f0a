"""One module per command, each with an object `command`."""
