"""Errors and warnings demur raises.

Every message names the argument as the user typed it, the rule it broke, the value
that broke it and, where there is one, the remedy ("Hint: ...").
"""

__all__ = ["DegenerateDataWarning", "DemurError", "InputError", "UndefinedError"]


class DemurError(Exception):
    """Base class of everything demur raises on purpose.

    Examples
    --------
    >>> from demur import DemurError, auc_score
    >>> try:
    ...     auc_score([0, 1, 1], [0.2, 0.7])
    ... except DemurError as error:
    ...     print(error)
    `y_true` and `y_score` must have the same length, got 3 and 2.
    """


class InputError(DemurError, ValueError):
    """An argument breaks a stated rule; nothing was computed.

    Examples
    --------
    >>> from demur import CostModel, InputError
    >>> try:
    ...     CostModel(cost_fn=-5)
    ... except InputError as error:
    ...     print(error)
    `cost_fn` must exceed cost_tp = 0, got -5. Hint: a miss must hurt.
    """


class UndefinedError(InputError):
    """The arguments are well formed, but the quantity does not exist for them.

    Typical case: a rate of the positives in data without positives. There is one policy
    for all curves: raise, never return NaN.

    Examples
    --------
    >>> from demur import UndefinedError, auc_score
    >>> try:
    ...     auc_score([1, 1], [0.2, 0.7])
    ... except UndefinedError as error:
    ...     print(error)
    The AUC needs cases of both classes, got no negative case. Hint: check y_true and pos_label.
    """


class DegenerateDataWarning(UserWarning):
    """The result is valid, but rests on too little data to be trusted blindly.

    Examples
    --------
    Turn it into an error where nobody reads warnings:

    >>> import warnings
    >>> from demur import DegenerateDataWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", DegenerateDataWarning)
    """
