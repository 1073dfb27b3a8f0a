"""Data with known truth: generators, enumerations and data that dependencies ship."""
