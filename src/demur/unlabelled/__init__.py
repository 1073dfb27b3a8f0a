"""Decisions without labels: thresholds, a changed prevalence, invented cases.

After Blanco-Vega, Ferri-Ramirez, Hernandez-Orallo, Ramirez-Quintana (2006); the changed
prevalence by maximum likelihood after Saerens, Latinne, Decaestecker (2002).

Imports: surface, roc, costs, counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.unlabelled.decision import UnlabelledDecision, unlabelled_decision
    from demur.unlabelled.invented import (
        IntegerAttribute,
        InventedCases,
        NominalAttribute,
        NumericAttribute,
        SampledAttribute,
        invented_cases,
    )
    from demur.unlabelled.nroc import NrocCurve, nroc_curve
    from demur.unlabelled.prevalence import PrevalenceShift, adjust_prevalence
    from demur.unlabelled.thresholds import (
        UnlabelledThreshold,
        direct_threshold,
        nroc_threshold,
        ranking_threshold,
        shifted_threshold,
    )

__all__ = [
    "IntegerAttribute",
    "InventedCases",
    "NominalAttribute",
    "NrocCurve",
    "NumericAttribute",
    "PrevalenceShift",
    "SampledAttribute",
    "UnlabelledDecision",
    "UnlabelledThreshold",
    "adjust_prevalence",
    "direct_threshold",
    "invented_cases",
    "nroc_curve",
    "nroc_threshold",
    "ranking_threshold",
    "shifted_threshold",
    "unlabelled_decision",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
