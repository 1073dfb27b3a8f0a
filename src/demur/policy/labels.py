"""Labels of decisions: all text or all numbers, one of them free for abstentions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from demur._checks import check_decision_labels, input_error
from demur.exceptions import InputError
from demur.surface.window import ABSTAIN
from demur.typing import IntArray

__all__ = ["OUTPUTS", "builtin_labels", "check_policy_labels", "free_label", "label_kind", "labelled"]

OUTPUTS = ("array", "pandas", "arrow")
"""What `Policy.apply` returns."""

_LARGEST = 2**63


def check_policy_labels(classes: Sequence[Any], abstain_label: Any) -> list[Any]:
    """Return the labels as built-in types, the abstain label last; all text or all numbers, all different."""
    if len(classes) == 2:
        negative, positive = classes
        positive, negative, abstain = check_decision_labels([positive, negative, abstain_label])
        return [negative, positive, abstain]
    labels = [*builtin_labels(classes), abstain_label]
    texts = [isinstance(label, str) for label in labels]
    numbers = [isinstance(label, (int, float)) and not isinstance(label, bool) for label in labels]
    if not (all(texts) or all(numbers)):
        listed = ", ".join(map(repr, labels[-4:]))
        hint = "an abstain label for text could be 'abstain', for numbers -1."
        raise input_error("classes and abstain_label", "must be all strings or all numbers", listed, hint)
    if len(set(labels)) < len(labels):
        raise input_error("abstain_label", "must differ from every class", repr(labels[-1]))
    return labels


def builtin_labels(names: Sequence[Any]) -> tuple[Any, ...]:
    """Return names as built-in types; booleans as numbers, so that there can be one answer more."""
    plain = [name.item() if isinstance(name, np.generic) else name for name in names]
    return tuple(int(name) if isinstance(name, bool) else name for name in plain)


def free_label(*classes: Any) -> Any:
    """Return a label for abstentions that is none of the classes, a number beside numbers."""
    if all(isinstance(label, int) and not isinstance(label, bool) for label in classes):
        return next(label for label in (ABSTAIN, *range(len(classes) + 1)) if label not in classes)
    if len(classes) > 2 and all(isinstance(label, float) for label in classes):
        return next(label for label in (float(ABSTAIN), min(classes) - 1) if label not in classes)
    free = ("abstain", "undecided", "send to a person", *(f"abstain {k}" for k in range(len(classes))))
    return next(label for label in free if label not in classes)


def label_kind(labels: Sequence[Any]) -> str:
    """Return the type of labels that are all text or all numbers: "text", "whole" or "number"."""
    if isinstance(labels[0], str):
        broken = [label for label in labels if "\0" in label or any("\ud800" <= c <= "\udfff" for c in label)]
        if broken:
            raise input_error("labels", "must be text that other systems can store", repr(broken[0]))
        return "text"
    if not all(isinstance(label, int) for label in labels):
        return "number"
    large = [label for label in labels if not -_LARGEST <= label < _LARGEST]
    if large:
        raise input_error("labels", "must fit into 64 bits to be exported", large[0])
    return "whole"


def labelled(codes: IntArray, labels: Sequence[Any], output: str) -> Any:
    """Return the label of every code; `labels` are those of the classes and, last, of abstaining."""
    # ABSTAIN is -1: it picks the last label
    if output == "array":
        return np.array(labels)[codes]
    small = np.int8 if len(labels) <= np.iinfo(np.int8).max else np.int32
    places = np.arange(len(labels), dtype=small)[codes]
    try:
        if output == "pandas":
            import pandas as pd

            return pd.Categorical.from_codes(places, categories=list(labels))
        import pyarrow as pa
    except ImportError:
        package = "pandas" if output == "pandas" else "pyarrow"
        raise InputError(f"`output={output!r}` needs {package}. Hint: pip install {package}.") from None
    return pa.DictionaryArray.from_arrays(pa.array(places), pa.array(list(labels)))
