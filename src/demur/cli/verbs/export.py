"""`demur export POLICY`: a policy as SQL, as an ONNX model or as plain Python."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import ClassVar

import click

from demur.cli.options import Flags, Output, flag, takes, verb
from demur.exceptions import InputError

__all__ = ["command"]

_LANGUAGES = {"sql": ".sql", "onnx": ".onnx", "python": ".py"}


@dataclass(frozen=True, kw_only=True)
class Target(Flags):
    """Which policy goes where."""

    TITLE: ClassVar[str] = "Target"

    policy: str = flag(metavar="POLICY")
    to: str | None = flag(
        "--to",
        type=click.Choice(tuple(_LANGUAGES)),
        help="Language [default: what the name after -o ends in].",
    )
    dialect: str | None = flag(
        "--dialect",
        metavar="NAME",
        help="Of SQL: duckdb, postgres, spark, bigquery, snowflake, tsql or sqlite [default: duckdb].",
    )
    score: str | None = flag(
        "--score",
        metavar="COLUMN",
        help="SQL column with the scores [default: the policy's model, or score]; for a policy of many "
        "classes one per class, with commas between.",
    )
    table: str | None = flag(
        "--table", metavar="NAME", help="SQL table: write a whole query instead of an expression."
    )

    def language(self, output: Output) -> str:
        """Return the language asked for, by flag or by the name of the file."""
        suffix = PurePath(str(output.path)).suffix.lower() if output.to_file else ""
        named = self.to or {ending: language for language, ending in _LANGUAGES.items()}.get(suffix)
        if named is None:
            raise InputError("`--to` is needed: sql, onnx or python. Hint: -o policy.sql says it, too.")
        return named


@verb(
    "export",
    example="""Examples: decide inside a database, or where demur is not installed
  demur export policy.json --to sql --dialect postgres --table scores
  demur export policy.json -o decide.py
  demur export policy.json -o policy.onnx
""",
)
@takes(Target)
@takes(Output)
def command(*, target: Target, output: Output) -> None:
    """Write a policy as SQL, as an ONNX model or as plain Python.

    The copy decides exactly like `demur apply`. SQL is a CASE expression, or with --table a query.
    Python is one function without imports. A score that is missing or NaN gets no decision (NULL,
    None); an ONNX model abstains on NaN.
    """
    language = target.language(output)
    sql_only = {name: value for name, value in target.given().items() if name not in ("--to",)}
    if language != "sql" and sql_only:
        raise InputError(f"`{next(iter(sql_only))}` is for SQL, got --to {language}. Hint: leave it out.")
    if language == "onnx" and not output.to_file:
        raise InputError("`-o` is needed: an ONNX model is not text. Hint: -o policy.onnx.")
    output.format((_LANGUAGES[language],) if language == "onnx" else (_LANGUAGES[language], ".txt"))
    from demur._files.whole import draft_of
    from demur.cli.input.policies import read_policy
    from demur.cli.output import document, remark, write

    policy, content = read_policy(target.policy, quiet=output.quiet), None
    if language == "onnx":
        with draft_of(str(output.path)) as draft:
            draft.write_bytes(policy.to_onnx().SerializeToString())
    elif language == "sql":
        columns: list[str] = list(policy.columns)
        if target.score is not None:
            columns = (
                [name.strip() for name in target.score.split(",")]
                if policy.rule.inputs > 1
                else [target.score]
            )
        content = policy.to_sql(target.dialect or "duckdb", columns, table=target.table)
    else:
        content = policy.to_python().rstrip("\n")
    if content is not None and (output.to_file or not output.as_json):
        write(content, output.path)
    if output.as_json:
        told = {"policy": target.policy, "to": language, "output": output.path, "content": content}
        write(document("export", told), None)
    elif output.to_file:
        remark(f"Written to {output.path}.", quiet=output.quiet)
