"""Which columns become models: what is left out and why, what --exclude and --model change."""

import numpy as np
import pytest

from command_line import Y, table_file

RNG = np.random.default_rng(3)
P = RNG.random(12).round(3).tolist()
AMOUNT = [120.5, 80, 95, 20, 3000, 410, 75, 88, 130, 60, 19.99, 240]


def words(answer):
    assert answer.code == 0, answer.err
    return " ".join(answer.err.split())


@pytest.mark.parametrize(
    "name", ["y_pred", "pred", "predicted", "Prediction", "label_pred", "lr_predictions"]
)
def test_predicted_labels_are_no_model(run, tmp_path, name):
    path = table_file(tmp_path, y=Y, p=P, **{name: Y[::-1]})
    text = words(run("compare", path))
    assert f"1 score column (p); left out: {name} (predicted labels)." in text
    assert (
        f"{name} does not look like scores: pass --model to use it as a model, --exclude to confirm." in text
    )
    assert f"2 score columns (p, {name})." in words(run("compare", path, "--model", "p", "--model", name))


def test_predictions_with_many_values_are_scores(run, tmp_path):
    path = table_file(tmp_path, y=Y, prediction=P)
    assert "1 score column (prediction)." in words(run("compare", path))


def test_two_valued_scores_of_another_name_are_a_model(run, tmp_path):
    path = table_file(tmp_path, y=Y, p=P, rule=Y[::-1])
    assert "2 score columns (p, rule)." in words(run("compare", path))


@pytest.mark.parametrize(
    ("other", "kept"),
    [("proba_0", "proba_1"), ("p0", "p1"), ("Prob_0", "prob_1"), ("lr_proba_0", "lr_proba_1")],
)
def test_probabilities_of_the_other_class_are_no_model(run, tmp_path, other, kept):
    path = table_file(tmp_path, y=Y, **{other: [1 - p for p in P], kept: P})
    assert f"1 score column ({kept}); left out: {other} (the other class of {kept})." in words(
        run("compare", path)
    )
    text = words(run("compare", path, "--positive", "0"))
    assert f"1 score column ({other}); left out: {kept} (the other class of {other})." in text


@pytest.mark.parametrize("name", ["proba_0", "p0", "group_0"])
def test_a_number_in_the_name_alone_is_no_reason(run, tmp_path, name):
    path = table_file(tmp_path, y=Y, **{name: P, "group_1": P})
    assert f"2 score columns ({name}, group_1)." in words(run("compare", path))


@pytest.mark.parametrize(
    "name", ["amount", "credit_amount", "unitPrice", "Balance", "fees", "TransactionAmt"]
)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_amounts_are_no_model(run, tmp_path, name, engine):
    path = table_file(tmp_path, y=Y, p=P, **{name: AMOUNT})
    text = words(run("compare", path, "--engine", engine))
    assert f"1 score column (p); left out: {name} (an amount). {name} does not look like scores:" in text


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("cost", P),  # shares
        ("balance", [-0.5, *AMOUNT[1:]]),  # log-odds may be below 0
        ("cost_model", AMOUNT),  # the last word says what it is
        ("discount", AMOUNT),
    ],
)
def test_a_name_like_an_amount_is_not_enough(run, tmp_path, name, values):
    path = table_file(tmp_path, y=Y, p=P, **{name: values})
    assert f"2 score columns (p, {name})." in words(run("compare", path))


def test_several_suspects_are_named_in_one_sentence(run, tmp_path):
    path = table_file(tmp_path, y=Y, y_pred=Y, p=P, amount=AMOUNT)
    text = words(run("check", path))
    assert "left out: y_pred (predicted labels), amount (an amount)." in text
    assert "y_pred and amount do not look like scores: pass --model to use them as models, --exclude" in text
    document = run("compare", path, "--json", "-q").json
    assert document["data"]["left_out"] == ["y_pred (predicted labels)", "amount (an amount)"]


def test_suspects_alone_are_an_error_that_names_the_flag(run, tmp_path):
    path = table_file(tmp_path, y=Y, y_pred=Y, amount=AMOUNT)
    answer = run("compare", path)
    assert answer.code == 2
    assert (
        "has no score column (left out: y_pred (predicted labels), amount (an amount)). Hint: pass --model"
        in answer.err
    )


def test_an_amount_as_a_regression_is_a_model(run, tmp_path):
    path = table_file(tmp_path, y=AMOUNT, price=[value + 1 for value in AMOUNT], y_pred=[7] * 12)
    assert "2 prediction columns (price, y_pred)." in words(run("rec", path))


# ---------------------------------------------------------------- check


@pytest.mark.parametrize(
    ("flags", "hint"),
    [
        ((), "it is no model; --cost-fn amount takes it as the cost of a miss."),
        (("--model", "amount"), "is it a model? If not, pass --exclude amount."),
        (("--weight", "amount"), "a weight says how many cases a row stands for or how much it matters."),
        (("--exclude", "amount"), None),
    ],
)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_check_tells_which_columns_look_like_amounts(run, tmp_path, flags, hint, engine):
    path = table_file(tmp_path, y=Y, p=P, amount=AMOUNT)
    findings = run("check", path, "--json", "--engine", engine, *flags).json["findings"]
    notes = [(each["column"], each["hint"]) for each in findings if each["problem"] == "amounts"]
    assert notes == ([] if hint is None else [("amount", hint)])


# ---------------------------------------------------------------- --exclude


@pytest.mark.parametrize("name", ["compare", "check", "report"])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_excluded_columns_are_no_models(run, tmp_path, name, engine):
    path = table_file(tmp_path, y=Y, p=P, age=AMOUNT, height=AMOUNT)
    text = words(run(name, path, "--exclude", "age", "--exclude", "height", "--engine", engine))
    assert "1 score column (p); left out: age (excluded), height (excluded)." in text


def test_excluded_columns_are_no_models_of_decide_and_rec(run, tmp_path):
    path = table_file(tmp_path, y=Y, p=P, age=P[::-1])
    assert run("decide", path, "--mu", 1, "--exclude", "p", "--anyway").json["model"] == "age"
    answer = run("decide", path, "--no-labels", "--mu", 1, "--exclude", "age", "--json")
    assert answer.json["data"]["model"] == "p"
    assert "1 prediction column (p); left out: age (excluded)." in words(run("rec", path, "--exclude", "age"))


def test_an_excluded_column_is_not_the_label_either(run, tmp_path):
    path = table_file(tmp_path, y=Y, label=Y, p=P)
    assert "label column y," in words(run("compare", path, "--exclude", "label"))


def test_an_excluded_suspect_is_not_mentioned_again(run, tmp_path):
    path = table_file(tmp_path, y=Y, p=P, amount=AMOUNT)
    assert words(run("compare", path, "--exclude", "amount")).endswith("left out: amount (excluded).")


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--exclude", "q"), "has no column 'q'"),
        (("--exclude", "p", "--model", "p"), "`--exclude` names 'p', which is in use"),
        (("--exclude", "y", "--label", "y"), "`--exclude` names 'y', which is in use"),
        (("--exclude", "age", "--weight", "age"), "`--exclude` names 'age', which is in use"),
        (("--exclude", "age", "--group", "age"), "`--exclude` names 'age', which is in use"),
        (("--exclude", "p", "--exclude", "age"), "no score column (left out: p (excluded), age (excluded))"),
    ],
)
def test_columns_that_cannot_be_excluded(run, tmp_path, flags, sentence):
    path = table_file(tmp_path, y=Y, p=P, age=AMOUNT)
    answer = run("compare", path, *flags)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert sentence in answer.err
