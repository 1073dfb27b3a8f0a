"""Write the section on answers of docs/coverage.md: does the interval of `compare_models` hold the true cost?

`python tools/coverage_answers.py --runs 500` judges the rule that each comparison returns, chosen among all
models and rules without a model, on a population whose costs are known. The other sections stay as they are.
"""

import argparse
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from demur import CaseCosts, CostModel, CostRange, Prevalence, compare_models
from demur._files.whole import whole_file

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
START, END = "<!-- answers: written by tools/coverage_answers.py -->", "<!-- end of answers -->"
LOWEST = 0.93
_TEST_CASES = 200_000

WORDS = (
    "The interval of an answer is for the true cost of the very rule that a comparison returns, after the "
    "choice among its models and the rules without one. Of every design: how often the interval holds that "
    "cost (nominal 0.95), the same among the samples in which a model's rule was returned, how far the mean "
    "of the expected and of the measured cost lies from the truth in those samples, and how often a rule was "
    "called proven although the best rule without a model is at least as cheap. Cells below 0.93 are marked. "
    "Scores are normal unless the design says otherwise."
)
NOTES = (
    "Ten tied levels: a miss costs a hundred times as much as a false alarm and is seldom seen. Where a "
    "model's rule is returned, it is mostly because nothing went wrong, and more is to be expected.",
    "Copies are cases of one cluster with one label and one score: 60 clusters are worth 60 cases.",
    "Ranges: the interval holds if it contains the true cost at every corner.",
)


class Sample(NamedTuple):
    """Labels, scores by model, and further arguments of `compare_models`."""

    y: Any
    scores: Any
    asked: dict[str, Any]


class Design(NamedTuple):
    """A population: how it is sampled, and what a returned rule truly costs."""

    name: str
    sample: Callable[[np.random.Generator], Sample]
    costs_of: Callable[[Any], list[float]]
    baseline: float


def normal(
    name: str,
    *,
    n: int,
    models: int = 1,
    separation: float = 1.5,
    prevalence: float = 0.5,
    prices: tuple[float, float, float] = (10, 10, 3),
    in_use: float | None = None,
    estimate: int | None = None,
    weighted: bool = False,
    timed: bool = False,
) -> Design:
    """Normal scores of equal, independent models."""
    used = prevalence if in_use is None else in_use
    costs = CostModel(cost_fn=prices[0], cost_fp=prices[1], cost_abstain=prices[2])

    def sample(rng: np.random.Generator) -> Sample:
        y = (rng.random(n) < prevalence).astype(int)
        scores = {f"m{k}": separation * y + rng.normal(size=n) for k in range(models)}
        asked: dict[str, Any] = {"costs": costs}
        if weighted:
            asked["sample_weight"] = np.where(y == 1, used / prevalence, (1 - used) / (1 - prevalence))
        elif estimate is not None:
            counted = int(np.clip(rng.binomial(estimate, used), 1, estimate - 1))
            asked["prevalence"] = Prevalence(positives=counted, cases=estimate)
        elif in_use is not None:
            asked["prevalence"] = in_use
        if timed:
            asked["time"] = np.arange(n)
        return Sample(y, scores, asked)

    def truth(answer: Any) -> list[float]:
        return [_normal_cost(answer, separation, used, prices)]

    return Design(name, sample, truth, min(prices[2], used * prices[0], (1 - used) * prices[1]))


def _normal_cost(
    answer: Any, d: float, p: float, prices: tuple[float, float, float], spread: float = 1.0
) -> float:
    """Cost of thresholds, infinite ones too, on normal scores."""
    fixed = {
        "always abstain": prices[2],
        "always positive": (1 - p) * prices[1],
        "always negative": p * prices[0],
    }
    if answer.model is None:
        return fixed[answer.kind]
    low, high = answer.lower / spread, answer.upper / spread
    miss, alarm = ndtr(low - d / spread), 1 - ndtr(high)
    kept = ndtr(high - d / spread) - miss, 1 - alarm - ndtr(low)
    return float(
        p * (prices[0] * miss + prices[2] * kept[0]) + (1 - p) * (prices[1] * alarm + prices[2] * kept[1])
    )


def clustered(name: str, *, sizes: Any, copies: bool = False) -> Design:
    """Cases of one customer resemble each other: in how often they are positive, and in their scores."""
    sizes = np.asarray(sizes)
    group = np.repeat(np.arange(len(sizes)), sizes)
    prices, spread = (10, 10, 2.5), 1.0 if copies else float(np.sqrt(0.98))
    rate = 0.4 if copies else 0.4 * 0.8 + 0.6 * 0.1

    def sample(rng: np.random.Generator) -> Sample:
        risky, own = rng.random(len(sizes)) < 0.4, rng.normal(size=len(sizes))
        if copies:
            y, score = risky[group].astype(int), (1.5 * risky + own)[group]
        else:
            y = (rng.random(len(group)) < np.where(risky, 0.8, 0.1)[group]).astype(int)
            score = 1.5 * y + 0.7 * own[group] + 0.7 * rng.normal(size=len(group))
        costs = CostModel(cost_fn=10, cost_fp=10, cost_abstain=2.5)
        return Sample(y, {"m": score}, {"costs": costs, "groups": group})

    return Design(name, sample, lambda answer: [_normal_cost(answer, 1.5, rate, prices, spread)], 2.5)


def amounts(name: str, *, n: int, sigma: float) -> Design:
    """Log-normal amounts of misses, larger where the score is larger."""

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, Any, Any]:
        y = (rng.random(size) < 0.3).astype(int)
        score = 1.5 * y + rng.normal(size=size)
        noise = 0.5 * (score - 1.5 * y) + np.sqrt(0.75) * rng.normal(size=size)
        return y, score, 20 * np.exp(sigma * noise - sigma**2 / 2)

    def sample(rng: np.random.Generator) -> Sample:
        y, score, amount = draw(rng, n)
        return Sample(y, {"m": score}, {"costs": CaseCosts(cost_fn=amount, cost_fp=8, cost_abstain=2.5)})

    @cache
    def population() -> tuple[Any, Any, Any]:
        return draw(np.random.default_rng(1), _TEST_CASES)

    def truth(answer: Any) -> list[float]:
        y, score, amount = population()
        decided = answer.decide(score)
        wrong = np.where(y == 1, amount, 8.0)
        return [float(np.where(decided == -1, 2.5, np.where(decided == y, 0.0, wrong)).mean())]

    return Design(name, sample, truth, 2.5)


def three_classes(name: str, *, n: int) -> Design:
    """Probabilities of three classes that are right on average."""
    table = np.array([[0, 2, 5, 0.8], [3, 0, 1, 0.8], [9, 4, 0, 0.8]])

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, Any]:
        proba = rng.dirichlet([0.6, 0.6, 0.6], size)
        y = (rng.random(size)[:, None] > np.cumsum(proba, axis=1)).sum(axis=1)
        return np.minimum(y, 2), proba

    def sample(rng: np.random.Generator) -> Sample:
        y, proba = draw(rng, n)
        costs = {0: {1: 2, 2: 5}, 1: {0: 3, 2: 1}, 2: {0: 9, 1: 4}}
        return Sample(y, {"m": proba}, {"costs": costs, "classes": [0, 1, 2], "abstain_cost": 0.8})

    @cache
    def population() -> tuple[Any, Any]:
        return draw(np.random.default_rng(1), _TEST_CASES)

    def truth(answer: Any) -> list[float]:
        y, proba = population()
        return [float(table[y, answer.decide(proba)].mean())]

    return Design(name, sample, truth, 0.8)


def tied(name: str, *, n: int) -> Design:
    """Ten levels of a score; a miss costs 1000, a false alarm 10, a review 1."""
    weight = np.arange(1.0, 11) ** 5
    levels = {1: weight / weight.sum(), 0: weight[::-1] / weight.sum()}

    def sample(rng: np.random.Generator) -> Sample:
        y = (rng.random(n) < 0.1).astype(int)
        score = np.where(y == 1, rng.choice(10, n, p=levels[1]), rng.choice(10, n, p=levels[0]))
        return Sample(y, {"m": score}, {"costs": CostModel(cost_fn=1000, cost_fp=10, cost_abstain=1)})

    def truth(answer: Any) -> list[float]:
        decided = answer.decide(np.arange(10.0))
        positive, negative = ((decided == 0) * 1000 + (decided == -1), (decided == 1) * 10 + (decided == -1))
        return [float(0.1 * levels[1] @ positive + 0.9 * levels[0] @ negative)]

    return Design(name, sample, truth, 1.0)


def ranges(name: str, *, n: int) -> Design:
    """Costs known within limits."""
    costs = CostRange(cost_fn=(60, 150), cost_fp=(30, 50), cost_abstain=12)

    def sample(rng: np.random.Generator) -> Sample:
        y = (rng.random(n) < 0.3).astype(int)
        return Sample(y, {"m": 1.5 * y + rng.normal(size=n)}, {"costs": costs})

    def truth(answer: Any) -> list[float]:
        return [_normal_cost(answer, 1.5, 0.3, (fn, fp, 12)) for fn in (60, 150) for fp in (30, 50)]

    return Design(name, sample, truth, 12.0)


DESIGNS = (
    normal("4 equal models, 120 cases", n=120, models=4),
    normal("12 equal models, 120 cases", n=120, models=12),
    normal("40 equal models, 120 cases", n=120, models=40),
    normal("one model, 300 cases", n=300),
    normal("3 models, 600 cases, costly misses", n=600, models=3, prevalence=0.3, prices=(100, 40, 12)),
    normal("rare errors, 300 cases", n=300, separation=4.0),
    normal("rare positives, 400 cases", n=400, prevalence=0.1, prices=(100, 10, 4)),
    normal("weights by class, 300 cases", n=300, in_use=0.1, prices=(60, 10, 3), weighted=True),
    normal("prevalence 0.5, 0.02 in use, 300 cases", n=300, in_use=0.02, prices=(100, 10, 1)),
    normal("prevalence 0.1, 0.3 in use, 400 cases", n=400, prevalence=0.1, in_use=0.3),
    normal("prevalence counted among 200, 300 cases", n=300, in_use=0.1, prices=(60, 10, 3), estimate=200),
    normal("judged forward in time, 1500 cases", n=1500, timed=True),
    clustered("100 clusters of 3", sizes=[3] * 100),
    clustered("40 clusters of 8", sizes=[8] * 40),
    clustered("60 clusters of 5 copies", sizes=[5] * 60, copies=True),
    clustered("100 clusters of 20", sizes=[20] * 100),
    clustered("60 clusters of 1 to 50", sizes=np.linspace(1, 50, 60).astype(int)),
    amounts("amounts, sigma 1, 120 cases", n=120, sigma=1.0),
    amounts("amounts, sigma 1, 400 cases", n=400, sigma=1.0),
    amounts("amounts, sigma 1, 2000 cases", n=2000, sigma=1.0),
    three_classes("three classes, 300 cases", n=300),
    tied("ten tied levels, 400 cases", n=400),
    ranges("ranges of costs, 300 cases", n=300),
)


class Found(NamedTuple):
    """What happened in the samples of a design; `deployed` are those in which a model's rule was returned."""

    runs: int
    coverage: float
    deployed: float
    coverage_deployed: float
    bias: float
    measured_bias: float
    false_proofs: float


def judge(design: Design, runs: int) -> Found:
    """Compare what answers say with what their rules truly cost."""
    rows = []
    for run in range(runs):
        rng = np.random.default_rng([run, *design.name.encode()])
        y, scores, asked = design.sample(rng)
        if np.bincount(y, minlength=2).min() < 2:
            continue
        answer = compare_models(y, scores, seed=run, **asked).answer
        truths = design.costs_of(answer)
        low, high = answer.interval
        held = all(low - 1e-9 <= true <= high + 1e-9 for true in truths)
        true = float(np.mean(truths))
        proven = answer.verdict == "proven" and true >= design.baseline
        rows.append(
            (held, answer.model is not None, answer.cost - true, answer.honest_cost - true, true, proven)
        )
    table = np.array(rows, dtype=float)
    used = table[table[:, 1] == 1]
    mean = used[:, 4].mean() if len(used) else np.nan
    return Found(
        runs=len(table),
        coverage=table[:, 0].mean(),
        deployed=table[:, 1].mean(),
        coverage_deployed=used[:, 0].mean() if len(used) else np.nan,
        bias=used[:, 2].mean() / mean if len(used) else np.nan,
        measured_bias=used[:, 3].mean() / mean if len(used) else np.nan,
        false_proofs=table[:, 5].mean(),
    )


def section(runs: int) -> Iterator[str]:
    """Lines of the section."""
    yield START
    yield "## Answers"
    yield ""
    yield from textwrap.wrap(WORDS, 115)
    yield ""
    columns = ("samples", "holds", "model's rule", "holds then", "expected", "measured", "false proofs")
    yield f"| design | {' | '.join(columns)} |"
    yield "|---" * 8 + "|"
    for design in DESIGNS:
        found = judge(design, runs)
        shares = [
            f"**{share:.3f} (low)**" if share < LOWEST else f"{share:.3f}"
            for share in (found.coverage, found.coverage_deployed)
        ]
        biases = f"{found.bias:+.1%} | {found.measured_bias:+.1%}"
        row = (
            f"| {design.name} | {found.runs} | {shares[0]} | {found.deployed:.2f} | {shares[1]} | {biases} | "
        )
        yield f"{row}{found.false_proofs:.3f} |"
        print(row, flush=True)
    yield ""
    for note in NOTES:
        yield from textwrap.wrap(f"- {note}", 115, subsequent_indent="  ")
    yield END


def kept(page: Path = PAGE) -> list[str]:
    """Return the lines of the section as the page has them."""
    text = page.read_text(encoding="utf-8")
    if START not in text:
        return []
    return ["", *text[text.index(START) : text.index(END) + len(END)].splitlines()]


def main() -> None:
    """Write the section into the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=500, help="samples per design")
    options.add_argument("--output", type=Path, default=PAGE, help="page to write into")
    chosen = options.parse_args()
    page = chosen.output
    lines = "\n".join(section(chosen.runs))
    text = page.read_text(encoding="utf-8")
    before = text[: text.index(START)] if START in text else text.rstrip("\n") + "\n\n"
    after = text[text.index(END) + len(END) :] if END in text else "\n"
    with whole_file(page) as file:
        file.write(before + lines + after)


if __name__ == "__main__":
    main()
