"""Figures: one Display per result, one file per curve; matplotlib loads when one is drawn.

Every Display is made from a result object, draws with ``plot(ax=None)`` and gives the drawn
numbers back with ``frame()``.
"""
