"""Addresses such as duckdb://scores.db#predictions: the table behind one, and how to show one safely.

Passwords and tokens in an address never appear in a message, not even where a library repeats them.
"""

import re
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from demur._checks import input_error
from demur.exceptions import InputError

__all__ = ["is_address", "shown_address", "warehouse_table", "without_secrets"]

# a drive letter is no scheme
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
# the user's password may hold any sign, @ and # among them
_PASSWORD = re.compile(r"^([^:]+://[^:/@]*):(.+)@", re.DOTALL)
_SECRET_OPTION = re.compile(
    r"([?&;][^=&;#]*(?:pass|pwd|token|secret|key|credential|sig)[^=&;#]*)=([^&;#]+)", re.I
)
_HIDDEN = "***"
# Ibis makes a new database of a path it does not find
_IN_ONE_FILE = ("sqlite", "duckdb")


def is_address(source: str) -> bool:
    """Tell whether a source is an address, not a path."""
    return _ADDRESS.match(source) is not None


def shown_address(source: str) -> str:
    """Return a source as messages may show it: without the password and tokens of an address."""
    if not is_address(source):
        return source
    return _SECRET_OPTION.sub(rf"\1={_HIDDEN}", _PASSWORD.sub(rf"\1:{_HIDDEN}@", source))


def without_secrets(text: str, source: str) -> str:
    """Return a text with the secrets of an address hidden wherever they appear."""
    if not is_address(source):
        return text
    matches = _PASSWORD.findall(source) + _SECRET_OPTION.findall(source)
    secrets = {form for _, secret in matches for form in (secret, unquote(secret))}
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    return text


def warehouse_table(source: str) -> Any:
    """Return the Ibis table at an address, URL#table."""
    shown = shown_address(source)
    try:
        ibis = import_module("ibis")
    except ImportError:
        raise InputError(
            f"`{shown}` is an address, and warehouses are read through Ibis, which is missing. "
            "Hint: pip install 'demur[ibis]'."
        ) from None
    address, _, table = source.rpartition("#")
    if not address or not table:
        raise input_error("source", "must name the table after the address", repr(shown), "write URL#table.")
    _require_database(address)
    try:
        return ibis.connect(address).table(table)
    # every backend of Ibis raises errors of its own
    except Exception as error:  # noqa: BLE001
        first_line = str(error).strip().split("\n", 1)[0].rstrip(".") or type(error).__name__
        reason = without_secrets(first_line, source)
        raise InputError(f"`{shown}` must be a table Ibis can open, got this: {reason}.") from None


def _require_database(address: str) -> None:
    """Refuse the address of a database file that does not exist: opening it would create it."""
    scheme, _, rest = address.partition("://")
    path = rest.partition("?")[0]
    in_one_file = scheme.lower() in _IN_ONE_FILE or scheme.lower() == "file"
    if not in_one_file or path in ("", ":memory:") or path.startswith(("md:", "motherduck:")):
        return
    if not Path(path).exists():
        raise input_error(
            shown_address(address), "must be the address of an existing database", "no such file"
        )
