"""Arrays in, arrays out, no checks: the compiled and vectorised formulas."""
