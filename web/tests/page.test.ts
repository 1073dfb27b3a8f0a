/** What the page reads, keeps and copies. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { asCommand, asPython } from "../src/copy";
import { DataError, readReport } from "../src/data";
import { general, grouped, perThousand, stepOf } from "../src/numbers";
import { whyNoPolicy } from "../src/policy";
import { initialState, maxAbstention, readFragment, writeFragment } from "../src/state";
import { outOf100, shortName } from "../src/words";
import { Surface } from "../src/math/surface";

const column = { lower: ["-inf", 0.5, "inf"], upper: ["-inf", 0.5, "inf"] };
const json = JSON.stringify({
  schema: "demur.report",
  version: 1,
  software: { demur: "0.1" },
  source: { name: "p.csv", label: "y", positive: "1", negative: "0", weight: null },
  n_positive: 2,
  n_negative: 2,
  confidence_level: 0.95,
  costs: { cost_fn: 100, cost_fp: 40, cost_abstain: null },
  prevalence: 0.25,
  models: ["inf", "B"].map((name) => ({
    name,
    blocks: { positives: [0, 2], negatives: [2, 0] },
    cuts: column,
    bins: { edges: [0, 1], positives: [2], negatives: [2] },
    roc: { fpr: [0, 1], tpr: [0, 1], thresholds: ["inf", null] },
  })),
});
const report = readReport(json);

test("infinite thresholds are read, names stay text", () => {
  assert.deepEqual(report.models[0].cuts.lower, [-Infinity, 0.5, Infinity]);
  assert.ok(Number.isNaN(report.models[0].roc.thresholds[1]));
  assert.equal(report.models[0].name, "inf");
  assert.deepEqual(report.models[0].folds, []);
});

test("other data are refused with a sentence", () => {
  const cases = [
    ["{", /no JSON/],
    ["null", /schema demur.report, got undefined/],
    ['{"schema": "demur.policy"}', /got demur.policy/],
    ['{"schema": "demur.report", "version": 2}', /version 1, got 2. Hint/],
    ['{"schema": "demur.report", "version": 1, "models": []}', /hold no model/],
  ] as const;
  for (const [text, sentence] of cases) {
    assert.throws(() => readReport(text), (error: Error) => error instanceof DataError && sentence.test(error.message));
  }
});

test("a fragment from elsewhere changes nothing it cannot", () => {
  const start = initialState(report);
  const bad = "#fn=0&fp=x&model=7&colour=pink&compare=0&box=1~0~0~1&capacity=5~0&prevalence=2&entry=both&extra=1";
  assert.deepEqual(readFragment(bad, report), start);
  assert.deepEqual(readFragment("", report), start);
  assert.deepEqual(readFragment("#%E0%A4%A", report), start);
  assert.equal(start.costs.abstain, Infinity);
});

test("the prevalence of the data can be asked for where the page starts with another", () => {
  const start = initialState(report);
  const fragment = writeFragment({ ...start, prevalence: null }, start);
  assert.equal(fragment, "prevalence=");
  assert.equal(readFragment(fragment, report).prevalence, null);
});

test("a capacity is a share of the cases", () => {
  const start = initialState(report);
  assert.equal(maxAbstention(start), 1);
  assert.equal(maxAbstention({ ...start, capacity: { reviews: 30, cases: 120 } }), 0.25);
  assert.equal(maxAbstention({ ...start, capacity: { reviews: 300, cases: 120 } }), 1);
});

test("words of a command are quoted", () => {
  const choice = { model: "it's", costs: { fn: 1, fp: 0.5, abstain: Infinity }, prevalence: null, maxAbstention: 1 };
  const source = { ...report.source, name: "-p.csv", positive: "-1" };
  assert.equal(
    asCommand({ ...report, source }, choice),
    `demur decide ./-p.csv --label y --positive=-1 --model 'it'"'"'s' --cost-fn 1 --cost-fp 0.5 -o policy.json`,
  );
});

test("without a file the code starts from arrays, and the command names none", () => {
  const choice = { model: "A\nB", costs: { fn: 1, fp: 1, abstain: 0.2 }, prevalence: 0.1, maxAbstention: 1 };
  const arrays = { ...report, source: { ...report.source, label: null } };
  const code = asPython(arrays, choice);
  assert.match(asCommand(arrays, choice), /^demur decide FILE --model 'A\nB' --cost-fn 1 /);
  assert.match(code, /# y_true: the true classes, y_score: the scores of A B\n/);
  assert.match(code, /abstention_surface\(counts, prevalence=0.1\)/);
  assert.doesNotMatch(code, /read_counts/);
});

test("a report without the ends of the blocks has no policy, and says so", () => {
  const window = new Surface(report.models[0], report, null).window(1, 0.2);
  assert.match(whyNoPolicy(report.models[0], window) ?? "", /Hint: use the command/);
});

test("numbers show what an interval supports", () => {
  assert.equal(perThousand(0.14237, stepOf(0.044)), "142");
  assert.equal(perThousand(1.4237, stepOf(0.44)), "1,420");
  assert.equal(perThousand(0.0014237, stepOf(0.0044)), "1.4");
  assert.equal(perThousand(0.5, stepOf(0)), "500");
  assert.equal(grouped(1234567.891, 1), "1,234,567.9");
  assert.equal(grouped(-1234, 0), "-1,234");
  assert.deepEqual([0.1, 1e-5, 123456, 1234567, Infinity].map((value) => general(value)), [
    "0.1", "1e-05", "123456", "1.23457e+06", "inf",
  ]);
});

test("a few cases are never none", () => {
  assert.deepEqual(outOf100(0.001), ["more than 99", "fewer than 1"]);
  assert.deepEqual(outOf100(0.999), ["fewer than 1", "more than 99"]);
  assert.deepEqual(outOf100(0.29), ["71", "29"]);
  assert.equal(shortName("x".repeat(50)).length, 40);
});
