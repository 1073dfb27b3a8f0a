"""Signs that rows are not independent (ids that repeat, dates, copies), and what settles them."""

import json
from itertools import combinations
from types import MappingProxyType

import numpy as np
import pytest

from command_line import table_file
from demur import CostModel, compare_models
from demur.cli.input.dependence import Dependence, date_form, is_id, name_words
from demur.comparison.missing import copied_rows

N = 400
PRICES = ("--cost-fn", 10, "--cost-fp", 5, "--cost-abstain", 1.5)
COSTS = CostModel(cost_fn=10, cost_fp=5, cost_abstain=1.5)


def _sample(n=N, seed=0, separation=2.2):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    new = (separation * y + rng.normal(size=n)).round(5)
    return {"y": y, "new": new, "old": (new + rng.normal(size=n)).round(5)}


SAMPLE = MappingProxyType(_sample())
DAYS = (np.datetime64("2025-01-01") + np.arange(N) // 2).astype(str)


def words(text):
    return " ".join(text.split())


# ---------------------------------------------------------------- copies


def _tied_vectors(codes, columns):
    """Vectors that several rows share: how many have one class, how many more, and the rows to spare."""
    vectors = {}
    for code, vector in zip(codes, zip(*columns, strict=True), strict=True):
        vectors.setdefault(vector, []).append(code)
    shared = [held for held in vectors.values() if len(held) > 1]
    alike = [held for held in shared if len(set(held)) == 1]
    return len(alike), len(shared) - len(alike), sum(len(held) - 1 for held in alike), len(vectors)


def test_copies_by_hand():
    codes = np.array([0, 1, 0, 1, 0, 1])
    scores = np.array([0.01, 0.02, 0.05, 0.12, 0.3, 0.8])  # no two of them equally far apart
    again = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4]  # five of the six cases twice
    assert copied_rows(codes[again], [scores[again]]) == 5
    # four of six: as many as chance might make
    assert copied_rows(codes[again[:-1]], [scores[again[:-1]]]) == 0
    # another model tells all rows apart
    assert copied_rows(codes[again], [scores[again], np.arange(11.0)]) == 0
    # classes that differ: no copies, but cases of one level
    other = codes[again].copy()
    other[6] = 1
    assert copied_rows(other, [scores[again]]) == 0


def test_copies_of_steps_by_hand():
    # ten values one step apart, each twice: rounding explains them, odd distances do not
    codes = np.tile(np.repeat([0, 1], 5), 2)
    steps = np.tile(np.arange(10) / 10, 2)
    assert copied_rows(codes, [steps]) == 0
    assert copied_rows(codes, [np.tile(np.sqrt([2, 3, 5, 7, 11, 13, 17, 19, 23, 29]), 2)]) == 10


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("times", [2, 5])
def test_copies_against_enumeration(classes, times):
    rng = np.random.default_rng(times)
    codes, columns = rng.integers(0, classes, 60), [rng.normal(size=60), rng.normal(size=60).round(1)]
    rows = rng.permutation(np.repeat(np.arange(60), times))
    codes, columns = codes[rows], [column[rows] for column in columns]
    alike, mixed, spare, distinct = _tied_vectors(codes, columns)
    assert (alike, mixed, distinct) == (60, 0, 60)
    assert copied_rows(codes, columns) == spare == 60 * (times - 1)


@pytest.mark.parametrize("digits", [2, 3, 4, 6, 16])
@pytest.mark.parametrize("n", [40, 300, 2000])
def test_rounded_scores_are_no_copies(n, digits):
    for seed in range(20):
        sample = _sample(n, seed)
        proba = (1 / (1 + np.exp(1.1 - sample["new"]))).round(digits)
        assert copied_rows(sample["y"], [proba]) == 0
        assert copied_rows(sample["y"], [proba.astype(np.float32).astype(np.float64)]) == 0


@pytest.mark.parametrize("levels", [2, 6, 15, 60])
def test_levels_of_a_tree_are_no_copies(levels):
    rng = np.random.default_rng(levels)
    for seed in range(20):
        sample = _sample(300, seed)
        edges = np.quantile(sample["new"], np.linspace(0, 1, levels + 1)[1:-1])
        leaves = np.sort(rng.random(levels))[np.searchsorted(edges, sample["new"])]
        assert copied_rows(sample["y"], [leaves]) == 0
        assert copied_rows(sample["y"], [leaves, leaves**2]) == 0


def test_clipped_and_infinite_scores_are_no_copies():
    sample = _sample()
    assert copied_rows(sample["y"], [np.clip(sample["new"], 0, 2)]) == 0
    extreme = np.where(sample["new"] < 0, -np.inf, np.where(sample["new"] > 2, np.inf, sample["new"]))
    assert copied_rows(sample["y"], [extreme]) == 0
    assert copied_rows(np.array([0, 1]), [np.array([np.inf, np.inf])]) == 0


@pytest.mark.parametrize("share", [0.1, 0.5, 4.0])
def test_copies_of_continuous_scores_are_found(share):
    rng = np.random.default_rng(1)
    for seed in range(20):
        sample = _sample(150, seed)
        rows = np.concatenate([np.arange(150), rng.choice(150, int(150 * share), replace=share > 1)])
        assert copied_rows(sample["y"][rows], [sample["new"][rows]]) > 0


@pytest.fixture
def copied(tmp_path):
    rows = np.concatenate([np.arange(N), np.arange(0, N, 4)])
    columns = {name: column[rows] for name, column in SAMPLE.items()}
    return table_file(tmp_path, "copied.csv", case_no=np.arange(len(rows)), **columns)


COPIES = (
    "100 rows repeat the class and all scores of another one: leave copies out; if they are different cases, "
    "pass --cluster COLUMN with a column that is different for each of them."
)


@pytest.mark.parametrize("verb", ["compare", "decide"])
def test_copies_are_named_and_nothing_is_proven(run, copied, verb):
    answer = run(verb, copied, *PRICES)
    assert COPIES + " Until then nothing is proven or guaranteed." in words(answer.err)
    found = run(verb, copied, *PRICES, "--json", "-q").json["comparison"]
    assert (found["answer"]["verdict"], found["answer"]["guaranteed_cost"]) == ("likely", None)
    assert found["notes"][-1].startswith("Nothing is proven or guaranteed: 100 rows repeat the class and")


def test_cases_of_their_own_settle_copies(run, copied):
    answer = run("compare", copied, *PRICES, "--cluster", "case_no")
    assert "repeat" not in answer.err
    assert answer.out.startswith("Proven. ")
    assert "Guaranteed at most" in words(answer.out)


def test_check_names_copies_once(run, copied):
    answer = run("check", copied)
    assert "100 rows repeat the class and all scores of another one. Hint: leave copies" in words(answer.out)
    assert "in every column" not in answer.out
    found = [one for one in run("check", copied, "--json").json["findings"] if one["problem"] == "copies"]
    assert [(one["level"], one["column"], one["count"]) for one in found] == [("note", None, 100)]


# ---------------------------------------------------------------- dates


class _Table:
    """A table of one column."""

    def __init__(self, name, kind, values):
        self.kinds, self.values = {name: kind}, values

    def distinct(self, name):
        return sorted(set(self.values))


@pytest.mark.parametrize(
    ("name", "kind", "values", "form"),
    [
        ("seen", "text", ["2025-01-31", "2025-02-01"], "read"),
        ("seen", "text", ["2025-01-31 08:30", "2025-02-01T09:15:00"], "read"),
        ("Datum", "text", ["31.01.2025", "01.02.2025"], "other"),
        ("when", "text", ["1/31/25", "2/1/25"], "other"),
        ("month", "text", ["2025-01", "2025-02"], "read"),
        ("version", "text", ["2025-01", "2025-02"], ""),
        ("site", "text", ["north", "south"], ""),
        ("date", "text", ["soon", "late"], ""),
        ("date", "text", ["2025-01-31", "unknown"], ""),
        ("snapshot_date", "text", ["2025-01-31", "2025-01-31"], ""),
        ("birth_date", "text", ["1961-01-31", "1980-02-01"], ""),
        ("dateOfBirth", "text", ["1961-01-31", "1980-02-01"], ""),
        ("year", "number", [2019.0, 2024.0], "read"),
        ("day", "number", [20250131, 20250201], "read"),
        ("day", "number", [1, 31], ""),  # begins anew every month
        ("time", "number", [0.25, 71.5], ""),
        ("risk", "number", [2019.0, 2024.0], ""),
        ("date", "bool", [False, True], ""),
        ("date", "other", [{"a": 1}, {"a": 2}], ""),
    ],
)
def test_dates_are_told_by_name_and_values(name, kind, values, form):
    assert date_form(_Table(name, kind, values), name) == form


@pytest.fixture
def dated(tmp_path):
    return table_file(tmp_path, "dated.csv", day=DAYS, **SAMPLE)


def test_dates_withhold_the_guarantee_and_not_the_proof(run, dated):
    answer = run("compare", dated, *PRICES)
    assert words(answer.err).endswith(
        "left out: day (dates). Cases have dates (day): pass --time day to choose on the past and judge on "
        "what follows, --exclude day if conditions stay the same. Until then nothing is guaranteed."
    )
    assert answer.out.startswith("Proven. ")
    assert "Guaranteed" not in answer.out
    assert words(answer.out).endswith("Nothing is guaranteed: cases have dates (day).")
    found = run("compare", dated, *PRICES, "--json", "-q").json["comparison"]["answer"]
    plain = compare_models(SAMPLE["y"], {name: SAMPLE[name] for name in ("new", "old")}, costs=COSTS).answer
    assert (found["cost"], found["verdict"]) == (plain.cost, plain.verdict)
    assert plain.guaranteed_cost is not None
    assert found["guaranteed_cost"] is None


def test_scores_that_move_withhold_the_proof_too(run, tmp_path):
    moving = SAMPLE["new"] + np.arange(N) / 400
    file = table_file(tmp_path, day=DAYS, y=SAMPLE["y"], new=moving)
    answer = run("compare", file, *PRICES)
    early, late = np.median(moving[:200]), np.median(moving[200:])
    assert (
        f"Cases have dates (day), and scores of new differ (a median of {early:.3g} early, {late:.3g} late): "
        "pass --time day"
    ) in words(answer.err)
    assert words(answer.err).endswith("Until then nothing is proven or guaranteed.")
    assert answer.out.startswith("Likely. ")
    assert run("compare", file, *PRICES, "--require-proof").code == 3
    # who knows better says so
    assert run("compare", file, *PRICES, "--exclude", "day").out.startswith("Proven. ")


@pytest.mark.parametrize("flags", [("--time", "day"), ("--exclude", "day")])
@pytest.mark.parametrize("verb", ["compare", "decide"])
def test_a_flag_settles_dates(run, dated, verb, flags):
    answer = run(verb, dated, *PRICES, *flags)
    assert "have dates" not in answer.err + answer.out


def test_dates_that_cannot_be_read_are_named_without_the_flag(run, tmp_path):
    written = [f"{day[8:]}.{day[5:7]}.{day[:4]}" for day in DAYS]
    file = table_file(tmp_path, Datum=written, **SAMPLE)
    answer = run("compare", file, *PRICES)
    told = "Cases have dates (Datum): write them like 2024-05-31 for --time, --exclude Datum if conditions"
    assert told in words(answer.err)
    assert "--time" not in run("check", file, "--json").json["next"]


def test_a_year_is_no_model(run, tmp_path):
    file = table_file(tmp_path, year=2000 + np.arange(N) // 100, **SAMPLE)
    assert "2 score columns (new, old); left out: year (dates)." in words(run("compare", file).err)


@pytest.mark.parametrize("flags", [("--objective", "guaranteed"), ("--precision-confidence", 0.9)])
def test_no_promise_is_made_of_rows_in_doubt(run, dated, flags):
    limits = ("--min-precision-positive", 0.8) if flags[0] == "--precision-confidence" else ()
    answer = run("compare", dated, *PRICES, *limits, *flags, "-q")
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    asked = flags[0] if limits else " ".join(flags)
    assert (
        f"`{asked}` needs independent cases, but cases have dates (day). Hint: pass --time day" in answer.err
    )
    assert run("compare", dated, *PRICES, *limits, *flags, "--exclude", "day", "-q").code == 0


# ---------------------------------------------------------------- ids


@pytest.mark.parametrize(
    "name",
    ["id", "patient_id", "PatientID", "customerNo", "customer", "case", "case_nr", "user_uuid", "patientid"],
)
def test_names_of_ids(name):
    assert is_id(_Table(name, "text", ["a", "b"]), name)
    assert name_words("patientId") == "patient_id"


@pytest.mark.parametrize("name", ["paid", "covid", "worst_case", "fold_id", "risk", "device_score"])
def test_names_that_are_no_ids(name):
    assert not is_id(_Table(name, "text", ["a", "b"]), name)


def test_a_model_called_customer_is_a_model(run, tmp_path):
    file = table_file(tmp_path, y=SAMPLE["y"], customer=SAMPLE["new"], device=SAMPLE["old"])
    assert "2 score columns (customer, device)." in words(run("compare", file).err)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_ids_and_dates_are_named_together(run, tmp_path, engine):
    file = table_file(tmp_path, customer=np.arange(N) // 2, site_id=np.arange(N) // 40, day=DAYS, **SAMPLE)
    answer = run("compare", file, *PRICES, "--engine", engine)
    told = words(answer.err)
    assert "left out: customer (values repeat), site_id (values repeat), day (dates)." in told
    assert (
        "Values of customer, site_id repeat: pass --cluster customer if rows of one are not independent, "
        "--exclude customer --exclude site_id if they are. Cases have dates (day): "
    ) in told
    assert answer.out.startswith("Likely. ")


# ---------------------------------------------------------------- many classes


@pytest.fixture
def three(tmp_path):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, N)
    odds = rng.gamma(1.0, size=(N, 3)) + 2.5 * (codes[:, None] == np.arange(3))
    proba = (odds / odds.sum(axis=1, keepdims=True)).round(6)
    (tmp_path / "matrix.csv").write_text("true,a,b,c\na,0,1,4\nb,3,0,2\nc,8,6,0\n")
    flags = ("--label", "truth", "--classes", "a,b,c", "--cost-matrix", "matrix.csv", "--cost-abstain", 0.8)
    return {"truth": np.array(list("abc"))[codes], **dict(zip("abc", proba.T, strict=True))}, flags


@pytest.mark.parametrize("verb", ["compare", "decide", "report"])
def test_many_classes_look_for_ids_and_dates(run, tmp_path, three, verb):
    columns, flags = three
    file = table_file(tmp_path, patient_id=np.arange(N) // 2, day=DAYS, **columns)
    output = ("-o", "page.html") if verb == "report" else ()
    told = words(run(verb, file, *flags, *output).err)
    assert "Values of patient_id repeat: " in told
    assert "Cases have dates (day): " in told
    assert "Until then nothing is proven or guaranteed." in told
    settled = run(verb, file, *flags, *output, "--exclude", "patient_id", "--exclude", "day")
    assert "repeat" not in settled.err
    assert "Proven. " in settled.out + settled.err


def test_many_classes_look_for_copies(run, tmp_path, three):
    columns, flags = three
    rows = np.concatenate([np.arange(N), np.arange(60)])
    file = table_file(tmp_path, **{name: column[rows] for name, column in columns.items()})
    answer = run("compare", file, *flags)
    assert "60 rows repeat the class and all scores of another one" in words(answer.err)
    assert answer.out.startswith("Likely. ")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("a", "`--exclude` names 'a', which is in use."), ("nobody", "has no column 'nobody'")],
)
def test_columns_of_many_classes_that_cannot_be_excluded(run, tmp_path, three, name, sentence):
    columns, flags = three
    answer = run("compare", table_file(tmp_path, **columns), *flags, "--exclude", name)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err


# ---------------------------------------------------------------- the next command


def test_check_ends_with_the_command_to_run(run, tmp_path):
    """Every combination of what check finds: compare takes its command as it stands."""
    rng = np.random.default_rng(5)
    truth = np.where(SAMPLE["y"], "ill", "well")
    found = {
        "--cluster": {"patient_id": np.arange(N) // 2},
        "--time": {"day": DAYS},
        "--drop-missing": {"other": np.where(rng.random(N) < 0.05, "", SAMPLE["old"].astype(str))},
        "--missing-labels": {
            "outcome": np.where(SAMPLE["new"] < 0, "", np.where(SAMPLE["y"], "ill", "well"))
        },
    }
    for k in range(len(found) + 1):
        for chosen in combinations(found, k):
            label = {} if "--missing-labels" in chosen else {"outcome": truth}
            columns = {name: values for flag in chosen for name, values in found[flag].items()}
            table_file(tmp_path, "f.csv", **label, **columns, new=SAMPLE["new"])
            flags = ("--label", "outcome", "--positive", "ill")
            command = run("check", "f.csv", *flags, "--json", "-q").json["next"].split()
            assert command[:7] == ["demur", "compare", "f.csv", *flags]
            assert [word for word in command[7:] if word.startswith("--")] == [
                flag
                for flag in ("--cluster", "--time", "--missing-labels", "--drop-missing")
                if flag in chosen
            ]
            answer = run(*command[1:], *PRICES)
            assert answer.code == 0, answer.err
            assert "Until then" not in answer.err


def test_no_command_where_none_can_work(run, tmp_path):
    for y in ([0, 0, 0, 0], [0, 1, 2, 1], [0, 0, 0, 1]):
        file = table_file(tmp_path, y=y, a=[0.1, 0.2, 0.3, 0.4])
        answer = run("check", file)
        assert answer.code == 2
        assert "demur compare" not in answer.out
    (tmp_path / "records.json").write_text(json.dumps([{"y": k % 2, "a": k} for k in range(9)]))
    assert run("check", "records.json", "--json").json["next"] is None


def test_a_name_with_blanks_stays_in_one_line(run, tmp_path):
    name = "the patient of the hospital in the city by the river that was_id"
    table_file(tmp_path, "my file.csv", **{name: np.arange(N) // 2}, **SAMPLE)
    answer = run("check", "my file.csv", "--exclude", "old")
    assert answer.out.endswith(f"demur compare 'my file.csv' --exclude old \\\n  --cluster '{name}'\n")


def test_the_rarer_class_is_proposed_as_the_positive_one(run, tmp_path):
    table_file(tmp_path, "f.csv", y=["p", "q", "p"] * 4, a=np.arange(12) / 10)
    for flags in ((), ("--positive", "r")):
        found = run("check", "f.csv", *flags, "--json").json
        assert found["next"] == "demur compare f.csv --positive q"
        assert "no positive class" in [one["problem"] for one in found["findings"]]


def test_nothing_was_asked_nothing_is_said():
    assert not Dependence()
    assert Dependence().words() == ""
