"""From files to what the verbs work from: tables, counts, policies."""
