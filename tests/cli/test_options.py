"""Flags as frozen objects: what they parse to, what they refuse, and that no verb ignores one."""

from dataclasses import FrozenInstanceError, fields
from functools import cache

import click
import pytest

from command_line import COSTS, GOOD, Y, python, table_file
from demur import CostModel, CostRange, compare_models
from demur._results import json_safe
from demur.cli import options
from demur.cli.main import VERBS, cli
from demur.cli.options import Certainty, Flags, Limits, Output, Prices, Source, flag, takes, verb
from demur.comparison import problem
from demur.exceptions import InputError

OBJECTS = [kind for kind in map(vars(options).get, options.__all__) if kind in Flags.__subclasses__()]


def flags_of(kind):
    """Every flag of an object, as its fields declare them."""
    return [
        click_option.opts[-1] for click_option in verb("some", example="")(takes(kind)(print)).params[:-1]
    ]


def verbs_with(name):
    """Every verb that takes a flag."""
    taken = {each: cli.get_command(None, each).params for each in VERBS}
    return [each for each, params in taken.items() if any(name in option.opts for option in params)]


def parsed(kind, *args):
    """What a verb that takes the object gets."""

    def command(**objects):
        return objects[kind.__name__.lower()]

    made = verb("some", example="")(takes(kind)(command))
    return made.main([str(arg) for arg in args], standalone_mode=False)


def prices(*args):
    return parsed(Prices, *args)


def limits(*args):
    return parsed(Limits, *args)


def source(*args):
    return parsed(Source, "p.csv", *args)


# ---------------------------------------------------------------- objects


@pytest.mark.parametrize("kind", OBJECTS)
def test_an_object_is_frozen_and_knows_what_was_given(kind):
    args = ["p.csv"] if kind is Source else []
    nothing = parsed(kind, *args)
    assert nothing.given() == {}
    with pytest.raises(FrozenInstanceError):
        setattr(nothing, fields(nothing)[0].name, "changed")


def test_what_was_given_is_named_as_the_user_writes_it():
    given = source("--model", "b", "--model", "a", "--label", "z", "--exclude", "age").given()
    assert given == {"--label": "z", "--model": ("b", "a"), "--exclude": ("age",)}
    assert parsed(Output, "-o", "x.txt", "--json").given() == {"--output": "x.txt", "--json": True}
    assert parsed(Certainty, "--seed", 3).given() == {"--seed": 3}


def test_a_verb_may_leave_a_flag_out_or_word_it_differently(capsys):
    @verb("some", example="Example:\n  demur some x.csv")
    @takes(Source, without=("group",))
    @takes(Output, path={"metavar": "FOLDER", "help": "A folder."})
    def command(*, source, output):
        """Do something."""
        return source, output

    read, output = command.main(["x.csv", "-o", "here"], standalone_mode=False)
    assert (read.group, output.path, output.to_file) == (None, "here", True)
    command.main(["--help"], standalone_mode=False)
    text = capsys.readouterr().out
    assert "--group" not in text
    assert "-o, --output FOLDER  A folder." in text


def test_the_help_of_a_verb_has_a_heading_per_object(run):
    text = run("decide", "--help-all").out
    titles = ["Data", "Costs", "Limits", "More than two classes", "Certainty", "Rule", "Output", "Options"]
    places = [text.index(f"\n{title}:\n") for title in titles]
    assert places == sorted(places)
    assert text.index("--max-fn-rate") < places[3]


def test_a_new_flag_is_one_field(capsys):
    from dataclasses import dataclass

    @dataclass(frozen=True, kw_only=True)
    class Colour(Flags):
        shade: str = flag("--shade", default="grey", help="Which.")

    assert parsed(Colour).shade == "grey"
    assert parsed(Colour, "--shade", "red") == Colour(shade="red")


@pytest.mark.parametrize("name", sorted(VERBS))
def test_every_flag_has_a_help_text_and_every_verb_an_example(run, name):
    command = cli.get_command(click.Context(cli), name)
    options = [each for each in command.params if each.param_type_name == "option"]
    assert [option.name for option in options if not option.help] == []
    answer = run(name, "--help")
    assert f"  demur {name}" in answer.out.partition("Example")[2]
    assert max(map(len, answer.out.splitlines())) <= 80


@pytest.mark.parametrize("name", sorted(VERBS))
def test_the_help_of_no_verb_imports_numpy(name):
    code = (
        f"import sys\nfrom demur.cli.main import main\ntry: main(['{name}', '--help'])\n"
        "except SystemExit: print([m for m in ('numpy', 'duckdb', 'scipy') if m in sys.modules])"
    )
    assert python("-c", code).stdout.splitlines()[-1] == "[]"


# ---------------------------------------------------------------- numbers and ranges


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("400", 400.0),
        ("400:600", (400.0, 600.0)),
        ("0.5:0.5", 0.5),
        ("1e2:1e3", (100.0, 1000.0)),
        (" 4 : 6 ", (4.0, 6.0)),
    ],
)
@pytest.mark.parametrize("name", ["--cost-fn", "--cost-fp", "--cost-abstain"])
def test_a_cost_is_a_number_or_a_range(name, text, value):
    assert prices(name, text).given() == {name: value}


@pytest.mark.parametrize(("text", "value"), [("0", 0.0), ("1", 1.0), ("0.01:0.05", (0.01, 0.05))])
def test_a_prevalence_is_a_share_or_a_range_of_shares(text, value):
    assert prices("--prevalence", text).prevalence == value


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (
            ("--cost-fn", "600:400"),
            "`--cost-fn` must be a range that starts at its lower end, got '600:400'. "
            "Hint: --cost-fn 400:600.",
        ),
        (("--cost-fp", "-1:3"), "`--cost-fp` must not be negative, got -1.0."),
        (("--cost-fp", "-1"), "`--cost-fp` must not be negative, got -1.0."),
        (
            ("--cost-fn", "1:2:3:4"),
            "`--cost-fn` must be one number or one range LOW:HIGH, got '1:2:3:4' with 3 colons. "
            "Hint: --cost-fn 1:4?",
        ),
        (
            ("--cost-abstain", " "),
            "`--cost-abstain` must be a number, a range LOW:HIGH or a column, got ' '.",
        ),
        (("--cost-abstain", "3:"), "`--cost-abstain` must be a number or a range LOW:HIGH, got '3:'."),
        (("--cost-fn", "1:inf"), "`--cost-fn` must be finite, got inf."),
        (("--cost-fn", "nan:3"), "`--cost-fn` must be finite, got nan."),
        (("--prevalence", "0.5:1.5"), "`--prevalence` must lie in [0, 1], got 1.5."),
        (("--prevalence", "-0.1"), "`--prevalence` must lie in [0, 1], got -0.1."),
    ],
)
def test_bad_numbers_and_ranges_are_one_sentence(args, sentence):
    with pytest.raises(InputError) as error:
        prices(*args)
    assert str(error.value) == sentence


def test_costs_as_the_library_takes_them():
    point = prices(*COSTS)
    assert point.costs(exact=True) == point.costs() == CostModel(cost_fn=100, cost_fp=100, cost_abstain=25)
    assert prices("--mu", 0.5).costs() == CostModel(cost_fn=1, cost_fp=0.5)
    assert prices().costs(exact=True) is prices().costs() is None
    box = prices("--cost-fn", "400:600", "--cost-fp", 100)
    assert box.costs() == CostRange(cost_fn=(400, 600), cost_fp=100)
    assert box.ranges == {"--cost-fn": (400.0, 600.0)}
    with pytest.raises(InputError, match="`--cost-fn` must be one number here, got the range 400:600"):
        box.costs(exact=True)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--cost-fn", "0:5", "--cost-fp", "1"), "`--cost-fn` must be positive, got 0:5"),
        (("--cost-fn", "4:5"), "`--cost-fp` is needed with --cost-fn"),
        (("--mu", "1", "--cost-fp", "4:5"), "Costs are given twice, as --cost-fp and --mu"),
    ],
)
def test_ranges_keep_the_rules_of_costs(args, sentence):
    with pytest.raises(InputError, match=sentence):
        prices(*args).costs()


@pytest.mark.parametrize(
    ("args", "aim"),
    [
        (("--cost-fn", "5"), "expected"),
        (("--cost-fn", "4:5"), "regret"),
        (("--cost-fn", "5", "--prevalence", "0.1:0.2"), "regret"),
        (("--cost-fn", "5:5"), "expected"),
        (("--cost-fn", "4:5", "--objective", "worst"), "worst"),
        (("--cost-fn", "5", "--objective", "guaranteed"), "guaranteed"),
    ],
)
def test_ranges_are_judged_by_regret_unless_the_user_says_otherwise(run, many, args, aim):
    answer = run("compare", many, "--cost-fp", 2, "--cost-abstain", 0.5, *args, "--json")
    assert answer.json["comparison"]["objective"] == aim


# ---------------------------------------------------------------- limits, weights, engines


@pytest.mark.parametrize(
    ("args", "share"),
    [
        ((), None),
        (("--max-abstention", 0.2), 0.2),
        (("--reviews-per-day", 50, "--cases-per-day", 1000), 0.05),
        (("--reviews-per-day", 50, "--cases-per-day", 20), 1.0),
        (("--reviews-per-day", 0, "--cases-per-day", 20), 0.0),
    ],
)
def test_reviews_and_cases_per_day_give_the_largest_abstention_by_hand(args, share):
    assert limits(*args).kept().max_abstention == share


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--reviews-per-day", 5), "`--reviews-per-day` needs one of --day and --cases-per-day"),
        (("--cases-per-day", 5), "`--reviews-per-day` is needed with --cases-per-day"),
        (("--reviews-per-day", 5, "--cases-per-day", 0), "`--cases-per-day` must be above 0"),
        (("--reviews-per-day", -5, "--cases-per-day", 9), "`--reviews-per-day` must not be negative"),
        (
            ("--reviews-per-day", 5, "--cases-per-day", 9, "--max-abstention", 0.1),
            "`--max-abstention` is a limit on reviews as well as --reviews-per-day",
        ),
        (("--precision-confidence", 0.95), "`--precision-confidence` is for a promised precision"),
        (
            ("--precision-confidence", 1, "--min-precision-positive", 0.9),
            "`--precision-confidence` must lie strictly between 0 and 1",
        ),
        (("--max-fn-rate", 1.5), "`--max-fn-rate` must lie in"),
        (("--min-precision-negative", 1.5), "`--min-precision-negative` "),
    ],
)
def test_limits_that_contradict_each_other_are_one_sentence(args, sentence):
    with pytest.raises(InputError, match=sentence):
        limits(*args).kept()


def test_limits_are_kept_as_given():
    args = ("--max-fn-rate", 0.05, "--min-precision-positive", 0.9, "--precision-confidence", 0.95)
    assert limits(*args) == Limits(max_fn_rate=0.05, min_precision_positive=0.9, precision_confidence=0.95)


def test_what_a_weight_means_needs_a_weight():
    assert source("--weight", "w", "--weights", "repeats").weights == "repeats"
    with pytest.raises(InputError, match="`--weight` is needed with --weights"):
        source("--weights", "importance")


def test_the_reader_is_memory_unless_another_is_named():
    assert source().engine == "memory"
    assert source("--engine", "spark", "--master", "local[2]").engine == "spark"


# ---------------------------------------------------------------- no flag is ignored


VERBS_OF_TWO_CLASSES = pytest.mark.parametrize("name", verbs_with("--max-abstention"))
LIMITS = {"max_abstention": 0.4, "min_precision_positive": 0.6, "max_fn_rate": 0.4}
# flags of a comparison at one point of the costs, and what the function is asked in their place
ASKED = [
    (("--prevalence", 0.2), {"prevalence": 0.2}),
    (("--prevalence", "0.1:0.2"), {"prevalence": (0.1, 0.2)}),
    (("--objective", "guaranteed"), {"objective": "guaranteed"}),
    (("--prevalence", "0.1:0.2", "--objective", "worst"), {"prevalence": (0.1, 0.2), "objective": "worst"}),
    (("--max-abstention", 0.2), {"max_abstention": 0.2}),
    (("--reviews-per-day", 50, "--cases-per-day", 250), {"max_abstention": 0.2}),
    (("--max-fn-rate", 0.3), {"max_fn_rate": 0.3}),
    (("--min-precision-negative", 0.9), {"min_precision_negative": 0.9}),
    (("--max-abstention", 0.4, "--min-precision-positive", 0.6, "--max-fn-rate", 0.4), LIMITS),
    (
        ("--min-precision-positive", 0.9, "--precision-confidence", 0.9),
        {"min_precision_positive": 0.9, "precision_confidence": 0.9},
    ),
    (("--confidence", 0.8, "--seed", 4), {"confidence_level": 0.8, "seed": 4}),
]


@pytest.mark.parametrize("kind", [Limits, Certainty])
def test_every_flag_and_every_limit_is_asked(kind):
    tried = {flag for flags, _ in ASKED for flag in flags[::2]}
    tried |= {"--day", "--key", "--arrival", "--carry-over"}  # asked by test_places.py
    assert [flag for flag in flags_of(kind) if flag not in tried] == []
    settings = {name for _, settings in ASKED for name in settings}
    assert [each.name for each in fields(problem.Limits) if each.name not in settings] == []


def asked(run, name, file, *flags):
    """The comparison that a verb shows."""
    answer = run(name, file, *flags, "--json", "-q")
    assert answer.code in (0, 3), answer.err
    return answer.json["comparison"]


@cache
def compared(**settings):
    """What all verbs must show, computed once for them."""
    scores = {"good": GOOD * 40, "bad": [-score for score in GOOD] * 40}
    settings = {"costs": CostModel(cost_fn=100, cost_fp=100, cost_abstain=25), **settings}
    return compare_models(Y * 40, scores, **settings).to_dict()


@VERBS_OF_TWO_CLASSES
@pytest.mark.parametrize(("flags", "settings"), ASKED)
def test_every_flag_asks_what_the_function_asks(run, many, name, flags, settings):
    assert asked(run, name, many, *COSTS, *flags) == json_safe(compared(**settings))


@VERBS_OF_TWO_CLASSES
@pytest.mark.parametrize("objective", [None, "expected", "worst", "regret"])
def test_ranges_of_costs_ask_what_the_function_asks(run, many, name, objective):
    flags = ("--cost-fn", "80:120", "--cost-fp", 100, "--cost-abstain", "20:30")
    flags += () if objective is None else ("--objective", objective)
    costs = CostRange(cost_fn=(80, 120), cost_fp=100, cost_abstain=(20, 30))
    comparison = asked(run, name, many, *flags)
    assert comparison == json_safe(compared(costs=costs, objective=objective))
    assert comparison["objective"] == (objective or "regret")


@VERBS_OF_TWO_CLASSES
def test_what_a_weight_means_changes_the_evidence(run, tmp_path, name):
    file = table_file(tmp_path, y=Y * 40, good=GOOD * 40, w=[1, 2, 3] * 160)
    flags = (*COSTS, "--weight", "w")
    importance = asked(run, name, file, *flags)
    assert importance == asked(run, name, file, *flags, "--weights", "importance")
    assert (importance["weights"], importance["n"]) == ("importance", pytest.approx(960**2 / 2240))
    assert importance["models"]["good"]["guaranteed_cost"] is None
    repeats = asked(run, name, file, *flags, "--weights", "repeats")
    assert (repeats["weights"], repeats["n"]) == ("repeats", 960)
    assert repeats["models"]["good"]["guaranteed_cost"] is not None


@VERBS_OF_TWO_CLASSES
def test_weights_that_are_no_cases_are_one_sentence(run, tmp_path, name):
    file = table_file(tmp_path, y=Y, good=GOOD, w=[0.5] * 12)
    for engine in ("memory", "duckdb"):
        flags = ("--weight", "w", "--weights", "repeats", "--engine", engine)
        answer = run(name, file, *COSTS, *flags, "-q")
        assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
        assert "`--weights repeats` needs whole numbers of cases in column 'w', got 0.5" in answer.err
    # an engine adds the weights up, and sums do not tell how much each case mattered
    answer = run(name, file, *COSTS, "--weight", "w", "--engine", "duckdb", "-q")
    assert (answer.code, answer.out) == (2, "")
    assert "`--weight` as importance needs the weight of every case, but --engine duckdb" in answer.err


@VERBS_OF_TWO_CLASSES
def test_an_objective_that_makes_no_difference_is_told(run, many, name):
    flags = (*COSTS, "--objective", "worst", "-o", "out")
    assert "--objective worst makes no difference here" in " ".join(run(name, many, *flags).err.split())
    ranged = ("--cost-fn", "80:120", "--cost-fp", 90, "--objective", "worst", "-o", "out")
    assert "makes no difference" not in run(name, many, *ranged).err
    answer = run(name, many, *COSTS, "--objective", "cheapest")
    assert (answer.code, answer.out) == (2, "")
    assert "'cheapest' is not one of 'expected', 'worst', 'regret', 'guaranteed'" in answer.err


@pytest.mark.parametrize("name", ["compare", "report"])
@pytest.mark.parametrize(
    "flags", [("--objective", "worst"), ("--max-abstention", 0.1), ("--max-fn-rate", 0.1)]
)
def test_what_needs_costs_says_so(run, many, name, flags):
    answer = run(name, many, *flags)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert f"`{flags[0]}` needs costs. Hint: add --cost-fn and --cost-fp." in answer.err


def test_capacity_per_day_decides_as_the_share_does(run, many):
    by_share = run("decide", many, *COSTS, "--max-abstention", 0.25, "-q")
    by_day = run("decide", many, *COSTS, "--reviews-per-day", 25, "--cases-per-day", 100, "-q")
    assert by_share.code == by_day.code == 0
    assert by_share.json["rule"] == by_day.json["rule"]


@pytest.mark.parametrize(
    "flags",
    [
        ("--max-fn-rate", 0.1),
        ("--prevalence", "0.1:0.2"),
        ("--cost-fp", 1),
    ],
)
@pytest.mark.parametrize("name", ["compare", "decide"])
def test_flags_for_two_classes_are_refused_beside_classes(run, worked, name, flags):
    answer = run(name, worked, "--classes", "a,b,c", "--cost-matrix", "c.csv", *flags)
    assert f"`{flags[0]}` is for two classes" in answer.err


@pytest.mark.parametrize(
    "flags",
    [("--max-fn-rate", 0.1), ("--anyway",), ("--objective", "worst"), ("--seed", 3), ("--confidence", 0.9)],
)
def test_flags_for_labelled_cases_are_refused_without_labels(run, worked, flags):
    answer = run("decide", worked, "--no-labels", *COSTS, *flags)
    assert f"`{flags[0]}` needs labelled cases" in answer.err
