"""The only place that validates arrays, labels, weights, probabilities and costs.

Checks return the argument in the one form the rest of the package works with. Message
form: "`argument` rule, got value." plus "Hint: what to do" where there is something to do.
One module per duty: `arrays`, `labels` (two classes), `classes` (any number), `samples` (numbers of
cases), `rates`, `costs`, `choices` (options); the other subpackages import the checks from here.
"""

from demur._checks.arrays import (
    as_floats,
    check_columns,
    check_covariance,
    check_finite,
    check_matrix,
    check_nonnegative,
    check_number,
    check_probability,
    check_range,
    check_rate,
    check_same_length,
    check_scores,
    check_series,
    check_weights,
)
from demur._checks.choices import (
    check_choice,
    check_confidence_level,
    check_mapping,
    check_members,
    check_positive_int,
    check_rng,
    check_type,
    check_weight_meaning,
)
from demur._checks.classes import check_class_codes, check_class_labels, check_levels
from demur._checks.costs import check_amounts, check_cost_point, check_costs_by_class, check_grid
from demur._checks.errors import input_error
from demur._checks.labels import check_decision_labels, check_labels
from demur._checks.rates import (
    check_positive,
    check_probability_scores,
    check_rate_pairs,
    check_roc_points,
    check_threshold_probability,
)
from demur._checks.samples import (
    check_block_length,
    check_groups,
    check_label_columns,
    check_positive_proba,
    check_prevalence,
    check_proba,
    check_repeated_cases,
    check_simplex,
    check_whole_counts,
)

__all__ = [
    "as_floats",
    "check_amounts",
    "check_block_length",
    "check_choice",
    "check_class_codes",
    "check_class_labels",
    "check_columns",
    "check_confidence_level",
    "check_cost_point",
    "check_costs_by_class",
    "check_covariance",
    "check_decision_labels",
    "check_finite",
    "check_grid",
    "check_groups",
    "check_label_columns",
    "check_labels",
    "check_levels",
    "check_mapping",
    "check_matrix",
    "check_members",
    "check_nonnegative",
    "check_number",
    "check_positive",
    "check_positive_int",
    "check_positive_proba",
    "check_prevalence",
    "check_proba",
    "check_probability",
    "check_probability_scores",
    "check_range",
    "check_rate",
    "check_rate_pairs",
    "check_repeated_cases",
    "check_rng",
    "check_roc_points",
    "check_same_length",
    "check_scores",
    "check_series",
    "check_simplex",
    "check_threshold_probability",
    "check_type",
    "check_weight_meaning",
    "check_weights",
    "check_whole_counts",
    "input_error",
]
