"""`Exportable`: what a policy offers to systems without demur."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from demur.windows.export.rule import DecisionRule

__all__ = ["Exportable"]


class Exportable:
    """Base of policies that are two thresholds and three labels: the same decisions in other languages."""

    __slots__ = ()

    @abstractmethod
    def _rule(self) -> DecisionRule:
        """Return what other systems need to know."""

    def to_sql(
        self,
        dialect: str = "duckdb",
        score: str = "score",
        *,
        table: str | None = None,
        decision: str = "decision",
    ) -> str:
        """Return the decision as one SQL expression, or with `table` as a query that adds it to the rows.

        The same decisions as `decide`, to the last bit: thresholds are written exactly and scores
        compared as floats of 64 bits. A missing score or NaN gets NULL, as in `demur apply`. A
        comment says which data and costs the policy rests on.

        Parameters
        ----------
        dialect : {"duckdb", "postgres", "spark", "bigquery", "snowflake", "tsql", "sqlite"}
            Who reads it.
        score : str
            Name of the column with the scores; quoted where it has to be.
        table : str, optional
            Name of a table, dots between catalogue, schema and table: return a whole query.
        decision : str
            Name of the new column in that query.

        Examples
        --------
        >>> from demur import CostModel, Policy, abstention_surface
        >>> surface = abstention_surface([0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 2, 2])
        >>> costs = CostModel(cost_fn=5, cost_fp=5, cost_abstain=1)
        >>> policy = Policy.from_surface(surface, costs=costs, model="risk")
        >>> print(policy.to_sql("sqlite").partition("*/")[2].strip())
        CASE
          WHEN typeof([score]) NOT IN ('real', 'integer') THEN NULL
          WHEN CAST([score] AS REAL) <= (CAST(1 AS REAL) / CAST(2 AS REAL)) THEN 0
          ELSE -1
        END
        """
        from demur.windows.export.sql import sql_of

        return sql_of(self._rule(), dialect=dialect, score=score, table=table, decision=decision)

    def to_python(self) -> str:
        """Return the source of a module with one function, `decide(score)`, that imports nothing.

        It returns the label for one score, the same as `apply`; None for None and NaN.
        """
        from demur.windows.export.python_source import python_of

        return python_of(self._rule())

    def to_onnx(self, model: Any = None, *, output: str | None = None, column: int | None = None) -> Any:
        """Return an `onnx.ModelProto`: `score` (float64, n numbers) in, `decision` (n labels) out.

        With `model`, a classifier in ONNX, the decision is put behind it: its inputs in, `decision`
        and `score` out. ONNX knows no missing labels, so NaN abstains. Needs ``demur[onnx]``.

        Parameters
        ----------
        model : onnx.ModelProto, optional
            For example from ``skl2onnx.to_onnx(estimator, X[:1], options={"zipmap": False})``. It may
            compute in floats of 32 bits: then so are the scores.
        output : str, optional
            Its output with the scores; needed if several outputs hold floats.
        column : int, optional
            Column of the positive class in that output; default: its place among the sorted labels.
        """
        from demur.windows.export.onnx_graph import onnx_of

        return onnx_of(self._rule(), model=model, output=output, column=column)
