"""Answers in a real local store of MLflow: numbers, files, and a model that decides like the policy."""

import html
import json
import logging

import numpy as np
import pandas as pd
import pytest

from demur import Binormal, CostMatrix, CostModel, InputError, Policy, Report, compare_models
from demur.mlflow import log_answer
from demur.mlflow.model import PolicyModel

# MLflow warns about type hints of its own while it is imported
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
LABELS = np.array(["well", "ill"])


@pytest.fixture(scope="module", autouse=True)
def _one_split():
    """One split into folds instead of ten: the same road, quicker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("demur.honest.splits._MOST_REPEATS", 1)
        yield


@pytest.fixture(scope="module")
def report():
    y, s = Binormal(separation=2.0).sample(200, rng=0)
    return Report.from_predictions(LABELS[y.astype(int)], {"risk": s}, costs=COSTS, pos_label="ill")


@pytest.fixture(scope="module")
def answer(report):
    return report.comparison.answer


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("GIT_PYTHON_REFRESH", "quiet")
    import mlflow

    # reads the metadata of every installed package to warn about versions: a second
    for module in ("utils.environment", "pyfunc"):
        name = f"mlflow.{module}.warn_dependency_requirement_mismatches"
        monkeypatch.setattr(name, lambda *_: None)
    logging.getLogger("mlflow").setLevel(logging.ERROR)
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri((tmp_path / "store").as_uri())
    yield mlflow
    mlflow.set_tracking_uri(before)


def test_everything_of_an_answer_comes_back_from_the_store(answer, report, store):
    y, s = Binormal(separation=2.0).sample(200, rng=1)
    trivial = compare_models(y, {"noise": np.zeros(200)}, costs=COSTS).answer
    with store.start_run() as run:
        address = log_answer(answer, report=report)
        assert log_answer(trivial, prefix="noise.") is None
    logged = store.get_run(run.info.run_id).data
    low, high = answer.interval
    expected = {"cost": answer.cost, "cost_low": low, "cost_high": high, "missed": answer.missed}
    assert expected.items() <= logged.metrics.items()
    assert logged.metrics["versus_trivial"] == answer.versus["trivial"].difference
    assert logged.metrics["noise.cost"] == trivial.cost
    assert float(logged.params["lower"]) == answer.lower
    assert (logged.params["kind"], logged.params["model"]) == ("window", "risk")
    assert (logged.params["noise.kind"], "noise.model" in logged.params) == (trivial.kind, False)
    assert float(logged.params["cost_fn"]) == 100
    folder = run.info.artifact_uri

    def text(name):
        return store.artifacts.load_text(f"{folder}/{name}")

    assert json.loads(text("answer.json")) == answer.to_dict()
    assert text("answer.txt") == answer.words
    assert text("report.html") == report.to_html()
    assert trivial.words in html.unescape(text("noise.report.html"))
    policy = Policy.from_answer(answer)
    assert Policy.from_dict(json.loads(text("policy.json"))).to_dict() == policy.to_dict()

    model = store.pyfunc.load_model(address)
    scores = np.concatenate([s, [answer.lower, answer.upper, np.inf, -np.inf]])
    frame = pd.DataFrame({"other": 1.0, "risk": scores})
    np.testing.assert_array_equal(model.predict(frame), policy.apply(scores))
    assert model.predict(pd.DataFrame({"risk": [np.nan]})).tolist() == ["abstain"]


def test_many_classes_come_back_too(store):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    proba = rng.dirichlet([1, 1, 1], 60) + 2 * np.eye(3)[y]
    proba /= proba.sum(axis=1, keepdims=True)
    costs = {a: {b: 0 if a == b else 4 for b in "xyz"} for a in "xyz"}
    names = np.array(list("xyz"))[y]
    answer = compare_models(
        names, {"risk": proba}, classes=list("xyz"), costs=CostMatrix.from_mapping(costs), abstain_cost=1
    ).answer
    with store.start_run() as run:
        address = log_answer(answer)
    logged = store.get_run(run.info.run_id).data
    assert logged.metrics["cost"] == answer.cost
    assert logged.metrics["error_rate"] == answer.error_rate
    assert list(json.loads(logged.params["weights"]).values()) == answer.rule.weights.tolist()
    policy = Policy.from_answer(answer)
    frame = pd.DataFrame(proba, columns=list("xyz"))
    labels = store.pyfunc.load_model(address).predict(frame)
    np.testing.assert_array_equal(labels, policy.apply(proba))
    frame.loc[0, "y"] = np.nan
    assert PolicyModel(policy).predict(frame)[0] == "abstain"
    with pytest.raises(InputError, match="must have 3 columns, got shape"):
        PolicyModel(policy).predict([0.1, 0.9])


@pytest.mark.parametrize(
    "scores",
    [[-9.0, np.nan, 9.0], np.array([[-9.0], [np.nan], [9.0]]), pd.DataFrame({"risk": [-9, None, 9]})],
)
def test_model_decides_scores_frames_and_columns_alike(answer, scores):
    model = PolicyModel(Policy.from_answer(answer))
    assert model.predict(scores).tolist() == ["well", "abstain", "ill"]


def test_what_is_refused(answer):
    with pytest.raises(InputError, match="must have the column 'risk', got the columns \\['score'\\]"):
        PolicyModel(Policy.from_answer(answer)).predict(pd.DataFrame({"score": [1.0]}))
    with pytest.raises(InputError, match="`answer` must be an Answer"):
        log_answer("always positive")
    with pytest.raises(InputError, match="`report` must be a Report"):
        log_answer(answer, report="page.html")


def test_missing_package_is_named(answer, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mlflow", None)
    with pytest.raises(InputError, match=r"pip install 'demur\[mlflow\]'"):
        log_answer(answer)
