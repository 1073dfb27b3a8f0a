"""Addresses of warehouses: secrets stay secret, and nothing is created by looking."""

import pytest

from demur import InputError, read_counts
from demur.engines.addresses import shown_address, without_secrets
from demur.engines.files import open_table

SECRET = "s3cr#t@/%41"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgres://ann:pw@host:5432/db#t", "postgres://ann:***@host:5432/db#t"),
        ("postgres://ann:p:w@x@host/db#t", "postgres://ann:***@host/db#t"),
        ("s3a://KEY:SECRET@bucket/a.parquet", "s3a://KEY:***@bucket/a.parquet"),
        ("snowflake://ann@host/db?role=r&password=pw&warehouse=w#t", None),
        ("md:db?motherduck_token=abc", "md:db?motherduck_token=abc"),
        ("duckdb://host/db?motherduck_token=abc#t", "duckdb://host/db?motherduck_token=***#t"),
        ("sqlite://a@b.db#t", "sqlite://a@b.db#t"),
        ("C:/data/a:b@c.csv", "C:/data/a:b@c.csv"),
    ],
)
def test_passwords_and_tokens_are_hidden(address, shown):
    wanted = "snowflake://ann@host/db?role=r&password=***&warehouse=w#t" if shown is None else shown
    assert shown_address(address) == wanted


def test_a_library_that_repeats_the_password_is_corrected():
    address = "postgres://ann:p%40ss@host/db#t"
    text = "connection to postgres://ann:p%40ss@host failed for password p@ss"
    assert without_secrets(text, address) == "connection to postgres://ann:***@host failed for password ***"


@pytest.mark.parametrize("form", ["postgres://ann:{}@localhost:1/db#t", "nobody://ann:{}@h/db#t"])
def test_no_message_repeats_a_password(form):
    pytest.importorskip("ibis", reason="Ibis is not installed")
    for address in (form.format(SECRET), form.format(SECRET).removesuffix("#t")):
        with pytest.raises(InputError) as caught:
            read_counts(address, y_true="y", scores="s")
        assert "ann:***@" in str(caught.value)
        assert SECRET not in str(caught.value)
        with pytest.raises(InputError, match="must be a file, got an address") as caught:
            open_table(address)
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb", "SQLite", "file"])
@pytest.mark.parametrize("name", ["none.db", "none.duckdb", "no folder/none.db"])
def test_a_database_that_does_not_exist_is_not_created(tmp_path, monkeypatch, scheme, name):
    pytest.importorskip("ibis", reason="Ibis is not installed")
    monkeypatch.chdir(tmp_path)
    for path in (f"{tmp_path}/{name}", name):
        with pytest.raises(InputError, match="must be the address of an existing database, got no such file"):
            read_counts(f"{scheme}://{path}#t", y_true="y", scores="s")
    assert list(tmp_path.iterdir()) == []
