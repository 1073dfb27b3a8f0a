"""A comparison in words and tables."""

from collections.abc import Iterator, Sequence

from demur.cli.answers.comparison import Comparison, Limits, Ranking, trivial_rule
from demur.cli.output import heading, number, percent, table, threshold, wrapped
from demur.costs.curves import BestRange
from demur.costs.model import CostModel
from demur.report.headline import out_of_100
from demur.surface.window import AbstentionWindow
from demur.windows.constrained import ConstrainedWindow

__all__ = ["comparison_text", "decision", "decision_lines", "limits_in_words"]

_CASES = 1000
_WITHOUT_MODEL = {
    "always abstain": "send every case to a person",
    "always positive": "call every case positive",
    "always negative": "call every case negative",
}
_MOST_RANGES = 8
_MOST_PAIRS = 10
_HINDSIGHT = (
    "Costs not called honest are with hindsight: thresholds were chosen on these same data, so expect "
    "slightly higher costs in use."
)
_COSTS_WANTED = (
    "For a decision in words give your costs, for example --cost-fn 100 --cost-fp 40 --cost-abstain 12."
)


def comparison_text(
    found: Comparison, *, output: str | None = None, more: Sequence[tuple[str, str]] = ()
) -> str:
    """Return the whole answer of `demur compare`; `more` are further sections (title, body)."""
    sections = [
        ("Over all costs (higher AUC is better, lower VACC and area)", _quality_table(found)),
        ("Cheapest without abstaining, by operating point PC(+)", _ranges_text(found)),
    ]
    if found.pairs:
        sections.append(("Cheaper with abstaining, pair by pair", _pairs_text(found)))
    opening, closing = [], [wrapped(_HINDSIGHT)]
    if found.costs is None:
        closing.append(wrapped(_COSTS_WANTED))
    else:
        opening.append(wrapped(decision(found)))
        sections.insert(0, (_costs_title(found.costs, found.prevalence), _costs_table(found)))
    sections.extend(more)
    titled = [f"{heading(title, output=output)}\n{body}" for title, body in sections]
    return "\n\n".join([*opening, *titled, *closing])


# ---------------------------------------------------------------- the decision


def decision(found: Ranking) -> str:
    """Say in words what to do at the user's costs, and what it costs."""
    at = found.best.priced()
    text = f"{' '.join(_advice(found))} Expected cost {_per_1000(at.window.expected_cost)} per 1000 cases."
    if isinstance(at.window, ConstrainedWindow) and found.costs is not None:
        free = float(found.costs.expected_cost(at.window.unconstrained_cost, at.window.prevalence))
        text += f" Without the limits: {_per_1000(free)}."
    if at.saved_by_abstaining > 0:
        other = found.never_abstaining()
        least = other.priced().never_abstaining.expected_cost
        with_model = "" if other is found.best else f" (with {other.name})"
        text += f" Never abstaining: {_per_1000(least)}{with_model}."
    if at.saved_by_model > 0:
        text += f" Best rule without a model ({trivial_rule(at.trivial)}): "
        text += f"{_per_1000(at.trivial.expected_cost)}."
    return text


def _advice(found: Ranking) -> Iterator[str]:
    best = found.best
    window, name, distinct = best.priced().window, best.name, best.n_distinct
    limited = bool(found.limits.given())
    opening = f"With these costs{' and limits' if limited else ''}"
    if not limited and best.priced().saved_by_model == 0:
        yield f"{opening} {_WITHOUT_MODEL[trivial_rule(best.priced().trivial)]}: no model is cheaper."
        return
    if (window.lower_index, window.upper_index) in ((0, 0), (0, distinct), (distinct, distinct)):
        # the cheapest that keeps the limits may still treat all cases alike
        yield f"{opening} {_WITHOUT_MODEL[trivial_rule(window)]}."
    elif window.is_empty:
        yield f"{opening} use {name}, and never abstain."
        yield f"Call positive from {threshold(window.upper)} on."
    else:
        act, send = out_of_100(window.abstention_rate)
        yield f"{opening} use {name}: act on {act} of 100 cases, send {send} to a person."
        yield _thresholds(window, calls_positive=window.upper_index < distinct)
    if found.ties:
        yield f"Equally cheap: {', '.join(found.ties)}."


def decision_lines(found: Ranking) -> list[str]:
    """Return the decision and its limits, one paragraph each."""
    lines = (decision(found), limits_in_words(found.limits))
    return [line for line in lines if line]


def limits_in_words(limits: Limits) -> str:
    """Say what a window had to keep; empty if nothing."""
    words = {
        "max_abstention": "at most {} of the cases abstained on",
        "min_precision_positive": "at least {} of the positive decisions right",
        "min_precision_negative": "at least {} of the negative decisions right",
    }
    kept = [words[name].format(percent(value)) for name, value in limits.given().items()]
    return f"Limits: {', '.join(kept)}." if kept else ""


def _thresholds(window: AbstentionWindow, *, calls_positive: bool) -> str:
    """Say which scores lead to which call; a side that is never used is not mentioned."""
    negative = f"negative up to {threshold(window.lower)}"
    positive = f"positive from {threshold(window.upper)} on"
    if window.lower_index == 0:
        return f"Call {positive}; abstain below."
    if not calls_positive:
        return f"Call {negative}; abstain above."
    return f"Call {negative}, {positive}; abstain in between."


def _per_1000(cost: float) -> str:
    return number(cost * _CASES)


# ---------------------------------------------------------------- tables


def _costs_title(costs: CostModel, prevalence: float) -> str:
    abstain = "no abstention" if costs.cost_abstain is None else f"abstaining {number(costs.cost_abstain)}"
    prices = f"miss {number(costs.cost_fn)}, false alarm {number(costs.cost_fp)}, {abstain}"
    return wrapped(f"Cost per 1000 cases ({prices}; {percent(prevalence)} positive)")


def _costs_table(found: Comparison) -> str:
    rows = []
    for model in found.models:
        at = model.priced()
        rows.append(
            [
                model.name,
                threshold(at.window.lower),
                threshold(at.window.upper),
                _per_1000(at.window.expected_cost),
                percent(at.window.abstention_rate),
                _per_1000(at.saved_by_abstaining),
                _per_1000(at.saved_by_model),
            ]
        )
    rule = trivial_rule(found.best.priced().trivial)
    note = f'(a) against never abstaining, (b) against "{rule}", the best rule without a model'
    header = ["model", "lower", "upper", "cost", "abstains", "saves (a)", "saves (b)"]
    return table(header, rows) + "\n" + wrapped(note)


def _quality_table(found: Comparison) -> str:
    rows = [
        [model.name, f"{model.auc:.4f}", f"{model.vacc:.5f}", f"{model.area:.5f}"] for model in found.models
    ]
    return table(["model", "AUC", "VACC", "cost-curve area"], rows)


# ---------------------------------------------------------------- who wins where


def _ranges_text(found: Comparison) -> str:
    explained = "PC(+) = p cost_fn / (p cost_fn + (1 - p) cost_fp), p = prevalence"
    if found.costs is not None:
        explained += f"; here {float(found.costs.probability_cost(found.prevalence)):.3f}"
    lines = [explained]
    parts = found.ranges
    if len(parts) > _MOST_RANGES:
        parts = sorted(sorted(parts, key=lambda part: part.low - part.high)[:_MOST_RANGES])
        lines.append(f"The {_MOST_RANGES} widest of {len(found.ranges)} ranges:")
    lines += [
        wrapped(f"  {part.low:.3f} to {part.high:.3f}  {_who(found, part)}", indent=" " * 18)
        for part in parts
    ]
    return "\n".join(lines)


def _who(found: Comparison, part: BestRange) -> str:
    middle = (part.low + part.high) / 2
    curve = next(model.cost_curve for model in found.models if model.name == part.winner)
    if float(curve.expected_cost(middle)) >= min(middle, 1 - middle) - 1e-12:
        return f"no model: call everything {'negative' if middle < 0.5 else 'positive'}"
    return part.winner if len(part.winners) == 1 else " = ".join(part.winners)


def _pairs_text(found: Comparison) -> str:
    explained = "share of all relative costs mu (false alarm) and nu (abstaining) from 0 to 1"
    pairs = list(found.pairs.items())
    lines = []
    if len(pairs) > _MOST_PAIRS:
        pairs = [(names, gap) for names, gap in pairs if names[0] == found.best.name]
        explained += f", {found.best.name} against each other model"
    rows = [
        [f"{first} / {second}", percent(gap.better_area), percent(gap.worse_area), percent(gap.equal_area)]
        for (first, second), gap in pairs
    ]
    lines.append(wrapped(explained + "."))
    lines.append(table(["first / second", "first cheaper", "second cheaper", "equal"], rows))
    return "\n".join(lines)
