"""Data with known truth: generators whose curves and surfaces exist in closed form."""
