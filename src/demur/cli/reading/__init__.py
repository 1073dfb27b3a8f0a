"""From a file named on the command line to labels, scores and counts."""
