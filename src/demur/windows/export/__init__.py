"""A policy in other languages: SQL, ONNX and plain Python, with the same decisions.

`rule` is what all of them write: two thresholds, three labels, where they come from.
"""
