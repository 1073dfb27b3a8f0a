"""Arguments for any public function, mostly sensible, some hostile: what `make fuzz` calls them with.

Values are chosen by the name of the argument; an argument without an entry gets hostile values only, so
that a new function is attacked as soon as it is public.
"""

import copy
import inspect
import math

import numpy as np
from hypothesis import strategies as st

import demur
from public_surface import FUNCTIONS

HOSTILE_NUMBERS = [
    math.nan,
    math.inf,
    -math.inf,
    -1,
    0,
    1,
    2,
    0.5,
    1e-320,
    1e300,
    -0.0,
    10**400,
    True,
    "0.5",
    None,
    [],
]
HOSTILE_ARRAYS = [
    [],
    [[]],
    None,
    "text",
    3.5,
    [None, None],
    ["a", "b"],
    [math.nan] * 4,
    [1j, 2j],
    [[1, 2], [3]],
    np.ma.masked_array([0.0, 1.0], [True, False]),
    np.array(["NaT", "2020-01-01"], "M8[D]"),
    [10**400, 1],
    [True, False],
    {"a": 1},
    np.zeros((0, 3)),
    np.zeros((2, 2, 2)),
    [b"x", b"y"],
    iter([1, 2]),
]
SCORES = [-math.inf, -1e300, -1.0, -1e-320, -0.0, 0.0, 0.25, 0.5, 0.5, 0.75, 1.0, 1.5, 1e300, math.inf]
_UNIT = [0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0]


@st.composite
def worlds(draw):
    """One set of cases, from which all arguments of a call are taken."""
    n = draw(st.integers(1, 24))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    hard = draw(st.booleans())

    def scores():
        return rng.choice(SCORES, n) if hard else rng.normal(size=n).round(int(rng.integers(0, 4)))

    levels = draw(st.integers(2, 4))
    proba = rng.dirichlet(np.full(levels, 0.5), n)
    return {
        "rng": rng,
        "n": n,
        "levels": levels,
        "y": rng.integers(0, 2, n),
        "classes": rng.integers(0, levels, n),
        "a": scores(),
        "b": scores(),
        "unit": rng.choice(_UNIT, n),
        "proba": proba,
        "weights": rng.choice([0.0, 0.5, 1.0, 2.0, 1e-9], n),
        "groups": rng.integers(0, 3, n),
    }


def _costs(world):
    rng = world["rng"]
    miss, alarm, review = rng.choice([0.0, 0.1, 1.0, 5.0, 1e6, 1e-9], 3)
    options = [
        lambda: demur.CostModel(cost_fn=miss, cost_fp=alarm, cost_abstain=review),
        lambda: demur.CostModel(cost_fn=miss, cost_fp=alarm),
        lambda: demur.CostRange(cost_fn=(miss, miss + 1), cost_fp=alarm, cost_abstain=review),
        lambda: demur.CaseCosts(cost_fn=np.abs(world["a"]), cost_fp=alarm, cost_abstain=review),
    ]
    return options[rng.integers(len(options))]()


def _matrix(world):
    m = world["levels"]
    return demur.CostMatrix(
        values=world["rng"].integers(0, 5, (m, m)) * (1 - np.eye(m)), classes=tuple(range(m))
    )


def _precision(world):
    return demur.roc.Precision(value=float(world["rng"].choice(_UNIT)))


def _number(*values):
    return lambda world: values[world["rng"].integers(len(values))]


def _of(key):
    return lambda world: world[key]


def _two(world):
    return {"a": world["a"], "b": world["b"]}


def _confusion(world):
    return demur.cautious_confusion(world["classes"], np.where(world["unit"] > 0.5, world["classes"], -1))


_SHARE = _number(*_UNIT)
_SIZE = _number(1, 2, 5, 40)
TYPICAL = {
    "y_true": _of("y"),
    "y_score": _of("a"),
    "score_a": _of("a"),
    "score_b": _of("b"),
    "y": _of("y"),
    "scores": _two,
    "sample_weight": _of("weights"),
    "groups": _of("groups"),
    "proba": _of("proba"),
    "y_pred": _of("y"),
    "y_pred_a": _of("y"),
    "y_pred_b": _of("groups"),
    "pred_a": _of("a"),
    "pred_b": _of("b"),
    "decision_a": _of("y"),
    "decision_b": _of("groups"),
    "loss": _of("unit"),
    "confidence": _of("b"),
    "log_scores": lambda w: np.log(w["proba"] + 1e-12),
    "labels": _of("classes"),
    "first": _of("a"),
    "second": _of("b"),
    "counts": lambda w: demur.ScoreCounts.from_arrays(w["y"], w["a"]),
    "evidence": lambda w: [w["y"], w["a"], w["y"], w["b"]],
    "costs": _costs,
    "positive": _precision,
    "negative": _precision,
    "curves": lambda w: [demur.cost_curve(w["y"], w["a"]), demur.cost_curve(w["y"], w["b"])],
    "curve": lambda w: demur.rec_curve(w["a"], w["b"]),
    "confusions": _confusion,
    "confusion": _confusion,
    "window": lambda w: tuple(sorted(w["rng"].choice(SCORES, 2).tolist())),
    "reviewers": lambda w: {"nurse": demur.Reviewer(fee=1, sensitivity=0.9, specificity=0.8)},
    "contrast": _number([1, -1], [[1, -1]], [0, 0], [1]),
    "question": lambda w: None,
    "policy": lambda w: demur.Policy.from_surface(demur.abstention_surface(w["y"], w["a"]), costs=_costs(w)),
    "fpr": _SHARE,
    "tpr": _SHARE,
    "fnr": _SHARE,
    "pc": _SHARE,
    "alpha": _SHARE,
    "prevalence": _SHARE,
    "target_prevalence": _SHARE,
    "auc": _SHARE,
    "null_auc": _SHARE,
    "other_auc": _SHARE,
    "power": _SHARE,
    "significance_level": _number(0.01, 0.05, 0.5),
    "confidence_level": _number(0.5, 0.9, 0.95, 0.999),
    "max_abstention": _SHARE,
    "min_precision_positive": _SHARE,
    "min_precision_negative": _SHARE,
    "max_fn_rate": _SHARE,
    "precision_confidence": _number(0.9, 0.99),
    "sensitivity": _SHARE,
    "specificity": _SHARE,
    "min_fpr": _SHARE,
    "max_fpr": _SHARE,
    "min_tpr": _SHARE,
    "max_tpr": _SHARE,
    "threshold_probability": _SHARE,
    "correlation": _SHARE,
    "value": _SHARE,
    "values": _number([0.2, 0.5], [1.0]),
    "delta": _number(0.01, 0.5),
    "difference": _SHARE,
    "variance": _number(0.01, 1.0, "delong", "exact"),
    "times": _number(0.5, 2.0),
    "threshold": _SHARE,
    "margin": _number(0.01, 0.1, 1.0),
    "b": _SIZE,
    "c": _SIZE,
    "m": _number(0.0, 2.0),
    "mu": _number(0.0, 0.3, 1.0, 4.0),
    "nu": _number(0.0, 0.1, 0.5, 2.0),
    "nu_negative": _number(0.1, 0.5),
    "cost_fn": _number(0.0, 1.0, 50.0),
    "cost_fp": _number(0.0, 1.0, 50.0),
    "cost_abstain": _number(0.0, 1.0),
    "cost_abstain_positive": _number(0.0, 1.0),
    "cost_abstain_negative": _number(0.0, 1.0),
    "cost_tp": _number(0.0, -1.0),
    "cost_tn": _number(0.0, 1.0),
    "abstain_cost": _number(0.0, 0.3, [0.1, 0.2]),
    "slope": _number(-1.0, 0.5),
    "intercept": _number(0.0, 0.5),
    "skew": _number(0.2, 1.0, 5.0),
    "index": _SHARE,
    "point_a": _number((0, 0), (0.2, 0.3)),
    "point_b": _number((0, 0), (0.5, 0.9)),
    "tolerance": _number(0.0, 1e-6, 0.1),
    "max_tolerance": _number(0.5, 2.0),
    "smallest": _number(1, 3),
    "n": _number(1, 20, 60),
    "n_positive": _SIZE,
    "n_negative": _SIZE,
    "folds": _number(2, 3),
    "repeats": _number(1, 2),
    "n_resamples": _number(1, 20),
    "n_restarts": _number(1, 2),
    "workers": _number(1, 2),
    "rng": _number(0, 7, None),
    "seed": _number(0, 7),
    "bins": _number(1, 5, 16),
    "resolution": _number(2, 5),
    "levels": _number([0.5], [0.2, 0.8]),
    "time_limit": _number(1.0),
    "means": _number([0.0, 1.0], [0.0, 1.0, 2.0]),
    "sds": _number(1.0, [1.0, 2.0, 1.0]),
    "level_counts": _number((2, 3), (1, 1, 1)),
    "n_rankings": _number(5),
    "n_levels": _number((2, 3)),
    "distances": _number([0.0, 1.0]),
    "n_per_level": _number(5),
    "n_runs": _number(1),
    "horizon": _number(1, 2),
    "block_length": _number(1, 3),
    "step_cost": _number(1.0),
    "y_train": _of("a"),
    "constant": _SHARE,
    "bandwidth": _number(0.1, 1.0),
    "thresholds": _number([0.2, 0.5]),
    "priors": _number([0.5, 0.5]),
    "negatives_per_positive": _number(0.5, 3.0),
    "df": _number(3.0),
    "kind": _number("oscillation", "mackey-glass"),
    "metric": _number("precision", "accuracy", "f-measure"),
    "side": _number("positive", "negative"),
    "source": lambda w: {"y": w["y"], "a": w["a"], "b": w["b"], "w": w["weights"]},
    "pos_label": _number(1, 0, "yes"),
    "weights": _number("importance", "repeats"),
    "path": _number("nowhere.csv"),
    "tau": _number(17),
    "beta": _SHARE,
    "gamma": _SHARE,
    "dt": _number(0.1, 1.0),
    "sample": _number(1.0),
    "x0": _SHARE,
    "discard": _number(0, 5),
    "objective": _number("regret", "worst", "expected"),
    "exchange": _number(True, False),
}

SUBPACKAGE = {
    "ordinal": {"y_true": _of("classes"), "y_score": _of("a"), "scores": _two},
    "multiclass": {
        "y_true": _of("classes"),
        "scores": _of("proba"),
        "costs": _matrix,
        "counts": _number([1, 2], [3, 0]),
    },
    "cautious": {
        "y_true": _of("classes"),
        "y_pred": _of("classes"),
        "curves": lambda w: [demur.response_curve(w["y"], w["a"])],
    },
    "regression": {
        "y_true": _of("a"),
        "y_pred": _of("b"),
        "loss": _number("absolute", "squared"),
        "losses": _of("unit"),
        "errors": _of("unit"),
        "spread": _of("b"),
        "cost_review": _number(0.0, 0.3, 2.0),
        "tolerances": _number([0.0, 0.5], None),
        "prices": _number([0.1, 1.0], None),
    },
    "unlabelled": {"proba": _of("unit")},
    "engines": {
        "y_true": _number("y"),
        "scores": _number("a", ["a", "b"]),
        "weights": _number("w"),
        "cost_fn": _number("w", 1.0),
    },
}
"""Arguments that mean something else in one subpackage."""

OWN = {
    "demur.read_counts": SUBPACKAGE["engines"],
    "demur.ordinal_roc": SUBPACKAGE["ordinal"],
    "demur.rec_curve": SUBPACKAGE["regression"],
    "demur.optimize_weights": SUBPACKAGE["multiclass"],
    "demur.hand_till_auc": SUBPACKAGE["multiclass"],
    "demur.cautious_confusion": SUBPACKAGE["cautious"],
    "demur.decide": {"scores": _of("a")},
    "demur.monitoring.judge_policy": {"table": _of("a"), "labels": _of("y"), "costs": _number(None)},
    "demur.ordinal.vus_unpaired_test": {
        "first": lambda w: demur.ordinal_roc(w["classes"], w["a"]),
        "second": lambda w: demur.ordinal_roc(w["classes"], w["b"]),
    },
    "demur.auc.pilot_study": {"variance": _number(0.01, 1.0)},
    "demur.unlabelled.unlabelled_decision": {"proba": _of("unit")},
}

EXEMPT = {
    "demur.mlflow.log_answer": "writes to a server (tests/mlflow)",
    "demur.estimators.mimetic_costs": "fits trees to an oracle (tests/estimators)",
    "demur.estimators.mimetic_configurations": "takes no data",
    "demur.estimators.stack_forecasters": "fits estimators (tests/estimators)",
    "demur.unlabelled.invented_cases": "asks an estimator (tests/unlabelled)",
    "demur.scoring.make_abstention_scorer": "wraps a function (tests/scoring)",
    "demur.engines.read_cost_matrix": "files are tried on their own",
}

SIZES = {"workers", "time_limit", "n_resamples", "n", "n_rankings", "n_runs", "evidence"}
"""Never hostile: how much to compute, and arguments without a name."""


def typical(function, name, world):
    """Return a sensible value of an argument; KeyError if nobody said what that is."""
    subpackage = function.split(".")[1]
    for table in (OWN.get(function, {}), SUBPACKAGE.get(subpackage, {}), TYPICAL):
        if name in table:
            return table[name](world)
    raise KeyError(name)


def required(function):
    """Names of the arguments a function cannot do without; scores come with labels."""
    parameters = inspect.signature(FUNCTIONS[function]).parameters
    names = [name for name, one in parameters.items() if one.default is one.empty]
    partners = [
        name for name in ("y_score", "score_a", "score_b") if name in parameters and "y_true" in parameters
    ]
    return list(dict.fromkeys([*names, *partners]))


def optional(function):
    """Names of the other arguments that have an entry."""
    parameters = inspect.signature(FUNCTIONS[function]).parameters
    left = [name for name in parameters if name not in required(function)]
    subpackage = function.split(".")[1]
    known = {**TYPICAL, **SUBPACKAGE.get(subpackage, {}), **OWN.get(function, {})}
    return [name for name in left if name in known]


@st.composite
def calls(draw, function):
    """Draw the arguments of a call: sensible ones, up to two of them replaced by hostile ones."""
    world = draw(worlds())
    chosen = required(function)
    others = optional(function)
    if others:
        chosen = chosen + draw(st.lists(st.sampled_from(others), max_size=3, unique=True))
    arguments = {}
    for name in chosen:
        try:
            arguments[name] = typical(function, name, world)
        except KeyError:
            arguments[name] = draw(st.sampled_from([*HOSTILE_NUMBERS, *HOSTILE_ARRAYS]))
        except demur.InputError:
            arguments[name] = None
    targets = sorted(set(chosen) - SIZES)
    hostile = draw(st.lists(st.sampled_from(targets), max_size=2)) if targets else []
    for name in hostile if draw(st.booleans()) else []:
        pool = HOSTILE_ARRAYS if isinstance(arguments[name], (np.ndarray, list, dict)) else HOSTILE_NUMBERS
        arguments[name] = draw(st.sampled_from(pool))
    return arguments


# ---------------------------------------------------------------- files and documents


@st.composite
def damages(draw, size):
    """Draw what happens to the bytes of a file: some changed, cut out, repeated or put in."""
    steps = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["flip", "cut", "repeat", "insert", "end"]),
                st.integers(0, size - 1),
                st.integers(1, 64),
                st.binary(min_size=1, max_size=8),
            ),
            min_size=1,
            max_size=3,
        )
    )

    def damage(content):
        data = bytearray(content)
        for kind, at, length, extra in steps:
            if kind == "flip":
                for place in range(at, min(at + len(extra), len(data))):
                    data[place] ^= extra[place - at]
            elif kind == "cut":
                del data[at : at + length]
            elif kind == "repeat":
                data[at:at] = data[at : at + length]
            elif kind == "insert":
                data[at:at] = extra
            else:
                del data[at:]
        return bytes(data)

    return damage


_ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.lists(st.floats(), max_size=3),
    st.just("inf"),
    st.just(10**400),
)


@st.composite
def changed_documents(draw, document):
    """Draw a document of which one or two parts are something else, or gone."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 2))):
        parts = list(_places(changed))
        holder, key = parts[draw(st.integers(0, len(parts) - 1))]
        if draw(st.booleans()):
            holder[key] = draw(_ANYTHING)
        else:
            del holder[key]
    return changed


def _places(value):
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])
