"""Ordered classes: ROC measures of rankings, the ordinal ROC surface, tests of two rankings.

After Waegeman, De Baets, Boullart (2006).

Imports: roc, counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.ordinal.difference import (
        JonckheereTest,
        VusDifferenceTest,
        jonckheere_test,
        vus_covariance,
        vus_difference_test,
        vus_unpaired_test,
    )
    from demur.ordinal.experiments import (
        NormalPopulation,
        OrderAgreement,
        RankingExperiment,
        SeparabilityExperiment,
        normal_population,
        order_agreement,
        ranking_experiment,
        separability_experiment,
    )
    from demur.ordinal.roc import OrdinalMeasures, OrdinalRoc, ordinal_roc
    from demur.ordinal.surface import OrdinalSurface, OrdinalVertices
    from demur.ordinal.thresholds import OrdinalThresholds, ordinal_thresholds

__all__ = [
    "JonckheereTest",
    "NormalPopulation",
    "OrderAgreement",
    "OrdinalMeasures",
    "OrdinalRoc",
    "OrdinalSurface",
    "OrdinalThresholds",
    "OrdinalVertices",
    "RankingExperiment",
    "SeparabilityExperiment",
    "VusDifferenceTest",
    "jonckheere_test",
    "normal_population",
    "order_agreement",
    "ordinal_roc",
    "ordinal_thresholds",
    "ranking_experiment",
    "separability_experiment",
    "vus_covariance",
    "vus_difference_test",
    "vus_unpaired_test",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
