"""Cost matrices in files: both forms agree, and every broken file gets a sentence."""

import pytest

from demur import CostMatrix, InputError
from demur.engines import read_cost_matrix

EXPECTED = {
    "a": {"a": 0.0, "b": 1.0, "c": 4.0},
    "b": {"a": 3.0, "b": 0.0, "c": 2.0},
    "c": {"a": 8.0, "b": 6.5, "c": 0.0},
}


def write(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain.csv", "true,a,b,c\na,0,1,4\nb,3,0,2\nc,8,6.5,0\n"),
        ("other_order.csv", "true,c,a,b\nb,2,3,0\na,4,0,1\nc,0,8,6.5\n"),
        ("right_answers_empty.csv", ",a,b,c\na,,1,4\nb,3,,2\nc,8,6.5,\n"),
        ("semicolons.CSV", "\ufeffActual;a;b;c\r\na;0;1;4\r\n\r\nb; 3;0;2\r\nc;8;6.5;0\r\n"),
        ("tables.toml", "[costs.a]\nb = 1\nc = 4\n[costs.b]\na = 3\nc = 2\n[costs.c]\na = 8\nb = 6.5\n"),
        ("bare.toml", "[c]\na = 8\nb = 6.5\nc = 0\n[a]\nb = 1\nc = 4\n[b]\na = 3\nc = 2\n"),
        ("inline.toml", "[costs]\na = {b = 1, c = 4}\nb = {a = 3, c = 2}\nc = {a = 8, b = 6.5}\n"),
    ],
)
def test_all_forms_are_one_matrix(tmp_path, name, text):
    found = read_cost_matrix(write(tmp_path, name, text))
    assert isinstance(found, CostMatrix)
    assert found.to_mapping() == EXPECTED


def test_class_named_costs_is_a_class(tmp_path):
    text = "[costs]\ngains = 2\n[gains]\ncosts = 5\n"
    found = read_cost_matrix(write(tmp_path, "odd.toml", text))
    assert found.cost(true="costs", predicted="gains") == 2


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("costs.txt", "", "`path` must end in .csv or .toml"),
        ("empty.csv", "\n\n", "must hold a cost matrix, got an empty file"),
        ("empty.toml", "", "must hold a cost matrix, got an empty file"),
        (
            "flipped.csv",
            "predicted,a,b\na,0,1\nb,2,0\n",
            "must start with the field 'true', .* exchange them",
        ),
        ("headless.csv", "a,0,1\nb,2,0\n", "must start with the field 'true', got 'a'"),
        ("short.csv", "true,a,b\na,0\nb,2,0\n", "must have 3 fields in every line, got 2 in line 2"),
        (
            "word.csv",
            "true,a,b\na,0,dear\nb,2,0\n",
            "must give a number for the answer 'b' in line 2, got 'dear'",
        ),
        ("hole.csv", "true,a,b\na,0,\nb,2,0\n", "must give a number for the answer 'b' in line 2, got ''"),
        ("inf.csv", "true,a,b\na,0,inf\nb,2,0\n", "must give a number for the answer 'b'"),
        ("twice.csv", "true,a,a\na,0,1\n", "must not repeat a column, got 'a'"),
        ("rows.csv", "true,a,b\na,0,1\na,0,1\n", "must not repeat a row, got 'a'"),
        ("noname.csv", "true,a,\na,0,1\n", "must name every column"),
        ("unknown.csv", "true,a,b\na,0,1\nc,2,0\n", "rows 'a', 'c' and columns 'a', 'b'"),
        ("missing.csv", "true,a\na,0\nb,2\n", "must say what the answer 'b' costs"),
        ("bad.toml", "[a\n", "must be TOML"),
        ("flat.toml", "a = 3\n", "must have a table for the class 'a'"),
        (
            "bool.toml",
            "[a]\nb = true\n[b]\na = 1\n",
            r"must give a number for the answer 'b' in \[a\], got True",
        ),
        ("lonely.toml", "[a]\nb = 1\n", "rows 'a' and columns 'b'"),
    ],
)
def test_error_sentences(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        read_cost_matrix(write(tmp_path, name, text))


def test_unreadable_files(tmp_path):
    with pytest.raises(InputError, match="must be readable, got No such file"):
        read_cost_matrix(tmp_path / "none.csv")
    latin = tmp_path / "latin.csv"
    latin.write_bytes("true,é\né,0\n".encode("latin-1"))
    with pytest.raises(InputError, match="must be UTF-8 text"):
        read_cost_matrix(latin)
