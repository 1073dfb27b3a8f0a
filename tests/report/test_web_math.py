"""The mathematics of the page, in TypeScript, gives the numbers of Python to 1e-12.

One Node process answers all questions (web/tests/answers.ts); each test checks one kind of answer.
"""

import json
import math
import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest
from scipy.special import ndtri

import demur
from demur import (
    CostModel,
    Policy,
    ScoreCounts,
    abstention_surface,
    cheapest_window,
    cost_curve,
    cross_fitted_surface,
    roc_curve,
    surface_certificate,
)
from demur.cli.answers.comparison import trivial_rule
from demur.cli.main import main
from demur.cli.output import percent, threshold
from demur.costs import probability_cost
from demur.exceptions import UndefinedError
from demur.windows.policy_evidence import PolicyEvidence

WEB = Path(__file__).parents[2] / "web"
NODE = shutil.which("node")
LEVEL = 0.9
LIMITS = [0.0, 0.03, 0.1, 0.35, 0.8, 1.0]
PCS = np.linspace(0, 1, 23)
INF = math.inf

pytestmark = pytest.mark.skipif(
    NODE is None or not (WEB / "node_modules" / "esbuild").is_dir(),
    reason="needs node and the packages of web/ (make web)",
)


# ---------------------------------------------------------------- questions


def _plain(value):
    """Turn arrays into lists and infinities into words, as the page's data have them."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(part) for part in value]
    if isinstance(value, (float, np.floating)):
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return float(value)
    return value.item() if isinstance(value, np.generic) else value


def _numbers(value):
    """Turn words back into infinities."""
    if isinstance(value, dict):
        return {name: _numbers(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_numbers(part) for part in value]
    return {"inf": INF, "-inf": -INF}.get(value, value) if isinstance(value, str) else value


def _model_data(name, counts, prevalence=None, folds=None):
    """Describe a model as the schema of the report has it."""
    surface = abstention_surface(counts, prevalence=prevalence)
    cuts, blocks = surface._blocks, counts.blocks()
    tables = []
    if folds:
        for table in cross_fitted_surface(counts, prevalence=prevalence, folds=folds, rng=0)._honest.tables:
            trained = table.rule.surface.counts.blocks()
            tables.append(
                {
                    "positives": trained.positives,
                    "negatives": trained.negatives,
                    "held_positives": table.positives,
                    "held_negatives": table.negatives,
                }
            )
    return _plain(
        {
            "name": name,
            "blocks": blocks._asdict(),
            "digest": PolicyEvidence.from_counts(counts).digest,
            "cuts": {"lower": cuts.lower_cut, "upper": cuts.upper_cut},
            "bins": {"edges": [0, 1], "positives": [1], "negatives": [1]},
            "roc": {"fpr": [0, 1], "tpr": [0, 1], "thresholds": ["inf", "-inf"]},
            "folds": tables,
            "auc": {"value": 0.25, "low": 0.2, "high": 0.3, "method": "test"},
            "volume": {"hindsight": surface.volume(), "honest": None, "low": None, "high": None},
            "wins": 0.5,
            "cost_band": None,
        }
    )


def _samples(rng):
    """Labels, scores and weights of many kinds: (name, counts, folds)."""
    n = 300
    y = rng.random(n) < 0.35
    smooth = rng.normal(size=n) + 1.3 * y
    yield "smooth", ScoreCounts.from_arrays(y, smooth), 10
    yield "tied", ScoreCounts.from_arrays(y, np.round(2 * smooth)), 10
    yield "repeated", ScoreCounts.from_arrays(y, np.round(smooth), sample_weight=rng.integers(0, 4, n)), 5
    yield "weighted", ScoreCounts.from_arrays(y, np.round(smooth, 1), sample_weight=rng.random(n)), None
    yield "one score", ScoreCounts.from_arrays(y, np.zeros(n)), 10
    yield "ranked in reverse", ScoreCounts.from_arrays(y, -10.0 * y + rng.random(n)), 10
    yield "perfect", ScoreCounts.from_arrays(y, 10.0 * y + rng.random(n)), 10
    far = np.where(rng.random(n) < 0.1, -INF, np.where(rng.random(n) < 0.1, INF, np.round(smooth)))
    yield "infinite scores", ScoreCounts.from_arrays(y, far), 10
    close = 1 + np.finfo(float).eps * np.round(2 * smooth)
    yield "neighbouring floats", ScoreCounts.from_arrays(y, close), 10
    big = rng.random(30_000) < 0.1
    yield "many blocks", ScoreCounts.from_arrays(big, rng.normal(size=30_000) + big), 10
    yield "four cases", ScoreCounts.from_arrays([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]), 2
    yield "only negatives", ScoreCounts.from_counts([0.0, 1.0], [0, 0], [3, 2]), None


def _points(rng, surface):
    """Costs everywhere, and exactly where two decisions tie."""
    mu = np.concatenate([[0.0, 0.0, 1.0, 1.0, 2.5], rng.choice([0.05, 0.4, 1.0, 3.0], 6) * rng.random(6)])
    nu = np.concatenate([[0.0, 0.3, 0.0, INF, 3.0], rng.random(6) * mu[5:]])
    r = rng.choice(surface.shares, 4)
    mixed = r[(r > 0) & (r < 1)]
    ties = [
        *((1.0, x) for x in mixed),
        *((0.7, 0.7 * (1 - x)) for x in mixed),
        *((x / (1 - x), 9.0) for x in mixed),
    ]
    return [*zip(mu.tolist(), nu.tolist(), strict=True), *ties]


def _model_questions():
    rng = np.random.default_rng(0)
    for name, counts, folds in _samples(rng):
        both = counts.n_positive and counts.n_negative
        for prevalence in (None, 0.2, 0.9, 1e-3, 0.0, 1.0) if both else (None, 0.0):
            surface = abstention_surface(counts, prevalence=prevalence)
            about = {"name": name, "counts": counts, "prevalence": prevalence, "folds": folds}
            about["points"] = _points(rng, surface)
            yield (
                about,
                {
                    "kind": "model",
                    "model": _model_data(name, counts, prevalence, folds),
                    "n_positive": counts.n_positive,
                    "n_negative": counts.n_negative,
                    "prevalence": prevalence,
                    "level": LEVEL,
                    "points": _plain(about["points"]),
                    "limits": LIMITS,
                    "pcs": PCS.tolist(),
                },
            )


def _pair_questions():
    rng = np.random.default_rng(1)
    for prevalence in (None, 0.15):
        y = rng.random(500) < 0.4
        # the second is better at the top, the first elsewhere, the third nowhere
        spread = (np.ones(500), np.where(y, 2.5, 1.0), np.ones(500))
        shifts = zip((1.2, 1.0, 0.2), spread, strict=True)
        scores = [np.round(wide * rng.normal(size=500) + shift * y, 1) for shift, wide in shifts]
        counts = [ScoreCounts.from_arrays(y, column) for column in [*scores, scores[2]]]
        box = {"mu": [0.2, 0.9], "nu": [0.05, 0.4]}
        about = {"counts": counts, "prevalence": prevalence, "box": box}
        question = {"kind": "pair", "prevalence": prevalence, "size": 21, "box": box}
        question |= {"n_positive": float(y.sum()), "n_negative": float((~y).sum())}
        question["models"] = [_model_data(str(at), one, prevalence) for at, one in enumerate(counts)]
        yield about, question


def _report(counts, *, source=None, prevalence=None, folds=10):
    """Describe models on one set of cases as the page's data."""
    one = next(iter(counts.values()))
    return {
        "schema": "demur.report",
        "version": 1,
        "software": {"demur": "0.1"},
        "made": "2026-01-01T00:00:00Z",
        "source": {
            "name": "predictions",
            "label": None,
            "positive": "1",
            "negative": "0",
            "weight": None,
            "rows": one.n,
            "exact": True,
            "certified": None,
            **(source or {}),
        },
        "n": one.n,
        "n_positive": one.n_positive,
        "n_negative": one.n_negative,
        "confidence_level": LEVEL,
        "folds": folds,
        "seed": 0,
        "costs": {"cost_fn": 100, "cost_fp": 40, "cost_abstain": 12},
        "costs_given": True,
        "prevalence": prevalence,
        "notes": [],
        "models": [_model_data(name, part, prevalence, folds) for name, part in counts.items()],
        "pairs": [],
    }


# names a shell, SQL, Python and a URL each read in their own way
NAMES = ["a b", "it's", 'say "hi"', "$(x) & \\n", "naïve %41 ~", "-1", "<script>alert(1)</script>"]
LABEL = "the 'true' \"class\""
if int(duckdb.__version__.split(".")[0]) < 2:
    # older ones do not find names with a quotation mark; read_counts says so
    NAMES.remove('say "hi"')
    LABEL = "the 'true' class"
PAGES = [
    # labels, label column, weights, costs, prevalence, largest abstention
    (("1", "0"), "y_true", False, (100.0, 40.0, 12.0), None, 1.0),
    (("1", "0"), LABEL, True, (1.0, 0.5, 0.1), 0.25, 1.0),
    (("yes", "it's no"), "y", False, (3.0, 1.0, None), 0.1, 1.0),
    (("-1", "1"), "y", False, (10.0, 12.5, 2.0), None, 0.05),
    (("abstain", "go"), "y", False, (1e-3, 2e-3, 2e-4), 0.6, 0.4),
    (("1", "0"), "y", False, (1.0, 1.0, 0.9), None, 1.0),
]
STATES = [
    {},
    {
        "costs": {"fn": 7.25, "fp": 0.1, "abstain": INF},
        "entry": "ratio",
        "prevalence": 1 / 3,
        "model": 2,
        "colour": "difference",
        "compare": [1, 0],
        "box": {"mu": [0.1, 0.7], "nu": [0, 1e-7]},
        "capacity": {"reviews": 50, "cases": 1234.5},
        "positive": "fraud & co = #1",
        "negative": "ехть ~",
    },
]


def _page_questions():
    rng = np.random.default_rng(2)
    for at, (labels, column, weighted, costs, prevalence, most) in enumerate(PAGES):
        y = rng.random(200) < 0.4
        scores = {name: np.round(rng.normal(size=200) + d * y, 2) for d, name in enumerate(NAMES)}
        weights = rng.integers(1, 4, 200) if weighted else None
        counts = {
            name: ScoreCounts.from_arrays(y, column, sample_weight=weights) for name, column in scores.items()
        }
        source = {
            "name": f"my file's {at}.csv",
            "label": column,
            "positive": labels[0],
            "negative": labels[1],
        }
        report = _report(counts, source={**source, "weight": "the weight" if weighted else None})
        about = {"counts": counts, "scores": scores, "y": y, "weights": weights, "report": report}
        about |= {"costs": CostModel(cost_fn=costs[0], cost_fp=costs[1], cost_abstain=costs[2])}
        about |= {"prevalence": prevalence, "most": most}
        prices = {"fn": costs[0], "fp": costs[1], "abstain": "inf" if costs[2] is None else costs[2]}
        start = {
            "costs": {"fn": 100, "fp": 40, "abstain": 12},
            "entry": "money",
            "prevalence": None,
            "model": None,
            "colour": "cost",
            "compare": [0, 1],
            "box": None,
            "capacity": None,
            "positive": "",
            "negative": "",
        }
        about["state"] = {**start, **STATES[at % 2]}
        yield (
            about,
            {
                "kind": "page",
                "report": json.dumps(report),
                "costs": prices,
                "prevalence": prevalence,
                "maxAbstention": most,
                "state": _plain(about["state"]),
            },
        )


def _number_question():
    rng = np.random.default_rng(3)
    values = np.concatenate(
        [
            rng.normal(size=200) * 10.0 ** rng.integers(-9, 9, 200),
            [0.0, 0.5, 1.5, 2.5, 1.0, 1 - 1e-9, 1e5, 1e6],
        ]
    )
    return {"values": values.tolist(), "levels": [0.0, 0.1, 0.5, 0.8, 0.95, 0.999, 1 - 1e-9, 1 - 1e-14]}


@pytest.fixture(scope="module")
def answers():
    """Ask everything at once; give the questions with their answers by kind."""
    asked = [*_model_questions(), *_pair_questions(), *_page_questions()]
    numbers = _number_question()
    questions = [*(question for _, question in asked), {"kind": "numbers", **numbers}]
    done = subprocess.run(
        [NODE, "run.mjs", "tests/answers.ts"],
        input=json.dumps(questions),
        capture_output=True,
        check=True,
        cwd=WEB,
        text=True,
        timeout=120,
    )
    found = _numbers(json.loads(done.stdout))
    by_kind = {"model": [], "pair": [], "page": []}
    for (about, question), answer in zip(asked, found, strict=False):
        by_kind[question["kind"]].append((about, answer))
    return {**by_kind, "numbers": (numbers, found[-1])}


def _close(found, expected):
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def _priced(answers):
    """Yield (about, surface, mu, nu, answer) of every cost point."""
    for about, answer in answers["model"]:
        surface = abstention_surface(about["counts"], prevalence=about["prevalence"])
        for (mu, nu), found in zip(about["points"], answer["points"], strict=True):
            yield about, surface, mu, nu, found


# ---------------------------------------------------------------- one model


def _same_window(found, expected):
    assert (found["lower"], found["upper"]) == (expected.lower, expected.upper)
    _close(found["cost"], expected.cost)
    _close([found["fn"], found["fp"], found["abstain"]], [expected.fn, expected.fp, expected.abstention_rate])
    kept = [expected.abstained_positive, expected.abstained_negative]
    _close([found["abstainPositive"], found["abstainNegative"]], kept)
    _close(found["tp"] + found["fn"] + found["abstainPositive"], expected.prevalence)
    _close(found["tn"] + found["fp"] + found["abstainNegative"], 1 - expected.prevalence)


def test_windows_and_costs_against_python(answers):
    seen = 0
    for _, surface, mu, nu, found in _priced(answers):
        _same_window(found["window"], surface.window(mu, nu))
        _close(found["cost"], surface.cost(mu, nu))
        _same_window(found["never"], surface.window(mu, INF))
        seen += found["window"]["i"] < found["window"]["j"]
    assert seen > 200  # windows that abstain


def test_honest_costs_against_python(answers):
    seen = 0
    for about, answer in answers["model"]:
        found = [point.get("honest") for point in answer["points"]]
        if about["folds"] is None:
            assert found == [None] * len(found)
            continue
        column = {name: [point[name] for point in found] for name in found[0]}
        at = [np.array(axis) for axis in zip(*about["points"], strict=True)]
        expected = cross_fitted_surface(
            about["counts"], prevalence=about["prevalence"], folds=about["folds"], rng=0
        )
        _close(column["cost"], expected.cost(*at).tolist())
        _close(column["hindsight"], expected.hindsight(*at).tolist())
        _close(column["error"], expected.standard_error(*at).tolist())
        low, high = expected.interval(*at, confidence_level=LEVEL)
        _close(column["low"], low.tolist())
        _close(column["high"], high.tolist())
        rates = expected.rates(*at)
        for name, rate in (("fn", rates.fn), ("fp", rates.fp), ("abstain", rates.abstention_rate)):
            _close(column[name], rate.tolist())
        seen += sum(np.array(column["cost"]) > np.array(column["hindsight"]))
    assert seen > 200


def test_certificates_against_python(answers):
    made = {}
    for about, _, mu, nu, found in _priced(answers):
        if about["name"] == "weighted":
            assert found["certified"] is None
            continue
        key = about["name"], about["prevalence"]
        if key not in made:
            made[key] = surface_certificate(
                about["counts"], prevalence=about["prevalence"], confidence_level=LEVEL
            )
        _close(found["certified"], made[key].window(mu, nu).certified_cost)


def test_rules_without_a_model_against_python(answers):
    for _, surface, mu, nu, found in _priced(answers):
        expected = surface.trivial().window(mu, nu)
        assert found["trivial"]["best"] == trivial_rule(expected)
        _close(found["trivial"]["cost"], expected.cost)
        pi = surface.prevalence
        three = [found["trivial"][name] for name in ("positive", "negative", "abstain")]
        _close(three, [mu * (1 - pi), pi, nu])


def test_cost_curves_against_python(answers):
    for about, answer in answers["model"]:
        if about["name"] == "only negatives":
            assert answer["envelope"] is None
            continue
        curve = cost_curve(about["counts"])
        _close(answer["envelope"]["costs"], curve.expected_cost(PCS).tolist())
        _close(np.ravel(answer["envelope"]["vertices"]).tolist(), curve.vertices.ravel().tolist())


def test_operating_points_against_python(answers):
    for about, surface, mu, nu, found in _priced(answers):
        pi = surface.prevalence
        if pi + mu * (1 - pi) == 0:
            assert found["pc"] is None
            continue
        _close(found["pc"], probability_cost(pi, cost_fn=1, cost_fp=mu))
        if nu >= mu / (1 + mu) and 0 < pi < 1 and about["counts"].n_positive:
            # spec 001, section 5: without abstention the surface is the envelope at this prevalence
            _close(found["normalized"], cost_curve(about["counts"]).expected_cost(found["pc"]))


def test_hulls_against_python(answers):
    for about, answer in answers["model"]:
        if about["name"] == "only negatives":
            assert answer["hull"] is None
            continue
        expected = roc_curve(about["counts"]).convex_hull()
        _close(answer["hull"]["fpr"][::-1], expected.fpr.tolist())
        _close(answer["hull"]["tpr"][::-1], expected.tpr.tolist())


def test_windows_under_a_limit_against_python(answers):
    seen = 0
    for about, _, mu, nu, found in list(_priced(answers))[::6]:
        blocks = about["counts"].blocks()
        # a score per block: all the page knows
        pooled = ScoreCounts.from_counts(np.arange(len(blocks.positives)), blocks.positives, blocks.negatives)
        for limit, window in zip(LIMITS, found["limited"], strict=True):
            expected = cheapest_window(
                pooled, mu=mu, nu=nu, max_abstention=limit, prevalence=about["prevalence"]
            )
            assert window["abstain"] <= limit + 1e-12
            _close(window["cost"], expected.cost)
            if about["prevalence"] not in (0.0, 1.0):
                # with a class of prior 0 several cuts are one window
                assert (window["i"], window["j"]) == (expected.lower_index, expected.upper_index)
                seen += expected.cost > expected.unconstrained_cost + 1e-9
    assert seen > 50


def test_frontier_against_the_surface(answers):
    for _, surface, mu, _, found in _priced(answers):
        points = found["frontier"]
        prices = [*(point["price"] for point in points), 0.0]
        assert prices == sorted(prices, reverse=True)
        for at, point in list(enumerate(points))[:40]:
            if prices[at] - prices[at + 1] < 1e-9:
                continue
            nu = (min(prices[at], 1 + mu) + prices[at + 1]) / 2
            # between two prices this window is the cheapest one
            _close(point["errorCost"] + nu * point["abstain"], surface.cost(mu, nu))


def test_cells_against_python(answers):
    seen = 0
    for about, surface, mu, nu, found in _priced(answers):
        inside = 0 < mu < 1 and 0 < nu < 1 and about["prevalence"] not in (0.0, 1.0)
        if not inside or len(surface.shares) > 40:
            continue
        cells, window = surface.cells(), surface.window(mu, nu)
        at = (cells.lower == window.lower) & (cells.upper == window.upper)
        x, y = np.array(found["cell"]).reshape(-1, 2).T
        area = abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
        _close(area, cells.area[at].sum())
        seen += area > 0
    assert seen > 50


# ---------------------------------------------------------------- several models


def test_maps_against_python(answers):
    for about, answer in answers["pair"]:
        surfaces = [abstention_surface(one, prevalence=about["prevalence"]) for one in about["counts"]]
        grids = [surface.grid(20) for surface in surfaces]
        first, maps = grids[0], answer["maps"]
        _close(maps["cost"], first.cost.T.ravel().tolist())
        _close(maps["abstention"], first.abstention_rate.T.ravel().tolist())
        assert maps["lower"] == first.lower.T.ravel().tolist()
        assert maps["upper"] == first.upper.T.ravel().tolist()
        _close(maps["difference"], (first.cost - grids[1].cost).T.ravel().tolist())
        costs = np.array([grid.cost.T.ravel() for grid in grids])
        tied = (costs <= costs.min(axis=0) + 1e-12).sum(axis=0) > 1
        assert maps["winner"] == np.where(tied, -1, costs.argmin(axis=0)).tolist()
        assert {0, 1, -1} <= set(maps["winner"])


def test_boxes_against_brute_force(answers):
    for about, answer in answers["pair"]:
        surfaces = [abstention_surface(one, prevalence=about["prevalence"]) for one in about["counts"]]
        mu, nu = (np.linspace(*about["box"][name], 41) for name in ("mu", "nu"))
        x, y = np.meshgrid(mu, nu)
        best = np.min([surface.cost(x, y) for surface in surfaces], axis=0)
        for box in answer["boxes"]:
            window = box["window"]
            cost = window["fn"] + x * window["fp"] + y * window["abstain"]
            _close(box["worst"], cost.max())
            _close(box["mean"], cost.mean())
            _close(box["regret"], (cost - best).max())
        assert max(box["regret"] for box in answer["boxes"]) > 0.01


# ---------------------------------------------------------------- words and files


def _own_window(about, answer):
    counts = about["counts"][answer["model"]]
    surface = abstention_surface(counts, prevalence=about["prevalence"])
    return counts, surface.window(costs=about["costs"])


def test_chosen_model_is_the_cheapest(answers):
    for about, answer in answers["page"]:
        costs = [
            abstention_surface(one, prevalence=about["prevalence"]).window(costs=about["costs"]).cost
            for one in about["counts"].values()
        ]
        assert answer["model"] == list(about["counts"])[int(np.argmin(np.round(costs, 12)))]


def _write_csv(folder, about):
    import csv

    source = about["report"]["source"]
    columns = {source["label"]: np.where(about["y"], source["positive"], source["negative"]).tolist()}
    columns |= {name: column.tolist() for name, column in about["scores"].items()}
    if about["weights"] is not None:
        columns[source["weight"]] = about["weights"].tolist()
    with open(folder / source["name"], "w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def test_copied_python_gives_the_same_window(answers, tmp_path, monkeypatch, capsys):
    if not hasattr(demur, "read_counts"):
        pytest.skip("needs demur.read_counts")
    monkeypatch.chdir(tmp_path)
    for about, answer in answers["page"]:
        _write_csv(tmp_path, about)
        names = {}
        exec(answer["python"], names)
        window = names["window"]
        assert "Window(" in capsys.readouterr().out
        if about["most"] == 1:
            _same_window(answer["window"], window)
        else:
            # the limit may cut a block, which the page cannot
            assert window.cost <= answer["window"]["cost"] + 1e-12
            assert window.abstention_rate <= about["most"]


def test_copied_command_writes_the_same_window(answers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for about, answer in answers["page"]:
        _write_csv(tmp_path, about)
        words = shlex.split(answer["command"])
        assert words[:2] == ["demur", "decide"]
        if about["report"]["source"]["positive"] == "abstain":
            words += ["--abstain-label", "undecided"]
        with pytest.raises(SystemExit) as ended:
            main(words[1:])
        assert ended.value.code == 0
        policy = Policy.load("policy.json")
        assert policy.model == answer["model"]
        if about["most"] == 1:
            assert (policy.lower, policy.upper) == (answer["window"]["lower"], answer["window"]["upper"])
        _close(policy.prevalence, about["prevalence"] or policy.evidence.prevalence)


def test_downloaded_policy_is_loaded_by_python(answers, tmp_path):
    for about, answer in answers["page"]:
        assert answer["why"] is None
        path = tmp_path / "policy.json"
        path.write_text(answer["policy"], encoding="utf-8")
        policy = Policy.load(path)
        counts, window = _own_window(about, answer)
        assert policy.evidence.digest == PolicyEvidence.from_counts(counts).digest
        assert policy.costs.to_dict() == about["costs"].to_dict()
        if about["most"] < 1:
            assert policy.rule == "constrained"
            with pytest.raises(UndefinedError):
                policy.at(prevalence=0.5)
            continue
        made = Policy.from_window(
            window,
            counts,
            costs=about["costs"],
            pos_label=policy.pos_label,
            neg_label=policy.neg_label,
            abstain_label=policy.abstain_label,
            model=answer["model"],
        )
        ours, theirs = policy.to_dict(), made.to_dict()
        _close(list(ours.pop("expected").values()), list(theirs.pop("expected").values()))
        _close(ours.pop("prevalence"), theirs.pop("prevalence"))
        for side in (ours, theirs):
            side["evidence"].pop("software")
        assert ours == theirs
        other = replace(about["costs"], cost_fp=about["costs"].cost_fp / 3)
        expected = abstention_surface(counts, prevalence=0.3).window(costs=other)
        found = policy.at(costs=other, prevalence=0.3)
        assert (found.lower, found.upper) == (expected.lower, expected.upper)


def test_policy_labels_are_those_of_the_command(answers):
    found = [tuple(json.loads(answer["policy"])["labels"].values()) for _, answer in answers["page"]]
    assert found == [
        (1, 0, -1),
        (1, 0, -1),
        ("yes", "it's no", "abstain"),
        (-1, 1, 0),
        ("abstain", "go", "undecided"),
        (1, 0, -1),
    ]


def test_url_restores_the_state(answers):
    for about, answer in answers["page"]:
        assert answer["restored"] == about["state"]
        assert all(ord(letter) < 128 and letter not in ' #<>"' for letter in answer["fragment"])
    assert answers["page"][0][1]["fragment"] == ""


def test_headline_is_that_of_the_report(answers):
    if not hasattr(demur, "Report"):
        pytest.skip("needs demur.Report")
    for about, answer in answers["page"][::2]:
        report = demur.Report.from_counts(
            about["counts"],
            costs=about["costs"],
            prevalence=about["prevalence"],
            confidence_level=LEVEL,
        )
        assert answer["headline"] == report.headline


def test_odd_states_have_sentences(answers):
    for _, answer in answers["page"]:
        assert "a b ranks worse than chance (AUC 0.250); flip its scores?" in answer["remarks"]
    said = [
        "Abstaining is never worth it at these prices." in answer["remarks"] for _, answer in answers["page"]
    ]
    # where abstaining has no price it is no option, and nothing needs to be said
    assert said == [False, False, False, False, False, True]


def test_numbers_read_like_python(answers):
    asked, found = answers["numbers"]
    values = asked["values"]
    assert found["general"] == [f"{value:g}" for value in values]
    assert found["percent"] == [percent(math.fmod(abs(value), 1)) for value in values]
    assert found["threshold"] == [threshold(value) for value in values]
    assert found["roundEven"] == [round(value) for value in values]
    expected = [-float(ndtri((1 - level) / 2)) for level in asked["levels"]]
    assert found["quantiles"] == pytest.approx(expected, rel=1e-14, abs=1e-16)
