"""Files that appear whole or not at all, and columns of numbers in Parquet."""
