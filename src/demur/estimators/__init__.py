"""scikit-learn estimators: classifiers that abstain, delegate or weigh costs; forecasters.

Each points to the room that holds its mathematics.

Imports: every room of the domain.
"""

from demur.estimators.abstaining import AbstainingClassifier
from demur.estimators.c45_pruning import LaplaceTreeClassifier
from demur.estimators.cautious import CautiousClassifier
from demur.estimators.cost_weighted import CostWeightedClassifier
from demur.estimators.delegating import DelegatingClassifier
from demur.estimators.ensemble import CautiousEnsemble
from demur.estimators.guarded import GuardedClassifier, NeighbourDistance
from demur.estimators.kalman_forecaster import KalmanForecaster, SeriesForecast
from demur.estimators.mimetic import MimeticClassifier, mimetic_configurations
from demur.estimators.mimetic_costs import MimeticComparison, mimetic_costs
from demur.estimators.model_tree import ModelTreeRegressor
from demur.estimators.naive_bayes_regressor import NaiveBayesRegressor
from demur.estimators.oracle import DirectThresholdClassifier
from demur.estimators.ordinal_rank import OrdinalRankClassifier, SupportVectorOrdinalClassifier
from demur.estimators.reliable import ReliableClassifier
from demur.estimators.stacking import DifferenceRescaler, StackedForecast, stack_forecasters

__all__ = [
    "AbstainingClassifier",
    "CautiousClassifier",
    "CautiousEnsemble",
    "CostWeightedClassifier",
    "DelegatingClassifier",
    "DifferenceRescaler",
    "DirectThresholdClassifier",
    "GuardedClassifier",
    "KalmanForecaster",
    "LaplaceTreeClassifier",
    "MimeticClassifier",
    "MimeticComparison",
    "ModelTreeRegressor",
    "NaiveBayesRegressor",
    "NeighbourDistance",
    "OrdinalRankClassifier",
    "ReliableClassifier",
    "SeriesForecast",
    "StackedForecast",
    "SupportVectorOrdinalClassifier",
    "mimetic_configurations",
    "mimetic_costs",
    "stack_forecasters",
]
