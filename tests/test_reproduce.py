"""`demur reproduce`: verdicts, data that are not there, the command, and the papers in quick mode."""

import json
import math

import pytest

from demur import InputError
from demur.cli.main import main
from demur.reproduce import STUDIES, _data
from demur.reproduce._data import MissingDataError, PaperData
from demur.reproduce._study import EXACT, Cell, Figure, Reproduction, Tolerance, save_figures

TENTH = Tolerance("made up", absolute=0.1)


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def call(*args):
        with pytest.raises(SystemExit) as stop:
            main([str(arg) for arg in args])
        streams = capsys.readouterr()
        return stop.value.code, streams.out, streams.err

    return call


# ---------------------------------------------------------------- verdicts


@pytest.mark.parametrize(
    ("published", "ours", "tolerance", "verdict"),
    [
        (0.5, 0.6, TENTH, "agrees"),  # the border belongs to the tolerance
        (0.5, 0.601, TENTH, "differs"),
        (0.5, math.nan, TENTH, "differs"),
        (200.0, 210.0, Tolerance("made up", relative=0.05), "agrees"),
        (200.0, 210.1, Tolerance("made up", relative=0.05), "differs"),
        (-200.0, -210.0, Tolerance("made up", relative=0.05), "agrees"),
        (0.02, 0.025, Tolerance.printed(2), "agrees"),
        (0.02, 0.0251, Tolerance.printed(2), "differs"),
        (1 / 3, 1 / 3 + 1e-12, EXACT, "agrees"),
        (1 / 3, 0.3333, EXACT, "differs"),
    ],
)
def test_verdict_of_a_number_by_hand(published, ours, tolerance, verdict):
    cell = Cell.number("Table 1", published=published, ours=ours, tolerance=tolerance)
    assert cell.verdict == verdict
    assert cell.is_documented == (verdict == "agrees")
    assert cell.tolerance_reason == tolerance.because


def test_reason_stands_only_where_something_is_amiss():
    known = "erratum: the print drops a square"
    agreeing = Cell.number("Table 1", published=1, ours=1, tolerance=EXACT, known=known)
    differing = Cell.number("Table 1", published=1, ours=2, tolerance=EXACT, known=known)
    assert (agreeing.sentence, agreeing.reason) == ("agrees", "")
    assert differing.sentence == f"differs: {known}"
    assert differing.is_documented
    claim = Cell.claim("Section 2", claim="always", holds=False, ours="once not", known="counterexample")
    assert claim.sentence == "differs: counterexample"
    missing = Cell.not_run("Table 2", published=0.5, needs="a lab")
    assert (missing.sentence, missing.ours, missing.is_documented) == ("not run: needs a lab", None, True)


def test_reproduction_counts_verdicts_and_is_json_safe():
    cells = (
        Cell.number("a", published=1, ours=1, tolerance=EXACT),
        Cell.number("b", published=1, ours=math.nan, tolerance=EXACT),
        Cell.not_run("c", published="a statement", needs="data"),
    )
    drawn = []
    result = Reproduction(cells=cells, figures=(Figure("one", "A caption.", lambda: drawn.append(1)),))
    assert [result.count(verdict) for verdict in ("agrees", "differs", "not run")] == [1, 1, 1]
    assert not result.is_documented
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["cells"][1]["ours"] is None
    assert result.to_dict()["figures"] == [{"name": "one", "caption": "A caption."}]
    assert drawn == []  # nothing is drawn before it is saved


def test_no_figure_is_written_if_one_cannot_be_drawn(tmp_path):
    import matplotlib.pyplot as plt

    def broken():
        raise InputError("no")

    figures = (Figure("good", "", lambda: plt.figure()), Figure("bad", "", broken))
    with pytest.raises(InputError):
        save_figures(figures, tmp_path / "out", prefix="x")
    plt.close("all")
    assert not (tmp_path / "out").exists()
    saved = save_figures(figures[:1], tmp_path / "out", prefix="x")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["x-good.png"] == [saved[0].name]


# ---------------------------------------------------------------- data


def test_tables_from_a_folder_with_gaps_and_nominal_values(tmp_path):
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci" / "tiny.csv").write_text("a,b,class\n1,x,no\n,y,yes\n3,,no\n")
    table = PaperData(tmp_path).table("tiny")
    assert (len(table), table.source) == (3, "the folder given")
    assert [table.is_numeric(name) for name in "ab"] == [True, False]
    assert table.labels("yes").tolist() == [False, True, False]
    assert table.matrix().tolist() == [[1, 1, 0], [2, 0, 1], [3, 0, 0]]
    assert table.matrix(nominal=("a",)).shape == (3, 4)
    with pytest.raises(InputError, match="no row of class 'maybe'"):
        table.labels("maybe")


def test_debian_examples_are_read_like_the_folder(tmp_path, monkeypatch):
    text = "% remark\n@relation 'a b'\n@attribute 'first one' {'x y', z}\n@attribute two numeric\n"
    text += "@ATTRIBUTE class {good,bad}\n@data\n'x y', 1.5,good\nz,?,bad\n"
    import gzip

    with gzip.open(tmp_path / "labor.arff.gz", "wt") as handle:
        handle.write(text)
    monkeypatch.setattr(_data, "_WEKA_EXAMPLES", tmp_path)
    table = PaperData().table("labor")
    assert list(table.attributes) == ["first one", "two"]
    assert table.attributes["first one"].tolist() == ["x y", "z"]
    assert table.attributes["two"].tolist() == ["1.5", ""]
    assert table.target.tolist() == ["good", "bad"]
    with pytest.raises(MissingDataError, match=r"uci/vote.csv in --data-dir or Debian's package weka"):
        PaperData().table("vote")


def test_tic_tac_toe_needs_no_file():
    table = PaperData().table("tic-tac-toe")
    assert (len(table), table.source) == (958, "enumeration")
    assert table.labels("positive").sum() == 626


def test_data_that_are_not_there_are_named(tmp_path):
    data = PaperData(tmp_path)
    for ask, needs in [
        (lambda: data.table("abalone"), "uci/abalone.csv in --data-dir"),
        (lambda: data.series("leuven"), "timeseries/leuven.csv in --data-dir"),
        (lambda: data.weka_scores("vote", 1), "weka_scores/vote_seed1.csv in --data-dir"),
    ]:
        with pytest.raises(MissingDataError) as caught:
            ask()
        assert caught.value.needs == needs


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", "a,class\n1\n", "a,class\n"])
def test_tables_of_another_layout_are_refused(tmp_path, content):
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci" / "odd.csv").write_text(content)
    with pytest.raises(InputError, match="must be a CSV table whose last column is named class"):
        PaperData(tmp_path).table("odd")


def test_folder_gives_the_same_rows_as_debian(shared_folder):
    if not _data._WEKA_EXAMPLES.is_dir():
        pytest.skip("Debian's package weka is not installed")
    for name in _data._ARFF_FILES:
        given, examples = PaperData(shared_folder / "data").table(name), PaperData().table(name)
        # segment is in two files of another order
        order = sorted if name == "segment" else list
        assert order(given.target) == order(examples.target), name
        assert len(given.attributes) == len(examples.attributes)


# ---------------------------------------------------------------- the command


def fake_study(monkeypatch, *cells, figures=()):
    """Put a study with these cells in the place of a real one."""
    from types import SimpleNamespace

    import demur.reproduce

    result = Reproduction(cells=cells, figures=figures, remarks=("How it was run.",))
    study = SimpleNamespace(TITLE="T", REFERENCE="R", PUBLISHED={}, run=lambda **options: result)
    monkeypatch.setattr(demur.reproduce, "load_study", lambda name: study)


def test_list_names_every_study(run):
    code, out, err = run("reproduce", "--list")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == list(STUDIES)
    code, out, _ = run("reproduce", "--list", "--json")
    assert [study["name"] for study in json.loads(out)["studies"]] == list(STUDIES)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["friedel2005"], "There is no study 'friedel2005'. Hint: the studies are friedel2006, "),
        ([], "A study is needed. Hint: demur reproduce --list"),
        (["vanderlooy2006", "--data-dir", "nowhere"], "`--data-dir` must be a folder, got 'nowhere'"),
        (["vanderlooy2006", "-o", "file"], "`--output` must be a folder, got 'file'"),
    ],
)
def test_wrong_input_is_one_sentence_and_writes_nothing(run, tmp_path, args, message):
    (tmp_path / "file").write_text("kept")
    code, out, err = run("reproduce", *args)
    assert (code, out) == (2, "")
    assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "kept"


def test_long_names_are_folded_at_80_columns(run, monkeypatch):
    long = "Table 1, a data set with a very long name indeed, a learner with a longer one, and more"
    fake_study(
        monkeypatch,
        Cell.number(long, published=0.5, ours=0.7, tolerance=TENTH, known="a reason " * 20),
        Cell.number("short", published=0.5, ours=0.5, tolerance=TENTH),
        Cell.claim(long, claim="a statement " * 10, holds=True, ours="it holds", checked="on 3 cases"),
        Cell.not_run("other", published=12.0, needs="data"),
    )
    code, out, _ = run("reproduce", "vanderlooy2006")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "differs [1]" in out
    assert "[2] not run: needs data" in out
    assert "4 cells: 2 agree, 1 differ, 1 not run." in out


def test_difference_without_a_reason_ends_with_exit_code_1(run, monkeypatch):
    fake_study(monkeypatch, Cell.number("Table 1", published=0.5, ours=0.7, tolerance=TENTH))
    code, out, _ = run("reproduce", "vanderlooy2006", "--json")
    assert (code, json.loads(out)["documented"]) == (1, False)


def test_all_runs_every_study(run, monkeypatch):
    fake_study(monkeypatch, Cell.not_run("Table 1", published=0.5, needs="data"))
    code, out, _ = run("reproduce", "all", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["schema"] == "demur.reproduce"
    assert [study["name"] for study in found["studies"]] == list(STUDIES)
    cell = found["studies"][0]["cells"][0]
    assert set(cell) == {
        "where", "published", "ours", "tolerance", "tolerance_reason", "verdict", "reason",
    }  # fmt: skip


def test_figures_go_to_the_folder_only(run, monkeypatch, tmp_path):
    import matplotlib.pyplot as plt

    fake_study(monkeypatch, figures=(Figure("fig-1", "A caption.", lambda: plt.figure()),))
    assert run("reproduce", "vanderlooy2006")[0] == 0
    assert list(tmp_path.iterdir()) == []
    code, out, _ = run("reproduce", "vanderlooy2006", "-o", "made/here", "--json")
    assert code == 0
    assert [path.name for path in (tmp_path / "made" / "here").iterdir()] == ["vanderlooy2006-fig-1.png"]
    assert json.loads(out)["studies"][0]["figures"][0]["file"] == "made/here/vanderlooy2006-fig-1.png"
