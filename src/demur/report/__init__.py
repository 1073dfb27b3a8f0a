"""The report: everything about some models on one set of cases, as data and as a page."""
