"""Words around the answer: how classes are called, what is odd about a model, why there is no answer."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from demur.comparison.words import short_name

__all__ = ["classes_in_words", "model_remarks", "no_answer"]

# labels that say less than "positive" and "negative"
_NO_WORD = re.compile(r"[-+.\d]*|true|false|yes|no|pos|neg", re.IGNORECASE)


def classes_in_words(negative: str, positive: str) -> tuple[str, str]:
    """Return how sentences call the negative and the positive class of these labels."""
    if any(_NO_WORD.fullmatch(label) for label in (negative, positive)):
        return "negative", "positive"
    return negative, positive


def no_answer(n_positive: float, n_negative: float) -> str:
    """Say why so few cases do not tell what to do."""
    if min(n_positive, n_negative) == 0:
        only = "positive" if n_positive else "negative"
        return f"All cases are {only}: thresholds need cases of both classes."
    return (
        f"{n_positive:g} positive and {n_negative:g} negative cases are too few to judge "
        "any rule on cases that did not choose it: collect more before you decide."
    )


def model_remarks(models: Iterable[Any]) -> Iterator[str]:
    """Say what is odd about models, each with its `name` and its `auc`, None with one class only."""
    for model in models:
        if model.auc is not None and model.auc < 0.5:
            yield f"{short_name(model.name)} ranks worse than chance (AUC {model.auc:.3f}); flip its scores?"
