"""The `demur` command: one file per verb; parse, call, print."""
