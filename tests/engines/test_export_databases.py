"""A policy as SQL in a real PostgreSQL, and read by a parser for databases that cannot be started here."""

import json
import math

import numpy as np
import pytest
import sqlglot
from sqlglot import expressions as sql

from class_cases import RULES, class_policy, hard_rows
from demur import Policy
from demur.policy.sql import DIALECTS
from demur.windows import ByGroup, Constant, Window
from expected_cost_cases import boundary_rows, learned
from export_cases import LABELS, WINDOWS, WORDS, hard_scores, policy
from postgres_server import postgres_fixture  # noqa: F401 - a fixture

ROWS = 1_000_000


def load(postgres, table, scores, kind="double precision"):
    """Make a table of scores in the order of `at`."""
    text = "\n".join(f"{at}\t{score!r}" for at, score in enumerate(scores.tolist()))
    script = f"drop table if exists {table}; create table {table} (at integer, score {kind});"
    # NaN and inf are spelled like that in both languages
    postgres.run(f"{script}\ncopy {table} from :'rows';", rows=text + "\n")


def decisions(postgres, made, table):
    answer = postgres.run(
        f"select coalesce(json_agg(d order by at), '[]') from "
        f"(select at, {made.to_sql('postgres')} as d from {table}) as decided;"
    )
    return json.loads(answer)


# ---------------------------------------------------------------- PostgreSQL


@pytest.mark.parametrize("labels", LABELS, ids=["whole", "text", "number"])
def test_hard_scores_in_postgres_against_decide(postgres, labels):
    scores = hard_scores()
    load(postgres, "hard", scores)
    for window in WINDOWS:
        made = policy(window, **labels)
        assert decisions(postgres, made, "hard") == made.apply(scores).tolist(), window


def test_a_million_scores_in_postgres_against_decide(postgres):
    made = policy(WINDOWS[0], pos_label="ill", neg_label="well", abstain_label="ask")
    scores = hard_scores([WINDOWS[0]], rows=ROWS)
    load(postgres, "many", scores)
    assert decisions(postgres, made, "many") == made.apply(scores).tolist()


def test_scores_of_32_bits_and_missing_ones_in_postgres(postgres):
    scores = np.array([0.3, 0.6, 0.60000002, 0.29999998, 0.1, 0.9], dtype=np.float32)
    load(postgres, "single", scores, "real")
    made = policy((float(np.float32(0.3)), 0.6))
    assert decisions(postgres, made, "single") == made.decide(scores).tolist()
    load(postgres, "missing", np.array([math.nan, 0.1]))
    postgres.run("insert into missing values (2, null);")
    # PostgreSQL holds NaN for larger than every number: without the test for it this would be positive
    assert decisions(postgres, made, "missing") == [None, 0, None]


def test_query_over_a_table_of_postgres(postgres):
    postgres.run('create schema "S"; create table "S"."my table" ("Score" real, "select" integer);')
    postgres.run('insert into "S"."my table" values (0.9, 7);')
    query = policy(**WORDS).to_sql("postgres", "Score", table="S.my table", decision="d")
    assert postgres.run(f"select \"select\", d = 'it''s ''ill''' from ({query}) as q;") == "7|t\n"


@pytest.mark.parametrize("kind", ["text", "integer", "double precision"])
def test_a_rule_per_group_in_postgres_against_decide(postgres, kind):
    rules = {"7": (["s"], Window(0.3, 0.6)), "8": ([], Constant(1)), "it's": (["s"], Window(0.5, 0.5))}
    rule = ByGroup(column="g", rules=rules, fallback=(["s"], Window(0.2, 0.8)))
    made = Policy(rule=rule, classes=("well", "it's ill"), abstain_label="ask")
    groups = ["7", "7.0", "8", "9", "it's", "It's"] if kind == "text" else [7, 8, 9]
    rows = [(score, group) for group in groups for score in (0.2, 0.3, 0.45, 0.6, 0.8)]
    listed = ", ".join(
        f"({k}, {s!r}, '{str(g).replace(chr(39), chr(39) * 2)}')" for k, (s, g) in enumerate(rows)
    )
    postgres.run(f"drop table if exists grouped; create table grouped (at integer, s real, g {kind});")
    postgres.run(
        f"insert into grouped values {listed}, (1000, null, '8'), (1001, null, '9'), (1002, 0.5, null);"
    )
    query = f"select json_agg(d order by at) from (select at, {made.to_sql('postgres')} as d from grouped) q;"
    single = [(float(np.float32(score)), group) for score, group in rows]
    expected = made.apply(np.array(single, dtype=object)).tolist()
    assert json.loads(postgres.run(query)) == [*expected, "it's ill", None, "ask"]


# ---------------------------------------------------------------- parsed only


@pytest.mark.parametrize("labels", LABELS, ids=["whole", "text", "number"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_parser_of_the_dialect_reads_thresholds_and_labels_back(dialect, labels):
    for window in WINDOWS:
        made = policy(window, **labels)
        tree = sqlglot.parse_one(f"SELECT {made.to_sql(dialect, 'my score')} FROM t", read=dialect)
        case = tree.find(sql.Case)
        assert {column.name for column in tree.find_all(sql.Column)} == {"my score"}
        compared = {type(test): _value(test.expression) for test in case.find_all(sql.GTE, sql.LTE)}
        finite = {sql.GTE: made.upper, sql.LTE: made.lower if made.upper > -math.inf else -math.inf}
        assert compared == {kind: cut for kind, cut in finite.items() if math.isfinite(cut)}
        assert _label(case.args["default"]) in (made.pos_label, made.neg_label, made.abstain_label)
        answers = [_label(branch.args["true"]) for branch in case.args["ifs"]]
        assert answers[0] is None
        assert set(answers[1:]) <= {made.pos_label, made.neg_label}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_parser_of_the_dialect_reads_the_query(dialect):
    query = policy().to_sql(dialect, table="lake.scores", decision="what next")
    (tree,) = sqlglot.parse(query, read=dialect)
    assert tree.selects[-1].alias == "what next"
    table = tree.find(sql.Table)
    assert (table.db, table.name) == ("lake", "scores")


def _value(node):
    """Compute what stands for a number in a tree, as a float of 64 bits."""
    if isinstance(node, (sql.Paren, sql.Cast, sql.TryCast)):
        return _value(node.this)
    if isinstance(node, sql.Neg):
        return -_value(node.this)
    if isinstance(node, (sql.Div, sql.Mul)):
        left, right = _value(node.this), _value(node.expression)
        return left / right if isinstance(node, sql.Div) else left * right
    assert isinstance(node, sql.Literal), node
    return float(node.this)


def _label(node):
    if isinstance(node, sql.Null):
        return None
    if isinstance(node, sql.National) or (isinstance(node, sql.Literal) and node.is_string):
        # older parsers leave the escape that keeps ${name} from Spark as it stands
        return node.name.replace("\\u0024", "$")
    return _value(node)


# ---------------------------------------------------------------- Arrow


@pytest.mark.parametrize("labels", LABELS, ids=["whole", "text", "number"])
def test_dictionaries_of_arrow_against_labels(labels):
    made, scores = policy(**labels), hard_scores(rows=100_000)
    found = made.apply(scores, output="arrow")
    assert found.indices.type == "int8"
    assert found.to_pylist() == made.apply(scores).tolist()


@pytest.mark.parametrize("rule", RULES)
def test_many_classes_in_postgres_against_apply(postgres, rule):
    made = class_policy(rule)
    # PostgreSQL refuses products that vanish
    usual = [row for row in hard_rows(100).tolist() if 5e-324 not in row]
    rows = [*usual, [math.nan, 0.5, 0.5], [-0.1, 0.5, 0.6], [math.inf, 0.1, 0.1]]
    text = "\n".join("\t".join(map(repr, [at, *row])) for at, row in enumerate(rows))
    script = "drop table if exists three; create table three (at integer, a float8, b float8, c float8);"
    postgres.run(f"{script}\ncopy three from :'rows';", rows=text + "\n")
    answer = postgres.run(
        f"select json_agg(d order by at) from (select at, {made.to_sql('postgres')} as d from three) as q;"
    )
    assert json.loads(answer) == [*made.apply(rows[:-3]).tolist(), None, None, None]


def test_expected_costs_in_postgres_against_apply(postgres):
    made = Policy(rule=learned(), classes=("legit", "fraud"), abstain_label="ask")
    # PostgreSQL refuses products that vanish
    usual = [row for row in boundary_rows(made.rule, 100) if row[1] != 5e-324]
    rows = [*usual, [math.nan, 5.0], [0.5, math.nan], [0.5, -1.0], [math.inf, 1.0]]
    text = "\n".join(f"{at}\t{float(score)!r}\t{float(amount)!r}" for at, (score, amount) in enumerate(rows))
    script = "drop table if exists paid; create table paid (at integer, score float8, amount float8);"
    postgres.run(f"{script}\ncopy paid from :'rows';", rows=text + "\n")
    query = made.to_sql("postgres", ["score", "amount"], table="paid", decision="d")
    answer = postgres.run(f"select json_agg(d order by at) from ({query}) as q;")
    assert json.loads(answer) == [*made.apply(usual).tolist(), None, None, None, None]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_parser_of_the_dialect_reads_expected_costs(dialect):
    made = Policy(rule=learned())
    (tree,) = sqlglot.parse(made.to_sql(dialect, ["score", "paid"], table="t"), read=dialect)
    read = {column.name for column in tree.find_all(sql.Column)}
    assert read == {"score", "paid", "demur_z", "demur_p", "demur_q"}
