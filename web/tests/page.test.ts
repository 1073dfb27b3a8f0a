/** What the page reads, keeps and copies. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { asCommand, asPython } from "../src/copy";
import { readClassReport, type ClassReportData } from "../src/classes/data";
import { readState, startOf, writeState } from "../src/classes/state";
import { DataError, readReport, type ReportData } from "../src/data";
import { chosenOf, cornerRules, type Candidates } from "../src/comparison/choice";
import type { Facts } from "../src/comparison/facts";
import { money, moneyStep, sharesOf1000 } from "../src/comparison/numbers";
import { shortName } from "../src/comparison/words";
import { Curves } from "../src/math/envelope";
import { prepare } from "../src/math/models";
import { shortestCut } from "../src/math/thresholds";
import { general, grouped, thresholdText } from "../src/numbers";
import { whyNoPolicy } from "../src/policy";
import { Situation } from "../src/situation";
import { modelColour, parseHex } from "../src/view/palette";
import { scaleOf, ticks } from "../src/view/scale";
import { embedded } from "../src/panels/methods";
import { remarks } from "../src/remarks";
import { initialState, maxAbstention, readFragment, reportLimits, startingCosts, writeFragment } from "../src/state";

const point = { ranges: null, objective: "expected", classes: { positive: "positive", negative: "negative" } } as const;
const column = { lower: ["-inf", 0.5, "inf"], upper: ["-inf", 0.5, "inf"] };
const json = JSON.stringify({
  schema: "demur.report",
  version: 5,
  software: { demur: "0.1" },
  source: { name: "p.csv", group: null, part: null, label: "y", positive: "1", negative: "0", weight: null },
  n_positive: 2,
  n_negative: 2,
  n: 4,
  confidence_level: 0.95,
  folds: null,
  repeats: null,
  seed: 0,
  costs_given: true,
  comparison: null,
  headline: "",
  notes: [],
  pairs: [],
  bounds: null,
  cases: null,
  amounts: null,
  costs: {
    cost_fn: 100,
    cost_fp: 40,
    cost_abstain: null,
    cost_tp: 0,
    cost_tn: 0,
    cost_abstain_positive: null,
    cost_abstain_negative: null,
    reviewer: null,
  },
  prevalence: 0.25,
  models: ["inf", "B"].map((name) => ({
    name,
    digest: "0",
    blocks: { positives: [0, 2], negatives: [2, 0], lower: ["-inf", 1], upper: [0, 2], groups: [2, 2] },
    folds: [],
    auc: null,
    volume: { hindsight: 0, honest: null, low: null, high: null },
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
  assert.deepEqual(report.models[0].blocks.lower, [-Infinity, 1]);
});

test("other data are refused with a sentence", () => {
  const cases = [
    ["{", /no JSON/],
    ["null", /schema demur.report, got undefined/],
    ['{"schema": "demur.policy"}', /got demur.policy/],
    ['{"schema": "demur.report", "version": 1}', /version 5, got 1. Hint/],
    ['{"schema": "demur.report", "version": 5, "models": []}', /hold no model/],
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

test("the address of many classes keeps costs, colours, the unit and the year", () => {
  const data = { classes: ["a", "b"], costs: [[0, 1], [2, 0]], abstain_costs: [0.5, 0.5] } as unknown as ClassReportData;
  const start = startOf(data);
  assert.equal(writeState(start, start), "");
  const state = { ...start, prices: { costs: [[0, 3], [2, 0]], abstain: null }, held: "0:weights & more", theme: "dark" as const, unit: "EUR", yearly: 2e4 };
  assert.deepEqual(readState(writeState(state, start), data), state);
  assert.deepEqual(readState("#costs=1,2&review=x&theme=pink&yearly=-3", data), start);
  const asked = initialState(report);
  assert.equal(readFragment("#yearly=50000", report).yearly, 50000);
  assert.equal(writeFragment({ ...asked, yearly: 50000 }, asked), "yearly=50000");
  assert.equal(readFragment("#yearly=0&entry=ratio&pinned=a&zoomed=yes", report).yearly, null);
});

test("axes have round marks", () => {
  assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(-3, 5.2, 4), [-2, 0, 2, 4]);
  assert.deepEqual(ticks(0.12, 0.31, 3), [0.15, 0.2, 0.25, 0.3]);
  assert.deepEqual(ticks(0, 0, 4), [0]);
  const scale = scaleOf([1, 1000], [0, 300], true);
  assert.ok(Math.abs(scale(10) - 100) < 1e-9 && Math.abs(scale.invert(200) - 100) < 1e-9);
});

test("a capacity is a share of the cases", () => {
  const start = initialState(report);
  assert.equal(maxAbstention(start), 1);
  assert.equal(maxAbstention({ ...start, capacity: { reviews: 30, cases: 120 } }), 0.25);
  assert.equal(maxAbstention({ ...start, capacity: { reviews: 300, cases: 120 } }), 1);
});

test("words of a command are quoted", () => {
  const choice = { models: ["it's", "-x"], costs: { fn: 1, fp: 0.5, abstain: Infinity }, prevalence: null, limits: null, ...point };
  const source = { ...report.source, name: "-p.csv", positive: "-1" };
  assert.equal(
    asCommand({ ...report, source }, choice),
    `demur decide ./-p.csv --label y --positive=-1 --model 'it'"'"'s' --model=-x --cost-fn 1 --cost-fp 0.5 -o policy.json`,
  );
});

test("without a file the code starts from arrays, and the command names none", () => {
  const choice = { models: ["A\nB"], costs: { fn: 1, fp: 1, abstain: 0.2 }, prevalence: 0.1, limits: null, ...point };
  const arrays = { ...report, source: { ...report.source, label: null } };
  const code = asPython(arrays, choice);
  assert.match(asCommand(arrays, choice), /^demur decide FILE --model 'A\nB' --cost-fn 1 /);
  assert.match(code, /scores = dict\(zip\(\["A\\nB"\], arrays, strict=True\)\)/);
  assert.match(code, /compare_models\(y_true, scores, costs=costs, prevalence=0.1\)/);
  assert.doesNotMatch(code, /duckdb/);
});

test("seed, level and the meaning of weights travel along where they are not the usual ones", () => {
  const choice = { models: ["A"], costs: { fn: 1, fp: 1, abstain: 0.2 }, prevalence: null, limits: { maxAbstention: 0.25, maxFnRate: 0.1 }, ...point };
  const comparison = { answer: null, objective: "expected", prevalence_range: null, limits: {}, weights: "repeats", costs: null };
  const source = { ...report.source, weight: "w" };
  const odd = { ...report, source, comparison, seed: 3, confidence_level: 0.9 };
  assert.match(asCommand(odd, choice), /--weight w --weights repeats .* --max-abstention 0.25 --max-fn-rate 0.1 --confidence 0.9 --seed 3 -o/);
  assert.match(asPython(odd, choice), /max_abstention=0.25, max_fn_rate=0.1, sample_weight=sample_weight, weights="repeats", confidence_level=0.9, seed=3\)/);
});

test("what Python or flags cannot say has a sentence instead of a copy", () => {
  const budget = { reviews: 3, column: "day", key: "id", per: "day", arrival: false, carry_over: false };
  const comparison = { answer: null, objective: "expected", prevalence_range: null, limits: {}, weights: null, costs: null };
  const choice = { models: report.models.map(({ name }) => name), costs: { fn: 1, fp: 1, abstain: 0.2 }, prevalence: null, limits: null, ...point };
  const placed = { ...report, comparison: { ...comparison, budget } };
  assert.match(asCommand(placed, choice), /--reviews-per-day 3 --day day --key id -o/);
  assert.match(asPython(placed, { ...choice, limits: { maxAbstention: 0.1 } }), /^# a number of places stands beside no other limit .*\n$/);
  assert.match(asCommand(placed, { ...choice, costs: { fn: 1, fp: 1, abstain: Infinity } }), /^# places .* need a price of a review/);
  assert.equal(asCommand({ ...report, comparison: { ...comparison, budget: { ...budget, per: "week" } } }, choice), "# no flag gives places by the week: copy the Python code instead");
  const some = { ...report, comparison: { ...comparison, include: ["cascades"], prices: { inf: 0.5, B: 2 } } };
  assert.match(asCommand(some, choice), /^# --combine adds rules of several models/);
  assert.match(asPython(some, choice), /include=\["cascades"\], prices=\{"inf": 0.5, "B": 2\}/);
  // of one model held on to: its own price, and no rules of several
  assert.match(asCommand(some, { ...choice, models: ["B"] }), /--cost-abstain 0.2 --price B=2 -o/);
  const promised = { ...report, comparison: { ...comparison, limits: { precision_confidence: 0.8 } } };
  assert.match(asCommand(promised, choice), /--precision-confidence 0.8 -o/);
  assert.match(asPython(promised, { ...choice, ranges: { fn: [1, 2], fp: null, abstain: null, prevalence: null } }), /^# a promised precision needs/);
});

test("too few cases have a sentence, and thresholds to look at", () => {
  const at = new Situation(report, initialState(report), prepare(report, null), new Curves(report), "light");
  assert.equal(at.answer, null);
  assert.match(at.headline(true).join(" "), /^2 positive and 2 negative cases are too few to judge any rule/);
  assert.equal(at.window.upper, 0.5);
  assert.equal(whyNoPolicy(at), null);
});

test("numbers show what an interval supports", () => {
  assert.equal(money(0.14237, moneyStep(0.121, 0.165, 0.142)), "142");
  assert.equal(money(1.4237, moneyStep(1.21, 1.65, 1.42)), "1,420");
  assert.equal(money(0.0014237, moneyStep(0, 0.0044, 0)), "1.4");
  assert.equal(money(0.5, moneyStep(0, 0, 0)), "500");
  assert.equal(money(-0.5, 1), "-500");
  assert.equal(money(-1e-9, 1), "0");
  assert.equal(grouped(1234567.891, 1), "1,234,567.9");
  assert.equal(grouped(-1234, 0), "-1,234");
  assert.deepEqual([0.1, 1e-5, 123456, 1234567, Infinity].map((value) => general(value)), [
    "0.1", "1e-05", "123456", "1.23457e+06", "inf",
  ]);
});

test("names and thresholds are short, shares are whole", () => {
  assert.equal(shortName("x".repeat(50)).length, 40);
  assert.equal(shortestCut(0.0595654, 0.058, 0.0603), 0.06);
  assert.equal(shortestCut(0.55, 0.5, 0.6), 0.55);
  assert.deepEqual([0.06, -2, 1234567, 1e16, 1e-5, -Infinity].map(thresholdText), ["0.06", "-2", "1234567", "1e+16", "1e-05", "-inf"]);
  assert.deepEqual(sharesOf1000([0.3331, 0.3334, 0.3335]), [333, 333, 334]);
});

test("the footer says what the page holds of the cases", () => {
  const cases = { positives: 2, sizes: null, folds: ["0101"], forward: false, first: 0, clusters: null, scores: [[0, 1, 0, 1], [0, 1, 0, 1]] };
  const rest = "no names and no other columns of the data. It works without a network.";
  assert.equal(embedded({ ...report, cases }), `This page contains the scores and classes of 4 cases, ${rest}`);
  const amounts = { named: {}, same: [], columns: [], groups: null, worst: null, missed: 1, known: false };
  assert.match(embedded({ ...report, cases: { ...cases, sizes: [1, 2, 1, 1] }, amounts }), /the scores, weights, costs and classes of 4 cases/);
  assert.equal(
    embedded(report),
    `This page contains counts of 4 cases by class in 2 blocks of scores per model (2 cases of a class or more in each, or none), no list of cases, ${rest}`,
  );
});

test("a limit the page does not know is named", () => {
  const made = (limits: Record<string, number>): ReportData => ({
    ...report,
    comparison: { ...asked, answer: { facts: {} as Facts, condition: "Limits: few false alarms." }, limits },
  });
  const asked = { objective: "expected", prevalence_range: null, weights: null, costs: null };
  const said = remarks(made({ max_fp_rate: 0.1, max_abstention: 0.2 }), startingCosts(report)).join(" ");
  assert.match(said, /This page cannot keep the limit max_fp_rate \(0\.1\): at other costs its rules are chosen without it\.$/);
  assert.deepEqual(reportLimits(made({ max_fp_rate: 0.1, max_abstention: 0.2 })), { maxAbstention: 0.2 });
  assert.doesNotMatch(remarks(made({ max_abstention: 0.2 }), startingCosts(report)).join(" "), /cannot keep/);
  const classes = { schema: "demur.class_report", version: 4, notes: [], limits: { max_abstention: 0.2, max_error: 0.1 } };
  assert.match(readClassReport(JSON.stringify(classes)).notes[0], /cannot keep the limit max_error \(0\.1\)/);
});

test("without a rule that keeps the limits, corners of the ranges have no rules either", () => {
  const ends = { fn: [1, 2], fp: null, abstain: null, prevalence: null } as const;
  const problem = { costs: { fn: 1.5, fp: 1, abstain: 0.1 }, prevalence: 0.5, ranges: ends, objective: "regret", limits: { maxFnRate: 0 }, byCase: false } as const;
  const none = { problem, trivial: [], models: [[]], chosenFor: () => [], inference: {} } as unknown as Candidates;
  assert.deepEqual(cornerRules(none), []);
  assert.equal(chosenOf([], none, [0, 0]), null);
});

test("a group is copied with the file it is part of", () => {
  const source = { ...report.source, group: 'the "site"', part: "O'Hara <5" };
  const chosen = { models: ["B"], costs: { fn: 1, fp: 1, abstain: 0.1 }, prevalence: null, limits: null, ...point };
  const command = asCommand({ ...report, source }, chosen);
  assert.match(command, /^demur decide p\.csv --label y --positive 1 --group 'the "site"' --model B /);
  assert.match(command, / -o policy\.json$/);
  const wanted = JSON.stringify(`FROM 'p.csv' WHERE CAST("the ""site""" AS VARCHAR) = 'O''Hara <5'`);
  assert.ok(asPython({ ...report, source }, chosen).includes(`duckdb.sql(${wanted})`));
});

test("lines of models have a contrast of 3 to 1 with the ground", () => {
  const light = (colour: string) => {
    const [r, g, b] = parseHex(colour).map((byte) => {
      const share = byte / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  for (const [theme, ground] of [["light", "#ffffff"], ["dark", "#131519"]] as const) {
    for (let k = 0; k < 7; k++) {
      const pair = [light(modelColour(k, theme)), light(ground)].sort((a, b) => b - a);
      assert.ok(pair[0] / pair[1] >= 3, `${theme} ${k}: ${pair[0] / pair[1]}`);
    }
  }
});
