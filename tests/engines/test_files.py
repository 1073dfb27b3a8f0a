"""Prediction files: what is written comes back, and every failure is one sentence."""

import gzip
import io

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import InputError, ScoreCounts, read_counts
from demur.cli.input.cases import read_cases
from demur.cli.options import Prices, Source
from demur.datasets.breast_cancer import breast_cancer_scores
from demur.engines.columns import unknown_column
from demur.engines.files import open_table
from examples import examples


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(source, *names, **kwargs):
    with open_table(source, **kwargs) as table:
        return table.read(names or table.kinds)


# ---------------------------------------------------------------- what comes back


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_and_line_ends(tmp_path, separator, end):
    rows = [["y", "model"], ["0", "0.25"], ["1", "0.5"]]
    path = write(tmp_path, "a.csv", end.join(separator.join(row) for row in rows) + end)
    columns = read(path)
    assert columns["y"].values.tolist() == [0, 1]
    assert columns["model"].values.tolist() == [0.25, 0.5]


@pytest.mark.parametrize("packed", [False, True])
def test_mixed_line_ends(tmp_path, packed):
    text = 'y,model\r\n0,0.25\n1,0.5\r\n"1",0.75\r\n'
    path = write(tmp_path, "a.csv", gzip.compress(text.encode()) if packed else text)
    columns = read(path)
    assert columns["y"].values.tolist() == [0, 1, 1]
    assert columns["model"].values.tolist() == [0.25, 0.5, 0.75]


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=20))
@settings(max_examples=examples(40), deadline=None)
def test_numbers_survive_a_round_trip_bit_by_bit(values):
    text = "id,score\n" + "".join(f"{k},{value!r}\n" for k, value in enumerate(values))
    column = read("-", "score", stdin=io.BytesIO(text.encode()))["score"]
    assert column.kind == "number"
    assert np.array_equal(np.asarray(column.values, dtype=np.float64), values)
    assert column.n_missing == 0
    assert column.first_missing is None


def test_missing_values_are_counted_with_their_first_row(tmp_path):
    path = write(tmp_path, "a.csv", "y,model\n1,0.5\n0,NA\n,nan\n1,\n")
    columns = read(path)
    assert (columns["model"].n_missing, columns["model"].first_missing) == (3, 2)
    assert (columns["y"].n_missing, columns["y"].first_missing) == (1, 3)


@pytest.mark.parametrize(
    "labels", [("yes", "no"), ("true", "False"), ("2024-01-01", "2024-01-02"), ("#a", "#b"), ("None", "some")]
)
def test_text_stays_text(tmp_path, labels):
    # DuckDB alone reads yes/no as booleans, dates into dates, and drops lines that start with "#"
    path = write(tmp_path, "a.csv", f"label,model\n{labels[0]},1\n{labels[1]},2\n")
    column = read(path, "label")["label"]
    assert (column.kind, column.values.tolist()) == ("text", list(labels))


def test_byte_order_mark_quotes_blank_lines_and_a_missing_last_newline(tmp_path):
    path = write(tmp_path, "a.csv", b'\xef\xbb\xbf"y_true","model, one"\n"yes","0.5"\n\n"a ""b""",1')
    columns = read(path)
    assert list(columns) == ["y_true", "model, one"]
    assert columns["y_true"].values.tolist() == ["yes", 'a "b"']
    assert columns["model, one"].values.tolist() == [0.5, 1.0]


def test_gzip_is_known_by_its_bytes_not_its_name(tmp_path):
    path = write(tmp_path, "scores.dat", gzip.compress(b"y,model\n0,1\n1,2\n"))
    assert read(path)["model"].values.tolist() == [1, 2]


def test_parquet_with_every_kind(tmp_path):
    path = tmp_path / "a.parquet"
    duckdb.sql(
        f"""copy (select true as y, 0.5::decimal(4, 2) as d, 1::utinyint as i, 'x' as t, 2.5::float as f,
        date '2024-01-01' as day union all select false, null, 2, 'z', 'nan'::float, date '2024-01-02')
        to '{path}' (format parquet)"""
    )
    with open_table(path) as table:
        kinds = {"y": "bool", "d": "number", "i": "number", "t": "text", "f": "number", "day": "date"}
        assert table.kinds == kinds
        columns = table.read(["y", "d", "f"])
    assert columns["y"].values.tolist() == [True, False]
    assert (columns["d"].values[0], columns["d"].first_missing, columns["f"].first_missing) == (0.5, 2, 2)


def test_columns_of_several_files_are_matched_by_name(tmp_path):
    write(tmp_path, "a1.csv", "y,one,two\n0,1,10\n")
    write(tmp_path, "a2.csv", "two,y,one\n20,1,2\n")
    columns = read(str(tmp_path / "a*.csv"))
    assert columns["one"].values.tolist() == [1, 2]
    assert columns["two"].values.tolist() == [10, 20]


def test_a_directory_is_all_its_tables_and_those_below(tmp_path):
    (tmp_path / "more").mkdir()
    write(tmp_path, "a.csv", "y,model\n0,1\n")
    write(tmp_path / "more", "b.csv", "model,y\n2,1\n")
    write(tmp_path / "more", "empty.csv", "")
    write(tmp_path, "_SUCCESS", "")
    assert read(tmp_path)["model"].values.tolist() == [1, 2]


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_names_of_folders_become_columns_of_a_partitioned_set(tmp_path, form):
    # a folder above the source alone makes no partitions
    folder = tmp_path / "run=7" / "set"
    folder.mkdir(parents=True)
    duckdb.sql(
        f"""copy (select i % 3 as day, i % 2 as y, i / 10 as model from range(12) t(i))
        to '{folder}' (format {form}, partition_by (day))"""
    )
    with open_table(folder) as table:
        assert table.partitions == ("run", "day")
        assert list(table.kinds) == ["y", "model", "day", "run"]
        assert sorted(table.read(["day"])["day"].values.tolist()) == [0] * 4 + [1] * 4 + [2] * 4
    with open_table(str(folder / "day=1" / "*")) as table:
        assert table.partitions == ()
        assert set(table.kinds) == {"y", "model"}


def test_the_command_line_takes_a_partitioned_set_and_leaves_its_keys_out(tmp_path):
    query = "select i % 3 as day, i % 2 as y, i / 10 as model from range(12) t(i)"
    duckdb.sql(f"copy ({query}) to '{tmp_path / 'set'}' (format parquet, partition_by (day))")
    found = read_cases(Source(file=str(tmp_path / "set")), Prices())
    assert (found.whole.n, list(found.roles.models)) == (12, ["model"])
    assert found.roles.left_out == ("day (a partition)",)


def test_a_name_with_glob_characters_is_taken_literally(tmp_path):
    write(tmp_path, "a1.csv", "y,model\n0,1\n")
    path = write(tmp_path, "a[1].csv", "y,model\n0,7\n")
    assert read(path)["model"].values.tolist() == [7]


def test_a_pattern_is_one_only_where_no_file_has_that_name(tmp_path):
    write(tmp_path, "a1.csv", "y,model\n0,1\n")
    assert read(tmp_path / "a[1].csv")["model"].values.tolist() == [1]
    write(tmp_path, "a[1].csv", "y,model\n0,7\n")
    assert read(tmp_path / "a[1].csv")["model"].values.tolist() == [7]


def test_saved_counts_are_loaded_by_their_literal_name(tmp_path, monkeypatch):
    one, seven = (ScoreCounts.from_arrays([0, 1], [k, k + 1]) for k in (1, 7))
    one.save(tmp_path / "d1.parquet")
    seven.save(tmp_path / "d[1].parquet")
    assert ScoreCounts.load(tmp_path / "d[1].parquet") == seven
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="must be a readable Parquet file, got no such file"):
        ScoreCounts.load("")
    with pytest.raises(InputError, match="must be a readable Parquet file, got no such file"):
        ScoreCounts.load("d*.parquet")


def test_an_empty_name_is_not_the_current_folder(tmp_path, monkeypatch):
    write(tmp_path, "a.csv", "y,model\n0,1\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="must name a file, a folder or a pattern, got an empty name"):
        read("")
    with pytest.raises(InputError, match="got an empty name"):
        read_counts("", y_true="y", scores="model")


def test_a_surprise_below_the_sample_makes_text_not_a_crash(tmp_path):
    path = write(tmp_path, "a.csv", "y,model\n" + "1,0.5\n" * 250_000 + "0,oops\n")
    with open_table(path) as table:
        assert (table.kinds["model"], table.n_rows) == ("text", 250_001)
        assert table.n_numeric("model") == 250_000


def test_decimals_after_a_long_run_of_whole_numbers(tmp_path):
    # DuckDB alone reads the last value as the whole number 0, without a word
    path = write(tmp_path, "a.csv", "y,model\n" + "1,1\n" * 250_000 + "0,0.25\n")
    assert read(path, "model")["model"].values[-1] == 0.25


def test_duplicated_rows_by_hand(tmp_path):
    with open_table(write(tmp_path, "a.csv", "y,model\n0,1\n0,1\n1,1\n0,1\n,\n,\n")) as table:
        assert table.n_duplicated() == 3


def test_values_that_repeat_by_hand(tmp_path):
    # what is missing does not repeat; "A" is not "a"
    content = 'id,other,"a ""b""",text\n1,1,0.5,a\n2,2,0.5,A\n,2,0.25,\n,3,1,\n'
    with open_table(write(tmp_path, "a.csv", content)) as table:
        found = {name: table.repeats(name) for name in table.kinds}
    assert found == {"id": False, "other": True, 'a "b"': True, "text": False}


# ---------------------------------------------------------------- failures


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "an empty file"),
        ("y,model\n", "at least one row below the header, got none"),
        ("y,model\n1,2,3\n", "must have 2 fields in every line, as in the header, got 3 in line 2"),
        ("y,a,b\n1,2,3\n1,2\n", "must have 3 fields .* got 2 in line 3"),
        ("y,a,A\n1,2,3\n", "must not repeat a column name, got a and A"),
        ("y,a\ncaf\xe9,1\n".encode("latin-1"), "must be UTF-8 text"),
        ("y,a\n1,2\n".encode("utf-16"), "UTF-16 text"),
        (b"PK\x03\x04 and so on", "an Excel or zip file. Hint: export it as CSV"),
        (b"PAR1 and so on", "must be a readable table"),
        (b"\x1f\x8b and so on", "must be readable"),
        (bytes(range(256)), "must be UTF-8 text"),
    ],
)
def test_bad_content_sentences(tmp_path, content, message):
    path = write(tmp_path, "a.csv", content)
    with pytest.raises(InputError, match=message) as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_bad_source_sentences(tmp_path):
    write(tmp_path, "scores.csv", "y,model\n0,1\n")
    write(tmp_path, "scores.gz", gzip.compress(b"y,model\n0,1\n"))
    write(tmp_path, "semicolons.csv", "y;model\n0;1\n")
    for source, message in [
        ("score.csv", "no such file. Hint: did you mean .*scores.csv"),
        ("zzz", "no such file.$"),
        ("no/where.csv", "no directory"),
        ("", "one kind, got csv and gzip"),
        ("x*.csv", "must match at least one file"),
        ("scores.*", "one kind, got csv and gzip"),
        ("s*.csv", "one separator"),
    ]:
        with pytest.raises(InputError, match=message):
            read(str(tmp_path / source))


def test_a_directory_without_tables_is_one_sentence(tmp_path):
    write(tmp_path, "README.txt", "nothing to see")
    write(tmp_path, "_SUCCESS", "")
    write(tmp_path, ".hidden.csv", "y,model\n0,1\n")
    with pytest.raises(InputError, match=r"must hold CSV or Parquet files, got none\. Hint: name a file"):
        read(tmp_path)
    write(tmp_path, "part.csv", "")
    with pytest.raises(InputError, match="got empty ones only"):
        read(tmp_path)


def test_nul_in_the_name_of_a_column(tmp_path):
    path = write(tmp_path, "a.csv", "\0y,model\n0,0.25\n1,0.5\n")
    with pytest.raises(InputError, match="must have names of columns without the character NUL"):
        read(path)


def test_an_unknown_column_is_named_with_the_nearest(tmp_path):
    with (
        open_table(write(tmp_path, "a.csv", "y_true,model\n0,1\n")) as table,
        pytest.raises(InputError, match=r"no column 'ytrue'; .* did you mean y_true"),
    ):
        table.read(["ytrue"])


def test_an_unknown_column_of_a_wide_table_is_a_short_message():
    names = [f"feature_{k}" for k in range(10_000)]
    message = str(unknown_column("wide.csv", "featur_7", names))
    assert message == (
        "`wide.csv` has no column 'featur_7'; "
        "it has 10000 columns, feature_0, feature_1, feature_2 and so on. "
        "Hint: did you mean feature_7 or feature_97 or feature_87?"
    )
    assert len(str(unknown_column("odd.csv", "x" * 9999, ["y" * 9999] * 30))) < 400


# ---------------------------------------------------------------- bundled data


def test_breast_cancer_scores_are_out_of_fold_and_seeded():
    data = breast_cancer_scores(folds=3, seed=1)
    again = breast_cancer_scores(folds=3, seed=1)
    assert (data.diagnosis == "malignant").sum() == 212
    assert len(data.diagnosis) == 569
    assert np.unique(data.fold).tolist() == [0, 1, 2]
    for name, scores in data.scores.items():
        assert np.array_equal(scores, again.scores[name])
        assert (
            scores[data.diagnosis == "malignant"].mean()
            > 0.8
            > 0.2
            > scores[data.diagnosis == "benign"].mean()
        )
    # held out: a forest that had seen its cases would hardly ever be unsure
    assert np.mean(np.abs(data.scores["forest"] - 0.5) < 0.3) > 0.05


def test_breast_cancer_scores_need_two_folds():
    with pytest.raises(InputError, match="`folds` must be a whole number of at least 2"):
        breast_cancer_scores(folds=1)


def test_a_header_field_longer_than_the_reader_takes(tmp_path):
    for length in (131_072, 131_073):
        path = write(tmp_path, "long.csv", f"y,{'a' * length}\n0,1\n1,2\n")
        if length == 131_072:
            assert read_counts(path, y_true="y", scores="a" * length)["a" * length].n == 2
        else:
            with pytest.raises(
                InputError, match=r"long.csv` must be a readable table, got field larger than"
            ):
                read_counts(path, y_true="y", scores="a" * length)


@pytest.mark.parametrize("labels", ["[[0], [1]]", "[[0, 1], [1, 2]]", "[{'k': 0}, {'k': 1}]"])
@pytest.mark.parametrize("kind", ["Parquet", "pandas", "lazy Polars"])
def test_lists_and_records_are_no_labels(tmp_path, labels, kind):
    path = tmp_path / "nested.parquet"
    rows = f"select unnest({labels}) as y, unnest([0.1::double, 0.9]) as a"
    duckdb.sql(rows).write_parquet(str(path))
    source = path
    if kind != "Parquet":
        library = pytest.importorskip("pandas" if kind == "pandas" else "polars")
        source = library.read_parquet(path)
        source = source if kind == "pandas" else source.lazy()
    with pytest.raises(InputError, match=r"classes or groups must hold one value per row, got [{[]"):
        read_counts(source, y_true="y", scores="a")
    if kind == "Parquet":
        with pytest.raises(InputError, match=r"classes or groups must hold one value per row, got [{[]"):
            read_cases(Source(file=str(path)), Prices())
