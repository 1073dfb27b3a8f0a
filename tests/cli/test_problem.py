"""A whole problem in a file: decide writes it, every verb of a problem reads it."""

import json
import tomllib

import pytest

from command_line import GOOD, Y, table_file

COSTS = ("--cost-fn", "100", "--cost-fp", "40", "--cost-abstain", "12")


@pytest.fixture
def file(tmp_path):
    table_file(
        tmp_path, "p.csv", who=range(96), truth=Y * 8, good=[one + k / 1000 for k, one in enumerate(GOOD * 8)]
    )
    return "p.csv"


def test_decide_writes_what_repeats_it(run, file, tmp_path):
    first = run("decide", file, "--label", "truth", "--exclude", "who", *COSTS, "--seed", "3", "-o", "a.json")
    assert first.code == 0
    problem = tomllib.loads((tmp_path / "a.toml").read_text())
    assert problem["file"] == "p.csv"
    assert problem["Data"] == {"label": "truth", "positive": "1", "model": ["good"], "exclude": ["who"]}
    assert problem["Costs"] == {"cost-fn": 100.0, "cost-fp": 40.0, "cost-abstain": 12.0}
    assert problem["Certainty"] == {"seed": 3}
    again = run("decide", "--problem", "a.toml", "-o", "b.json")
    assert again.code == 0
    kept = [json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json")]
    assert kept[0] == kept[1]


@pytest.mark.parametrize(
    "flags",
    [
        ("--cost-fn", "50:150", "--cost-fp", "40", "--cost-abstain", "12", "--prevalence", "0.1:0.3"),
        ("--cost-fn", "100", "--cost-fp", "40", "--prevalence", "26/2000"),
        ("--cost-fn", "0.5*amount", "--cost-fp", "40", "--cost-abstain", "12", "--known-at-decision"),
        ("--mu", "0.4", "--nu", "0.1", "--max-abstention", "0.5", "--objective", "expected"),
    ],
)
def test_every_kind_of_cost_comes_back(run, file, tmp_path, flags):
    rows = len(Y) * 8
    amounts = [10.0 + k % 7 for k in range(rows)]
    table_file(tmp_path, "q.csv", truth=Y * 8, good=GOOD * 8, amount=amounts)
    given = ("q.csv", "--label", "truth", "--model", "good", *flags)
    first = run("decide", *given, "--anyway", "-o", "a.json")
    assert first.code == 0
    again = run("compare", "--problem", "a.toml", "--json", "-q")
    assert (
        again.json["comparison"]["answer"]
        == run("compare", *given, "--json", "-q").json["comparison"]["answer"]
    )


def test_flags_of_the_command_line_come_first(run, file, tmp_path):
    (tmp_path / "p.toml").write_text('label = "truth"\ncost-fn = 100\ncost-fp = 40\nexclude = ["who"]\n')
    wide = run("compare", file, "--problem", "p.toml", "--cost-fn", "1000", "--json", "-q").json
    assert wide["comparison"]["costs"]["cost_fn"] == 1000
    assert wide["comparison"]["costs"]["cost_fp"] == 40
    other = run("compare", file, "--problem=p.toml", "--exclude", "who", "--json", "-q")
    assert other.code == 0


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("cost-fn = [", "must be a TOML file"),
        ("cost-foo = 3", "holds 'cost-foo', which is no flag of a problem. Hint: demur compare --help-all"),
        ('output = "x.json"', "holds 'output', which is no flag of a problem"),
        ("cost-fn = -3", "`--cost-fn` must not be negative, got -3"),
    ],
)
def test_what_a_problem_cannot_hold(run, file, tmp_path, content, sentence):
    (tmp_path / "p.toml").write_text(content)
    answer = run("compare", file, "--problem", "p.toml")
    assert answer.code == 2
    assert sentence in " ".join(answer.err.split())


def test_a_problem_that_is_not_there(run, file):
    answer = run("compare", file, "--problem", "none.toml")
    assert (answer.code, "none.toml" in answer.err) == (2, True)


def test_names_of_all_kinds_come_back(run, tmp_path):
    name = 'a "b" \\ =c\t#d'
    table_file(tmp_path, "odd.csv", **{"y": Y * 8, name: GOOD * 8})
    assert run("decide", "odd.csv", "--model", name, *COSTS, "--anyway", "-o", "a.json").code == 0
    assert run("compare", "--problem", "a.toml", "--json", "-q").json["data"]["rows"] == len(Y) * 8


# ---------------------------------------------------------------- help


def flags_of(text):
    return [line.split()[0].rstrip(",") for line in text.splitlines() if line.startswith("  -")]


def test_help_is_short_and_all_of_it_is_there(run):
    short, every = (flags_of(run("compare", name).out) for name in ("--help", "--help-all"))
    assert len(short) <= 25
    assert set(short) < set(every)
    assert {"--review-fee", "--doubt", "--reviews-per-day", "--seed"} <= set(every) - set(short)
    for verb in ("decide", "report", "check"):
        assert "--help-all" in run(verb, "--help").out


def test_map_of_the_verbs(run):
    text = run("--help").out
    titles = [line[:-1] for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["Options", "Look", "Decide", "Run", "More"]
    look = text[text.index("Look:") : text.index("Decide:")]
    assert [line.split()[0] for line in look.splitlines() if line.startswith("  ") and line[2] != " "] == [
        "check",
        "compare",
        "report",
    ]
