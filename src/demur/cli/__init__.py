"""The `demur` command: parse, call, print.

`main` finds the verb and turns mistakes into one sentence; `options` holds the flags as frozen
objects; `verbs` has a module per command; `input` turns a file into cases; `question` puts the
question of the flags to them, for two classes as for many; `output` writes answers as text, JSON or
tables.
"""
