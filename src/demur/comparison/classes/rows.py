"""Rows of several models with one column per class, checked, and their folds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_same_length, check_weight_meaning, check_weights, input_error
from demur.costs.matrix import class_indices, class_priors
from demur.exceptions import InputError
from demur.honest.cases import effective_sizes
from demur.honest.splits import FEWEST_CASES, MOST_FOLDS, check_folds, check_repeats, split_classes
from demur.typing import FloatArray, IntArray
from demur.windows.class_rule import check_class_probabilities

__all__ = ["ClassCases", "check_models"]

_FEWEST_FOLDS = 5
_MOST_REPEATED = 10**8


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassCases:
    """Checked cases and their splits.

    Attributes
    ----------
    codes : array
        Class of every row.
    sizes : array
        Weight of every row; importance weights sum to the effective number of cases.
    proba : mapping
        Model -> one column per class.
    splits : list of arrays
        Element r: fold of every row in split r.
    meaning : str or None
        What the weights meant; None without weights.
    """

    codes: IntArray
    sizes: FloatArray
    proba: Mapping[str, FloatArray]
    classes: tuple[Any, ...]
    splits: Sequence[IntArray]
    folds: int
    meaning: str | None

    @classmethod
    def of_rows(
        cls,
        y_true: Any,
        proba: Any,
        *,
        classes: Sequence[Any],
        sample_weight: Any,
        weights: str,
        seed: int,
        judged_only: bool = False,
    ) -> "ClassCases":
        """Check rows and split them; rows of weight 0 are dropped, repeated rows written out.

        With `judged_only` there are no folds: a rule from elsewhere is judged.
        """
        check_weight_meaning(weights)
        models = check_models(proba, len(classes))
        codes = class_indices(y_true, classes)
        weight = check_weights(sample_weight)
        for name, columns in models.items():
            check_same_length(**{"y_true": codes, f"scores of {name}": columns, "sample_weight": weight})
        sizes = np.ones(len(codes))
        if weight is not None:
            rows = np.flatnonzero(weight > 0)
            if weights == "repeats":
                rows = np.repeat(rows, _whole(weight)[rows])
                sizes = np.ones(len(rows))
            else:
                sizes = effective_sizes(weight)[rows]
            codes = codes[rows]
            models = {name: columns[rows] for name, columns in models.items()}
        folds = 0 if judged_only else _folds(codes, classes)
        repeats = 0 if judged_only else check_repeats(None, len(codes))
        return cls(
            codes=codes,
            sizes=sizes,
            proba=models,
            classes=tuple(classes),
            splits=split_classes(codes, len(classes), folds=folds, repeats=repeats, rng=seed),
            folds=folds,
            meaning=None if weight is None else weights,
        )

    @property
    def n(self) -> float:
        """Number of cases; with importance weights the effective one."""
        return float(self.sizes.sum())

    @property
    def class_sizes(self) -> FloatArray:
        """Weight of the cases of each class."""
        return np.bincount(self.codes, self.sizes, len(self.classes)).astype(np.float64)

    @property
    def weighted(self) -> bool:
        """Whether rows differ in weight."""
        return self.meaning == "importance"

    def content_order(self, *models: str) -> IntArray:
        """Sort rows by class, weight and the probabilities of some models: file order plays no part."""
        columns = [column for name in models for column in self.proba[name].T]
        # the last key of a lexsort is the first to sort by
        return np.lexsort([*columns[::-1], self.sizes, self.codes])

    def factors(self, shares: FloatArray | None) -> FloatArray:
        """How much a case of each class counts: 1, or what brings the classes to their shares in use."""
        sizes = self.class_sizes
        if shares is None:
            return np.ones(len(sizes))
        wanted = shares * sizes.sum()
        return np.asarray(np.divide(wanted, sizes, out=np.zeros_like(sizes), where=sizes > 0))

    def shares(self, given: Any) -> FloatArray | None:
        """P(class) in use from a mapping or array; None for the sample's own."""
        if given is None:
            return None
        try:
            return class_priors(given, self.classes, self.class_sizes)
        except InputError as error:
            raise InputError(str(error).replace("priors", "prevalence")) from None


def check_models(proba: Any, columns: int) -> dict[str, FloatArray]:
    """Return models by name, each with one column per class."""
    models = proba if isinstance(proba, Mapping) else {"model": proba}
    if not models:
        raise InputError("`scores` must hold at least one model, got none.")
    checked = {}
    for name, values in models.items():
        try:
            checked[str(name)] = check_class_probabilities(values, columns)
        except InputError as error:
            raise InputError(str(error).replace("`proba`", f"`scores of {name}`", 1)) from None
    return checked


def _whole(weight: FloatArray) -> IntArray:
    broken = weight != np.floor(weight)
    if broken.any():
        raise input_error(
            "sample_weight",
            "must hold whole numbers where weights are repeated cases",
            f"{weight[broken][0]:g}",
            "weights='importance' takes any weights of single cases.",
        )
    if weight.sum() > _MOST_REPEATED:
        raise input_error("sample_weight", f"must sum to at most {_MOST_REPEATED:g} cases", weight.sum())
    return weight.astype(np.int64)


def _folds(codes: IntArray, classes: Sequence[Any]) -> int:
    """Ten folds, fewer where a class is smaller; a rare class among many costs no more than half of them.

    A class with fewer cases than folds is missing from some folds, never from those that choose
    unless it has one case.
    """
    sizes = np.bincount(codes, minlength=len(classes))
    if len(classes) == 2:
        return check_folds(None, int(sizes[1]), int(sizes[0]))
    if np.sum(sizes >= FEWEST_CASES) < 2:
        raise input_error(
            "y_true",
            "must hold at least two cases of at least two classes to choose on some and score on others",
            ", ".join(f"{size} of {name}" for size, name in zip(sizes.tolist(), classes, strict=True)),
            "collect more cases.",
        )
    smallest = int(sizes[sizes > 0].min())
    return min(MOST_FOLDS, max(_FEWEST_FOLDS, smallest), int(sizes.sum()))
