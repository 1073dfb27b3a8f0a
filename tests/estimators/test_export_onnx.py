"""A policy as an ONNX model, alone and behind a classifier, run with onnxruntime."""

import builtins
import math

import numpy as np
import onnx
import onnxruntime
import pytest
from skl2onnx import to_onnx
from skl2onnx.common.data_types import DoubleTensorType
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from demur import ABSTAIN, InputError
from export_cases import LABELS, WINDOWS, hard_scores, policy


def session_of(model):
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def decided_by(model, scores):
    return session_of(model).run(["decision"], {"score": np.asarray(scores, dtype=np.float64)})[0]


@pytest.fixture(scope="module")
def classifier():
    X, y = make_classification(n_samples=400, random_state=0)
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y), X


# ---------------------------------------------------------------- alone


def test_decisions_by_hand():
    made = policy((0.25, 0.5), pos_label="ill", neg_label="well", abstain_label="ask")
    scores = [0.5, 0.25, 0.3, math.inf, -math.inf, math.nan]
    assert decided_by(made.to_onnx(), scores).tolist() == ["ill", "well", "ask", "ill", "well", "ask"]


@pytest.mark.parametrize("labels", LABELS, ids=["whole", "text", "number"])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_hard_scores_against_decide(window, labels):
    made, scores = policy(window, **labels), hard_scores()
    found = decided_by(made.to_onnx(), np.append(scores, math.nan)).tolist()
    # ONNX has no missing labels: NaN abstains
    assert found == [*made.apply(scores).tolist(), made.abstain_label]


def test_a_million_scores_against_decide():
    made = policy(WINDOWS[0], pos_label="ill", neg_label="well", abstain_label="ask")
    scores = hard_scores([WINDOWS[0]], rows=1_000_000)
    assert np.array_equal(decided_by(made.to_onnx(), scores), made.apply(scores))


def test_model_says_where_it_comes_from_and_checks():
    made = policy()
    model = made.to_onnx()
    onnx.checker.check_model(model, full_check=True)
    facts = {entry.key: entry.value for entry in model.metadata_props}
    assert facts["demur.data"] == made.evidence.digest
    assert "cost_fn 100" in model.doc_string
    (entry,) = session_of(model).get_inputs()
    assert (entry.name, entry.type, entry.shape) == ("score", "tensor(double)", ["n"])


# ---------------------------------------------------------------- behind a classifier


def test_behind_a_classifier_of_64_bits_against_decide(classifier):
    estimator, X = classifier
    kind = [("X", DoubleTensorType([None, X.shape[1]]))]
    converted = to_onnx(estimator, initial_types=kind, options={"zipmap": False})
    made = policy((0.2, 0.8), pos_label=1, neg_label=0)
    decision, score = session_of(made.to_onnx(converted)).run(["decision", "score"], {"X": X})
    assert np.allclose(score, estimator.predict_proba(X)[:, 1], rtol=1e-12)
    assert np.array_equal(decision, made.decide(score))
    assert set(decision.tolist()) == {1, 0, ABSTAIN}


@pytest.mark.parametrize(("labels", "column"), [(("a", "b"), 1), (("b", "a"), 0)])
def test_column_of_the_positive_class(classifier, labels, column):
    estimator, X = classifier
    single = X.astype(np.float32)
    converted = to_onnx(estimator, single[:1], options={"zipmap": False})
    before = converted.SerializeToString()
    made = policy((0.2, 0.8), pos_label=labels[1], neg_label=labels[0], abstain_label="?")
    decision, score = session_of(made.to_onnx(converted)).run(None, {"X": single})
    proba = session_of(converted).run(["probabilities"], {"X": single})[0]
    assert np.array_equal(score, proba[:, column].astype(np.float64))
    assert decision.tolist() == made.apply(score).tolist()
    assert converted.SerializeToString() == before, "the user's model stays as it is"
    other = session_of(made.to_onnx(converted, output="probabilities", column=1 - column))
    assert np.array_equal(other.run(["score"], {"X": single})[0], proba[:, 1 - column].astype(np.float64))


@pytest.mark.parametrize("shape", [["n"], ["n", 1]])
def test_behind_a_model_with_one_column_of_scores(shape):
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    names = [helper.make_tensor_value_info(name, kind, shape) for name in ("raw", "upper")]
    graph = helper.make_graph([helper.make_node("Neg", ["raw"], ["upper"])], "neg", [names[0]], [names[1]])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    made = policy()
    scores = np.array([-0.9, -0.5, -0.1], dtype=np.float32).reshape([-1, 1][: len(shape)])
    found = session_of(made.to_onnx(model)).run(["decision"], {"raw": scores})[0]
    assert found.tolist() == [1, ABSTAIN, 0]


def test_refusals(classifier, monkeypatch):
    estimator, X = classifier
    made = policy()
    with pytest.raises(InputError, match=r"`model` must be an onnx\.ModelProto, got Pipeline"):
        made.to_onnx(estimator)
    with pytest.raises(InputError, match="'zipmap': False"):
        made.to_onnx(to_onnx(estimator, X[:1]))
    plain = to_onnx(estimator, X[:1], options={"zipmap": False})
    with pytest.raises(InputError, match="`output` must be one of label, probabilities, got 'proba'"):
        made.to_onnx(plain, output="proba")
    with pytest.raises(InputError, match="`output` and `column` need `model`"):
        made.to_onnx(column=1)
    old = onnx.ModelProto.FromString(plain.SerializeToString())
    for opset in old.opset_import:
        opset.version = min(opset.version, 9)
    with pytest.raises(InputError, match="since version 12, got 9"):
        made.to_onnx(old)
    with pytest.raises(InputError, match="must leave the names score, decision"):
        made.to_onnx(made.to_onnx(plain))
    with pytest.raises(InputError, match="must be text that other systems"):
        policy(pos_label="a\0", neg_label="b", abstain_label="c").to_onnx()
    imported = builtins.__import__

    def without_onnx(name, *args, **kwargs):
        if name.partition(".")[0] == "onnx":
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_onnx)
    with pytest.raises(InputError, match=r"pip install 'demur\[onnx\]'"):
        made.to_onnx()


def test_three_columns_need_a_word(classifier):
    X, y = make_classification(n_samples=300, n_classes=3, n_informative=4, random_state=0)
    estimator = LogisticRegression(max_iter=500).fit(X, y)
    converted = to_onnx(estimator, X[:1].astype(np.float32), options={"zipmap": False})
    with pytest.raises(InputError, match="`column` is needed for an output of n x 3"):
        policy().to_onnx(converted)
    single = X.astype(np.float32)
    score = session_of(policy().to_onnx(converted, column=2)).run(["score"], {"X": single})[0]
    assert np.allclose(score, estimator.predict_proba(X)[:, 2], atol=1e-5)
