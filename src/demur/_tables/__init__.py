"""Tables of numbers: one `Table`, and what writes it for people (documents) and for programs (files)."""
