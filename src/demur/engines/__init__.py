"""Where predictions come from: engines turn files and tables into arrays and counts."""
