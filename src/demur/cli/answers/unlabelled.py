"""`demur decide --no-labels`: thresholds from the costs and unlabelled probabilities."""

from typing import Any

from demur.cli.options import Source
from demur.cli.output import document, number, percent, remark, table, wrapped, write
from demur.cli.reading.predictions import read_scores
from demur.costs.model import CostModel
from demur.unlabelled.decision import UnlabelledDecision, unlabelled_decision

__all__ = ["decide_without_labels"]

_CASES = 1000


def decide_without_labels(
    read: Source, costs: CostModel, *, output: str | None, as_json: bool, quiet: bool
) -> None:
    """Read one column of P(positive), decide, print or write the answer."""
    source, name, proba = read_scores(read)
    remark(f"Read {len(proba)} rows of {source}: column {name} as P(positive), no labels.", quiet=quiet)
    decision = unlabelled_decision(proba, costs)
    if as_json:
        content: dict[str, Any] = {"data": {"source": source, "rows": len(proba), "model": name}}
        write(document("decide.unlabelled", {**content, **decision.to_dict()}), output)
    else:
        write(_text(decision), output)


def _text(decision: UnlabelledDecision) -> str:
    rows = []
    for method in ("direct", "ranking", "nroc"):
        threshold = getattr(decision, method).threshold
        cost = number(_CASES * decision.expected_costs[method])
        rows.append([method, f"{threshold:.4g}", percent(decision.positive_rates[method]), cost])
    header = ["method", "threshold", "called positive", "cost per 1000 (if calibrated)"]
    assumptions = [
        wrapped(f"{m}: {getattr(decision, m).assumption}.", indent="  ")
        for m in ("direct", "ranking", "nroc")
    ]
    return "\n\n".join([wrapped(decision.sentence), table(header, rows), "\n".join(assumptions)])
