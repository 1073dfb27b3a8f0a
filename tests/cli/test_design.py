"""Cases that are not independent, that happened one after another, or are too few: --cluster, --time, proof.

Also P(positive) as it was counted: --prevalence 26/2000.
"""

import json
import re
from types import MappingProxyType

import numpy as np
import pytest

import demur
from command_line import table_file
from comparison_oracles import flat_numbers
from demur import CaseCosts, CostMatrix, CostModel, Prevalence, compare_models

PATIENTS, VISITS = 60, 5
N = PATIENTS * VISITS
PRICES = ("--cost-fn", 10, "--cost-fp", 5, "--cost-abstain", 1.5)
COSTS = CostModel(cost_fn=10, cost_fp=5, cost_abstain=1.5)
CLASSES = ("a", "b", "c")
MATRIX = ((0, 1, 4), (3, 0, 2), (8, 6, 0))
BOTH = ("--cluster", "patient_id", "--time", "day")
DESIGNS = {
    "cluster": ((*BOTH[:2], "--exclude", "day"), ("groups",)),
    "time": ((*BOTH[2:], "--exclude", "patient_id"), ("time",)),
    "both": (BOTH, ("groups", "time")),
}


def _sample():
    """Visits of patients: label and score depend on the patient, days are in any order."""
    rng = np.random.default_rng(1)
    patient = np.repeat(np.arange(PATIENTS), VISITS)
    ill = rng.random(PATIENTS) < 0.4
    y = (ill[patient] ^ (rng.random(N) < 0.1)).astype(int)
    good = 1.6 * y + 0.7 * rng.normal(size=PATIENTS)[patient] + 0.7 * rng.normal(size=N)
    poor = 0.8 * y + rng.normal(size=N)
    return {
        "patient_id": np.array([f"p{k:02d}" for k in patient]),
        "day": np.datetime64("2025-01-01") + rng.permutation(N),
        "y": y,
        "good": good.round(3),
        "poor": poor.round(3),
        "amount": rng.lognormal(3, 0.5, N).round(2),
    }


SAMPLE = MappingProxyType(_sample())
Y, SCORES = SAMPLE["y"], {name: SAMPLE[name] for name in ("good", "poor")}
GIVEN = {"groups": SAMPLE["patient_id"], "time": SAMPLE["day"]}


@pytest.fixture
def visits(tmp_path):
    kept = {name: SAMPLE[name] for name in ("patient_id", "day", "y", "good", "poor")}
    return table_file(tmp_path, "visits.csv", **kept)


@pytest.fixture
def paid(tmp_path):
    return table_file(tmp_path, "paid.csv", **SAMPLE)


@pytest.fixture
def independent(tmp_path):
    """The same cases, every one of a patient of its own."""
    return table_file(tmp_path, "alone.csv", patient_id=range(N), y=Y, **SCORES)


def as_json(comparison):
    return json.loads(json.dumps(comparison.to_dict()))


def in_python(names, **asked):
    given = {name: GIVEN[name] for name in names}
    return compare_models(Y, SCORES, costs=COSTS, class_names=("negative", "positive"), **given, **asked)


# ---------------------------------------------------------------- the numbers of the library


@pytest.mark.parametrize("verb", ["compare", "decide"])
@pytest.mark.parametrize("design", DESIGNS)
def test_two_classes_are_compared_as_in_python(run, visits, design, verb):
    flags, names = DESIGNS[design]
    expected = in_python(names)
    answer = run(verb, visits, *PRICES, *flags, "--json", "-q")
    document = answer.json
    assert (answer.code, answer.err) == (0, "")
    assert document["comparison"] == as_json(expected)
    assert document["decision"] == expected.answer.words
    columns = {"groups": ("cluster", "patient_id"), "time": ("time", "day")}
    told = {name: document["data"][name] for name in ("cluster", "time") if name in document["data"]}
    assert told == dict(columns[name] for name in names)


@pytest.mark.parametrize("verb", ["compare", "decide"])
@pytest.mark.parametrize("design", DESIGNS)
def test_an_engine_gives_the_answer_of_memory(run, visits, design, verb):
    flags, names = DESIGNS[design]
    asked = (verb, visits, *PRICES, *flags, "--json", "-q")
    found, expected = run(*asked, "--engine", "duckdb").json, run(*asked).json
    told = {name: value for name, value in expected["data"].items() if name != "engine"}
    assert found["data"] == {**told, "engine": "duckdb"}
    assert found["decision"] == expected["decision"]
    notes = [
        [note for note in one["comparison"]["notes"] if names != ("time",) or "a shuffled split" not in note]
        for one in (found, expected)
    ]
    assert notes[0] == notes[1]
    numbers = [flat_numbers(one["comparison"]) for one in (found, expected)]
    # over time without clusters the split that is shuffled follows the order of the rows
    other = {key for key in numbers[1] if names == ("time",) and ("vacc" in key or "shuffled" in key)}
    one, two = ({key: each[key] for key in each.keys() - other} for each in numbers)
    assert one == pytest.approx(two, rel=1e-11, abs=1e-11)
    if verb == "decide":
        assert found["policy"]["rule"] == expected["policy"]["rule"]


@pytest.mark.parametrize("design", DESIGNS)
def test_units_and_blocks_of_the_json(run, visits, design):
    comparison = run("compare", visits, *PRICES, *DESIGNS[design][0], "--json", "-q").json["comparison"]
    blocks = comparison["answer"]["by_block"]
    if design == "cluster":
        assert (comparison["units"], blocks) == (PATIENTS, None)
        return
    # 30 cases a block, and fewer than 50 of a class: the seventh block is the first that is judged
    assert [block["block"] for block in blocks] == [7, 8, 9, 10]
    assert [block["n"] for block in blocks] == [30] * 4
    days = np.sort(SAMPLE["day"]).astype(str)
    assert [block["start"] for block in blocks] == days[[180, 210, 240, 270]].tolist()
    assert [block["end"] for block in blocks] == days[[209, 239, 269, 299]].tolist()
    # blocks of one size: their mean is what the rule measured
    costs = [block["cost"] for block in blocks]
    assert np.mean(costs) == pytest.approx(comparison["answer"]["honest_cost"], abs=1e-12)
    late = SAMPLE["day"] >= np.datetime64(blocks[0]["start"])
    units = late.sum() if design == "time" else len(np.unique(SAMPLE["patient_id"][late]))
    assert comparison["units"] == units


@pytest.mark.parametrize("verb", ["compare", "decide"])
@pytest.mark.parametrize("design", DESIGNS)
def test_amounts_are_compared_as_in_python(run, paid, design, verb):
    flags, names = DESIGNS[design]
    prices = ("--cost-fn", "amount", "--cost-fp", 5, "--cost-abstain", 1.5)
    found = run(verb, paid, *prices, *flags, "--json", "-q").json
    costs = CaseCosts(cost_fn=SAMPLE["amount"], cost_fp=5, cost_abstain=1.5)
    given = {name: GIVEN[name] for name in names}
    expected = as_json(compare_models(Y, SCORES, costs=costs, **given))
    for name in ("units", "models", "trivial", "notes"):
        assert found["comparison"][name] == expected[name], name
    told = ("cost", "honest_cost", "interval", "verdict", "by_block", "guaranteed_cost")
    for name in told:
        assert found["comparison"]["answer"][name] == expected["answer"][name], name


@pytest.fixture
def many_classes(tmp_path):
    rng = np.random.default_rng(3)
    codes = np.repeat(rng.integers(0, 3, PATIENTS), VISITS)
    odds = rng.gamma(1.0, size=(N, 3)) + 2.5 * (codes[:, None] == np.arange(3))
    # equal to the last digit in the file and here
    proba = np.round(odds / odds.sum(axis=1, keepdims=True), 3)
    proba[:, 2] = (1 - proba[:, 0] - proba[:, 1]).round(3)
    columns = dict(zip(CLASSES, proba.T, strict=True))
    truth = np.array(CLASSES)[codes]
    file = table_file(
        tmp_path, "m.csv", truth=truth, **columns, patient_id=SAMPLE["patient_id"], day=SAMPLE["day"]
    )
    rows = "".join(f"{name},{','.join(map(str, row))}\n" for name, row in zip(CLASSES, MATRIX, strict=True))
    prices = tmp_path / "matrix.csv"
    prices.write_text("true,a,b,c\n" + rows)
    listed = ("--label", "truth", "--classes", "a,b,c", "--cost-matrix", prices, "--cost-abstain", 0.8)
    return file, listed, truth, proba


@pytest.mark.parametrize("verb", ["compare", "decide"])
@pytest.mark.parametrize("design", DESIGNS)
def test_many_classes_are_compared_as_in_python(run, many_classes, design, verb):
    file, listed, truth, proba = many_classes
    flags, names = DESIGNS[design]
    given = {name: GIVEN[name] for name in names}
    costs = CostMatrix(classes=CLASSES, values=MATRIX)
    expected = compare_models(
        truth, {"model": proba}, classes=CLASSES, costs=costs, abstain_cost=0.8, **given
    )
    answer = run(verb, file, *listed, *flags, "--json", "-q")
    assert answer.code == 0
    assert answer.json["comparison"] == as_json(expected)
    told = {name: answer.json["data"].get(name) for name in ("cluster", "time")}
    assert told == {
        "cluster": "patient_id" if "groups" in names else None,
        "time": "day" if "time" in names else None,
    }
    assert (expected.by_block is None) == ("time" not in names)
    if design == "cluster":
        assert expected.units == PATIENTS


def test_words_of_many_classes(run, many_classes):
    file, listed, _, _ = many_classes
    answer = run("compare", file, *listed, *BOTH)
    assert (answer.code, max(map(len, answer.out.splitlines())) <= 80) == (0, True)
    said = " ".join(answer.out.split())
    assert "a guarantee needs independent cases." in said
    assert "Cost per 1000 cases by block of time block from to cases measured 95 % interval" in said
    # the area has no interval for clusters of many classes
    assert re.search(r"Mean pairwise AUC \(Hand and Till\): model 0\.\d{3}\.", said)
    assert re.search(r"Till\), 95 % interval: model 0\.\d{3} \(0\.", run("compare", file, *listed).out)
    assert REPEAT in " ".join(run("compare", file, *listed).err.split())
    assert " ".join(answer.err.split()).endswith(" of a, b, c, clusters by patient_id, times day.")


@pytest.mark.parametrize("taken", ["truth", "a", "day"])
def test_columns_of_many_classes_have_one_role(run, many_classes, taken):
    file, listed, _, _ = many_classes
    answer = run("compare", file, *listed, "--cluster", taken, "--group", "day", "-q")
    assert (answer.code, answer.out) == (2, "")
    assert f"`--cluster` names {taken!r}, which is in use already." in answer.err


# ---------------------------------------------------------------- words


def test_words_of_clusters_and_times(run, visits):
    answer = run("compare", visits, *PRICES, *BOTH, "--all")
    read, said = " ".join(answer.err.split()), " ".join(answer.out.split())
    assert read == (
        f"Read 300 rows of {visits}: label column y, positive = 1, 2 score columns (good, poor), clusters by "
        "patient_id, times day."
    )
    comparison = in_python(("groups", "time"))
    assert "a guarantee needs independent cases." in said
    assert "Rules were chosen on the past. Costs are those of " in said
    assert all(note in said for note in comparison.notes)
    (pair,) = comparison.pairs()
    assert f"good / poor {pair.auc.difference:+.3f} " in said
    assert "AUC by Obuchowski's test, VACC by totals of clusters" in said
    assert "No guarantee yet" not in said
    decided = run("decide", visits, *PRICES, *BOTH, "-o", "policy.json")
    assert all(note in " ".join(decided.out.split()) for note in comparison.notes)


@pytest.mark.parametrize("hour", ["", " 08:30:17", " 08:30:17.25"])
def test_the_table_of_blocks_fits(run, tmp_path, hour):
    when = [f"{day}{hour}" for day in SAMPLE["day"]]
    file = table_file(tmp_path, y=Y, when=when, **SCORES)
    flags = ("--cost-fn", 1000, "--cost-fp", 1000, "--cost-abstain", 100)
    assert "by block of time" not in run("compare", file, *flags, "--exclude", "when").out
    lines = run("compare", file, *flags, "--time", "when").out.splitlines()
    assert max(map(len, lines)) <= 80
    at = lines.index("Cost per 1000 cases by block of time")
    assert lines[at + 1].split() == ["block", "from", "to", "cases", "measured", "95", "%", "interval"]
    assert lines[at + 2].split()[:2] == ["7", str(np.sort(SAMPLE["day"])[180])]
    assert lines[at + 6].startswith("rules chosen on all blocks before;")


# ---------------------------------------------------------------- refusals

IN_USE = "which is in use already. Hint: pass another column."


@pytest.mark.parametrize("verb", ["compare", "decide"])
@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--model", "good", "--cluster", "good"), f"`--cluster` names 'good', {IN_USE}"),
        (("--label", "y", "--time", "y"), f"`--time` names 'y', {IN_USE}"),
        (("--group", "patient_id", "--cluster", "patient_id"), f"`--cluster` names 'patient_id', {IN_USE}"),
        (("--weight", "amount", "--time", "amount"), f"`--time` names 'amount', {IN_USE}"),
        (("--cluster", "day", "--time", "day"), f"`--time` names 'day', {IN_USE}"),
        (("--cluster", "nobody"), "has no column 'nobody'; its columns are patient_id, day, y,"),
        (("--time", "nobody"), "has no column 'nobody'; its columns are patient_id, day, y,"),
        (
            ("--cluster", "patient_id", "--group", "day", "--engine", "duckdb"),
            "`--cluster` beside --group needs the rows, but --engine duckdb keeps counts only. Hint: leave ",
        ),
        (
            ("--time", "day", "--cost-fn", "amount", "--engine", "duckdb"),
            "`--time` beside costs by case needs the rows, but --engine duckdb keeps counts only. Hint: ",
        ),
        (
            ("--cluster", "nobody", "--engine", "duckdb"),
            "has no column 'nobody'; its columns are patient_id, day, y,",
        ),
        (("--label", "y", "--time", "y", "--engine", "duckdb"), f"`--time` names 'y', {IN_USE}"),
        (
            ("--time", "patient_id", "--engine", "duckdb"),
            "`time` must hold one number or date per case, got ",
        ),
        (
            ("--cluster", "patient_id", "--objective", "guaranteed", "--engine", "duckdb"),
            "a guarantee needs independent cases.",
        ),
        (
            ("--cluster", "patient_id", "--exclude", "patient_id"),
            "`--exclude` names 'patient_id', which is in",
        ),
        (
            ("--cluster", "patient_id", "--min-precision-positive", 0.8, "--precision-confidence", 0.9),
            "a guarantee needs independent cases.",
        ),
        (("--cluster", "patient_id", "--objective", "guaranteed"), "a guarantee needs independent cases."),
        (("--time", "patient_id"), "`time` must hold one number or date per case, got "),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(run, paid, tmp_path, verb, flags, sentence):
    answer = run(verb, paid, *PRICES, *flags, "-q")
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert sentence in answer.err
    assert "Traceback" not in answer.err


def test_counts_have_neither_clusters_nor_times(run, tmp_path):
    demur.ScoreCounts.from_arrays(Y, SCORES["good"]).save(tmp_path / "good.parquet")
    for flags in (BOTH[:2], BOTH[2:]):
        for engine in ((), ("--engine", "duckdb")):
            answer = run("compare", "good.parquet", *PRICES, *flags, *engine, "-q")
            assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
            assert f"`{flags[0]}` needs the cases of good.parquet themselves, but it holds" in answer.err
        merged = run("merge", "good.parquet", "good.parquet", "-o", "both.parquet", *flags)
        assert (merged.code, merged.out, merged.err.count("\n")) == (2, "", 1)
        assert f"`{flags[0]}` needs the cases themselves: counts hold no clusters and no times." in merged.err
        assert not (tmp_path / "both.parquet").exists()


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("column", ["patient_id", "day"])
def test_missing_clusters_and_times(run, tmp_path, column, engine):
    values = [None if k in (4, 7) else value for k, value in enumerate(SAMPLE[column])]
    file = table_file(tmp_path, **{**SAMPLE, column: values})
    flag = {"patient_id": "--cluster", "day": "--time"}[column]
    answer = run("compare", file, *PRICES, flag, column, "--engine", engine, "-q")
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert f"Column {column!r} has 2 missing values" in answer.err


def test_an_engine_takes_four_models_with_clusters(run, tmp_path):
    scores = {f"model {k}": np.random.default_rng(k).normal(size=N).round(2) for k in range(5)}
    file = table_file(tmp_path, y=Y, patient_id=SAMPLE["patient_id"], **scores)
    answer = run("compare", file, *PRICES, *BOTH[:2], "--engine", "duckdb", "-q")
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert "`--cluster` beside more than 4 models needs the rows, but --engine duckdb keeps" in answer.err
    listed = [word for name in list(scores)[:4] for word in ("--model", name)]
    assert run("compare", file, *PRICES, *BOTH[:2], *listed, "--engine", "duckdb", "-q").code == 0


def test_a_cost_is_no_cluster_and_no_labels_have_no_design(run, paid):
    answer = run("compare", paid, "--cost-fn", "amount", "--cost-fp", 5, "--cluster", "amount", "-q")
    assert (answer.code, answer.out) == (2, "")
    assert "Column 'amount' is given as a cost and in another role." in answer.err
    for flags in (("--cluster", "patient_id"), ("--time", "day"), ("--require-proof",)):
        answer = run("decide", paid, "--model", "good", "--no-labels", *PRICES, *flags, "-q")
        assert (answer.code, answer.out) == (2, "")
        assert f"`{flags[0]}` needs labelled cases." in answer.err


# ---------------------------------------------------------------- ids that repeat

REPEAT = (
    "Values of patient_id repeat: pass --cluster patient_id if rows of one are not independent, --exclude "
    "patient_id if they are."
)
UNTIL = " Until then nothing is proven or guaranteed."


@pytest.mark.parametrize("verb", ["compare", "decide"])
def test_an_id_that_repeats_is_named_and_nothing_proven(run, visits, verb):
    answer = run(verb, visits, *PRICES, "--exclude", "day")
    read, said = " ".join(answer.err.split()), " ".join((answer.out + answer.err).split())
    assert "left out: patient_id (values repeat), day (excluded)." in read
    assert read.endswith(REPEAT + UNTIL) == (verb == "compare")
    assert REPEAT + UNTIL in read
    assert "Nothing is proven or guaranteed: values of patient_id repeat." in said
    assert "Likely. Use good" in said
    assert "Guaranteed" not in said
    assert "No guarantee" not in said
    found = run(verb, visits, *PRICES, "--json", "-q").json["comparison"]["answer"]
    plain = as_json(in_python(()))["answer"]
    # the numbers are those of independent cases, the verdict is not
    assert (found["verdict"], plain["verdict"]) == ("likely", "proven")
    assert (found["cost"], found["interval"]) == (plain["cost"], plain["interval"])
    assert found["guaranteed_cost"] is None
    assert plain["guaranteed_cost"] is not None


@pytest.mark.parametrize("verb", ["compare", "decide"])
def test_a_flag_settles_what_an_id_is(run, visits, verb):
    # the same difference, proven by 300 independent cases and not by 60 patients
    designs = {"proven": (("--exclude", "patient_id"), ()), "likely": (BOTH[:2], ("groups",))}
    for verdict, (flags, names) in designs.items():
        answer = run(verb, visits, *PRICES, *flags, "--exclude", "day")
        assert "repeat" not in answer.err
        expected = in_python(names).answer
        assert expected.words in " ".join((answer.out + answer.err).split())
        assert expected.verdict == verdict


def test_an_id_without_repeats_is_a_key(run, independent):
    answer = run("compare", independent, *PRICES)
    assert " ".join(answer.err.split()).endswith(
        "2 score columns (good, poor); left out: patient_id (a key)."
    )
    assert answer.out.startswith("Proven. Use good")


@pytest.mark.parametrize("name", ["row", "fold", "fold_id", "index"])
def test_other_keys_may_repeat(run, tmp_path, name):
    file = table_file(tmp_path, **{name: np.arange(N) % 7}, y=Y, **SCORES)
    answer = run("compare", file, *PRICES)
    assert " ".join(answer.err.split()).endswith(f"left out: {name} (values repeat).")
    assert answer.out.startswith("Proven. ")


def test_other_verbs_name_an_id_that_repeats(run, visits, independent, tmp_path):
    assert REPEAT.replace(": ", ". Hint: ", 1) in " ".join(run("check", visits).out.split())
    assert "repeat" not in run("check", independent).out
    settled = run("check", visits, *BOTH)
    assert "Hint: pass --" not in settled.out
    assert " ".join(settled.out.split()).endswith("--cluster patient_id --time day")
    page = run("report", visits, *PRICES, "-o", tmp_path / "page.html")
    assert REPEAT in " ".join(page.err.split())
    assert page.out.startswith("Likely. Use good")


# ---------------------------------------------------------------- proof


def test_proof_that_is_there(run, independent, tmp_path):
    plain = run("compare", independent, *PRICES)
    asked = run("compare", independent, *PRICES, "--require-proof")
    assert (asked.code, asked.out) == (0, plain.out)
    decided = run("decide", independent, *PRICES, "--require-proof", "-o", "policy.json")
    assert decided.code == 0
    assert demur.Policy.load(tmp_path / "policy.json").model == "good"


def test_without_proof_the_exit_code_is_3_and_there_is_no_policy(run, visits, tmp_path):
    plain = run("compare", visits, *PRICES)
    asked = run("compare", visits, *PRICES, "--require-proof")
    assert (plain.code, asked.code, asked.out) == (0, 3, plain.out)
    before = sorted(path.name for path in tmp_path.iterdir())
    decided = run("decide", visits, *PRICES, "--require-proof", "-o", "policy.json")
    assert decided.code == 3
    assert "No policy is written: --require-proof asks for an answer that is proven" in " ".join(
        decided.out.split()
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    without = run("decide", visits, *PRICES, "--require-proof")
    assert (without.code, without.out) == (3, "")


@pytest.mark.parametrize("verb", ["compare", "decide"])
def test_json_is_printed_without_proof(run, visits, verb):
    answer = run(verb, visits, *PRICES, "--require-proof", "--json", "-q")
    assert (answer.code, answer.err) == (3, "")
    assert answer.json["comparison"]["answer"]["verdict"] == "likely"
    assert answer.json.get("policy") is None
    # dearer reviews leave more to save, also for clusters
    dearer = (*PRICES[:-1], 3, *BOTH[:2])
    settled = run(verb, visits, *dearer, "--require-proof", "--json", "-q")
    assert settled.code == 0
    assert settled.json["comparison"]["answer"]["verdict"] == "proven"
    if verb == "decide":
        assert settled.json["policy"]["model"] == "good"


def test_a_rule_without_a_model_is_no_proof(run, independent, tmp_path):
    cheap = ("--cost-fn", 10, "--cost-fp", 5, "--cost-abstain", 0.01)
    for verb in ("compare", "decide"):
        answer = run(verb, independent, *cheap, "--require-proof", "-q")
        assert answer.code == 3
    # without costs there is nothing to prove
    assert run("compare", independent, "--require-proof", "-q").code == 3
    # --anyway does not make a proof
    answer = run("decide", independent, *cheap, "--require-proof", "--anyway", "-o", "policy.json")
    assert answer.code == 3
    assert not (tmp_path / "policy.json").exists()


def test_every_group_needs_its_proof(run, tmp_path):
    site = np.where(np.arange(N) < 20, "small", "large")
    file = table_file(tmp_path, y=Y, **SCORES, site=site)
    flags = (*PRICES, "--group", "site", "--require-proof")
    verdicts = {
        name: part["comparison"]["answer"]["verdict"]
        for name, part in run("compare", file, *flags, "--json", "-q").json["groups"].items()
    }
    assert verdicts["large"] == "proven"
    assert verdicts["small"] != "proven"
    assert run("compare", file, *flags).code == 3
    answer = run("decide", file, *flags, "-o", "policy.json")
    assert answer.code == 3
    assert "No policy is written: --require-proof asks for" in " ".join(answer.out.split())
    assert not (tmp_path / "policy.json").exists()


# ---------------------------------------------------------------- a prevalence that was counted


@pytest.mark.parametrize("verb", ["compare", "decide"])
def test_a_counted_prevalence_is_that_of_python(run, independent, verb):
    found = run(verb, independent, *PRICES, "--prevalence", "26/2000", "--json", "-q").json["comparison"]
    expected = as_json(in_python((), prevalence=Prevalence(positives=26, cases=2000)))
    assert found == expected
    known = run(verb, independent, *PRICES, "--prevalence", 0.013, "--json", "-q").json["comparison"]
    for name, model in found["models"].items():
        # the same costs, wider intervals: the share of positives is an estimate
        assert model["cost"] == known["models"][name]["cost"]
    ends, narrower = (one["models"]["good"]["interval"] for one in (found, known))
    assert ends[1] - ends[0] > narrower[1] - narrower[0]
    assert found["prevalence"] == known["prevalence"] == 0.013


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("26/", "`--prevalence` must be POSITIVES/CASES, got '26/'."),
        ("/2000", "`--prevalence` must be POSITIVES/CASES, got '/2000'."),
        ("a/b", "`--prevalence` must be POSITIVES/CASES, got 'a/b'."),
        ("26/2000/3", "`--prevalence` must be POSITIVES/CASES, got '26/2000/3'."),
        ("3/2", "must lie between 0 and cases (2), got 3."),
        ("0/10", "must lie between 0 and cases (10), got 0."),
        ("5/5", "must lie between 0 and cases (5), got 5."),
        ("-1/10", "must lie between 0 and cases (10), got -1."),
        ("nan/10", "must be finite, got nan."),
        ("1/inf", "must be finite, got inf."),
    ],
)
def test_wrong_counts_of_positives(run, independent, given, sentence):
    for verb in ("compare", "decide", "report"):
        answer = run(verb, independent, *PRICES, "--prevalence", given)
        assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
        assert sentence in answer.err
        assert "Traceback" not in answer.err
