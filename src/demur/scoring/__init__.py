"""Scorers for scikit-learn that know abstentions: cost, coverage, quality of the decided cases.

A stock scorer takes an abstention for one more class, so that it counts as an error, or for a
missing value. These take it for what it is. Each reads a `CautiousConfusion`, the one count of
answers and abstentions.

Imports: cautious, surface, costs.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.scoring.scorers import (
        AbstentionScorer,
        cost_scorer,
        coverage_scorer,
        make_abstention_scorer,
        selective_accuracy_scorer,
    )

__all__ = [
    "AbstentionScorer",
    "cost_scorer",
    "coverage_scorer",
    "make_abstention_scorer",
    "selective_accuracy_scorer",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
