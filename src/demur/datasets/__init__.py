"""Data for examples and tests, without downloads."""
