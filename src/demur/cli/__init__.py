"""The `demur` command: parse, call, print.

`main` finds the verb and turns mistakes into one sentence; `options` holds the flags as frozen
objects; `verbs` has a module per command; `reading` turns a file into labels, scores and counts;
`answers` computes and words what a verb shows, and its `asking` puts the question of the flags to the
cases of a file, for two classes as for many; `output` lays out numbers, tables and JSON.
"""
