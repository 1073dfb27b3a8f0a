"""From a file to its cases: which column is what, rows or counts, what is missing or dependent."""
