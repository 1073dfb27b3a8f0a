/** Hand-computed cases; tests/test_web_math.py compares random ones with Python. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { envelopeOf } from "../src/math/envelope";
import { meanLoss, sampleOf } from "../src/comparison/meanLoss";
import { Training } from "../src/math/training";
import { guaranteedCost } from "../src/comparison/guarantee";
import { decisionOf, rightCosts } from "../src/math/fixedRule";
import { Past } from "../src/past";
import type { PageState } from "../src/state";
import { Surface } from "../src/math/surface";
import { trivialCosts } from "../src/math/trivial";
import {
  costsAt,
  money,
  normalForm,
  NO_SURCHARGE,
  reviewCosts,
  rewardsAbstaining,
  surchargeOf,
  abstentionBorder,
  mayPay,
  type Costs,
} from "../src/math/units";

// by hand: blocks (0, 2), (2, 3), (2, 1), (2, 0) of 6 positives and 6 negatives
const totals = { n_positive: 6, n_negative: 6 };
const cuts = [-Infinity, -0.7, 0.2, 0.6, Infinity];
const model = {
  blocks: { positives: [0, 2, 2, 2], negatives: [2, 3, 1, 0] },
  cuts: { lower: cuts, upper: cuts },
};
const training = new Training([Float64Array.of(2, 3, 1, 0), Float64Array.of(0, 2, 2, 2)], null, null);
const surface = new Surface(model, totals, null, NO_SURCHARGE, training);
const close = (found: number, expected: number) => assert.ok(Math.abs(found - expected) < 1e-15, `${found}`);

test("window of the worked example", () => {
  const window = surface.window(1, 0.25);
  assert.deepEqual([window.lower, window.upper], [-0.7, 0.6]);
  close(window.cost, 1 / 6);
  close(window.abstain, 2 / 3);
  close(surface.neverAbstaining(1).cost, 1 / 4);
});

test("a tie abstains least and then calls positive", () => {
  // the third block has share 2/3: at nu = 1/3 and mu = 1 abstaining on it costs as much as its alarm
  assert.equal(surface.window(1, 1 / 3).j, 2);
  // share 2/5 = mu / (1 + mu) at mu = 2/3: a miss costs as much as an alarm
  assert.equal(surface.neverAbstaining(2 / 3).j, 1);
});

test("a reviewer who errs narrows the window", () => {
  // sensitivity 0.75, specificity 0.9, a fee of 0.05: a review of a positive costs 0.3, of a negative 0.15
  const costs: Costs = { fn: 20, fp: 20, abstain: 1, rates: [0.75, 0.9] };
  const extra = surchargeOf(costs);
  const { mu, nu } = normalForm(costs);
  assert.deepEqual(reviewCosts(costs).map((cost) => Math.round(100 * cost)), [600, 300]);
  const reviewed = new Surface(model, totals, null, extra, training);
  const window = reviewed.window(mu, nu);
  // the second block costs 2 as misses, 3 as alarms, 2 x 0.3 + 3 x 0.15 reviewed; the third 2 x 0.3 + 0.15 < 1
  assert.deepEqual([window.i, window.j], [1, 3]);
  close(window.cost, (2 * 0.3 + 3 * 0.15 + 2 * 0.3 + 0.15) / 12);
  assert.deepEqual(reviewed.limitedCuts(mu, nu, {}), [1, 3]);
  // the border of lemma 1: sensitivity + specificity - 1 = fee (1 / cost_fn + 1 / cost_fp)
  close(abstentionBorder(1, extra), 0.325);
  close(trivialCosts(0.5, mu, nu, extra)["always abstain"], 0.225);
});

test("right answers and reviews by class in the normal form and back", () => {
  const costs: Costs = { fn: 100, fp: 40, abstain: Infinity, tp: -20, tn: 4, byClass: [10, 16] };
  const { mu, nu } = normalForm(costs);
  assert.deepEqual([mu, nu], [0.3, 0.1]);
  close(surchargeOf(costs).positive, 0.15);
  assert.deepEqual(costsAt(costs, { mu: 0.5, nu: 0.2 }), { ...costs, fp: 64, byClass: [22, 28] });
  close(money(0.1, costs, 0.25), 12 - 5 + 3);
  const same: Costs = { fn: 100, fp: 40, abstain: 9, tp: 5, tn: 0 };
  assert.deepEqual(costsAt(same, normalForm(same)), same);
  assert.ok(rewardsAbstaining({ ...same, abstain: 3 }));
});

test("rules without a model", () => {
  assert.deepEqual(trivialCosts(0.5, 1, 0.3), {
    "always positive": 0.5,
    "always negative": 0.5,
    "always abstain": 0.3,
  });
});

const cells = (cases: number[], loss: number[]) => {
  const mass = Float64Array.from(cases);
  const sample = sampleOf(mass, mass, cases.reduce((sum, one) => sum + one, 0), Uint8Array.from(cases, () => 0), null, null);
  return { loss: Float64Array.from(loss), within: null, sample };
};

test("a mean loss of equal losses has no spread", () => {
  const found = meanLoss(cells([6, 6], [0.3, 0.3]), 0.3, 1, 0);
  close(found.cost, 0.3);
  assert.equal(found.error, 0);
  close(found.raised, 0.3);
});

test("a worst unit is added to a sample in which nothing went wrong", () => {
  const { cost, error, raised, raisedError } = meanLoss(cells([12], [0]), 1, 1, 0);
  assert.deepEqual([cost, error], [0, 0]);
  // 13 units of equal weight, one of them lost
  close(raised, 1 / 13);
  // only its own gap is new: u (worst - m') / (1 + u) with u = 1 / 12
  close(raisedError, Math.sqrt(((1 / 12) * (12 / 13) / (13 / 12)) ** 2 * (13 / 12)));
});

test("a guarantee counts reviewed cases once", () => {
  const upper = { missed: [0, 0.2, 0.7, 0.8], alarmed: [0.9, 0.6, 0.3, 0] };
  const bothLower = { missed: [0, 0.1, 0.5, 0.6], alarmed: [0.8, 0.4, 0.2, 0] };
  const bounds = { upper, bothUpper: upper, bothLower };
  const cheap = { positive: 0.1, negative: 0.1 };
  close(guaranteedCost(bounds, 1, 1, { mu: 0.5, ...cheap }, false), 0.2 + 0.5 * 0.6);
  // positives below u and negatives above l: 0.7 + 0.6 is cut at 1
  close(guaranteedCost(bounds, 1, 2, { mu: 0.5, ...cheap }, false), 0.9 * 0.2 + 0.4 * 0.3 + 0.1);
  close(guaranteedCost(bounds, 0, 3, { mu: 0.5, ...cheap }, false), 0.1);
  // a review dearer than a false alarm: few negatives above u are bad news
  const dear = { mu: 0.1, positive: 0.3, negative: 0.3 };
  close(guaranteedCost(bounds, 1, 2, dear, true), 0.7 * 0.2 - 0.2 * 0.2 + 0.3);
  // reviews of a negative cost more: of 0.7 + 0.6 positives and negatives the cheaper positives fill the rest
  const byClass = { mu: 0.5, positive: 0.1, negative: 0.2 };
  close(guaranteedCost(bounds, 1, 2, byClass, false), 0.9 * 0.2 + 0.3 * 0.3 + 0.1 + 0.1 * 0.6);
});

test("corners of the cost curve", () => {
  const corners = envelopeOf(model.blocks, totals)?.vertices() ?? [];
  const expected = [[0, 0], [1 / 3, 2 / 9], [3 / 5, 4 / 15], [1, 0]];
  assert.equal(corners.length, expected.length);
  corners.forEach(([pc, cost], at) => {
    close(pc, expected[at][0]);
    close(cost, expected[at][1]);
  });
});

test("a limit on the abstentions", () => {
  assert.deepEqual(surface.limitedCuts(1, 0.25, { maxAbstention: 0.5 }), [1, 2]);
  close(surface.costOf(1, 2, 1, 0.25), 1 / 12 + 5 / 48);
  const { i, j } = surface.window(1, 0.25);
  assert.deepEqual(surface.limitedCuts(1, 0.25, {}), [i, j]);
  assert.deepEqual(surface.limitedCuts(1, Infinity, {}), [2, 2]);
});

test("precisions and misses as limits, by hand", () => {
  // above cuts 0..4 stand 6/12, 6/10, 4/5, 2/2 positives, then nothing; below them nothing, 2/2, 5/7, 6/10, 6/12 negatives
  assert.deepEqual(surface.limitedCuts(1, Infinity, { minPrecisionPositive: 0.8 }), [2, 2]);
  assert.deepEqual(surface.limitedCuts(1, Infinity, { minPrecisionPositive: 0.9 }), [3, 3]);
  assert.deepEqual(surface.limitedCuts(1, Infinity, { minPrecisionNegative: 0.9 }), [1, 1]);
  assert.deepEqual(surface.limitedCuts(1, Infinity, { maxFnRate: 0 }), [1, 1]);
  assert.equal(surface.limitedCuts(1, Infinity, { minPrecisionPositive: 0.9, maxFnRate: 0 }), null);
  assert.deepEqual(surface.limitedCuts(1, 0.4, { minPrecisionPositive: 0.9, maxFnRate: 0 }), [1, 3]);
});

test("abstaining pays below lemma 1 only", () => {
  assert.ok(mayPay(1, 0.499));
  assert.ok(!mayPay(1, 0.5));
  assert.ok(!mayPay(1, Infinity));
});

test("a fixed rule is right at the costs whose window it is", () => {
  // scores of the blocks end at the cuts; the first threshold lies between shares 0 and 2/5, the second between 2/3 and 1
  const blocks = { lower: [-1, -0.6, 0.3, 0.7], upper: [-0.8, 0.1, 0.5, 0.9] };
  const rule = { model: 0, lower: -0.7, upper: 0.6 };
  const plain = rightCosts(rule, surface, blocks);
  assert.deepEqual([plain.nu, plain.mu[0]], [[0, 2 / 5], 0]);
  assert.equal(plain.mu[1], Infinity);
  // one threshold between shares 2/5 and 2/3: a false alarm costs 2/3 to 2
  const single = rightCosts({ model: 0, lower: 0.2, upper: 0.2 }, surface, blocks);
  single.mu.forEach((found, end) => close(found, [2 / 3, 2][end]));
  // inside the second block: right at one price only
  const inside = rightCosts({ model: 0, lower: 0, upper: 0 }, surface, blocks).mu;
  close(inside[0], 2 / 3);
  assert.equal(inside[1], inside[0]);
  for (const costs of [{ fn: 1, fp: 0.7, abstain: 0.2 }, { fn: 1, fp: 0.9, abstain: 0.02, rates: [0.9, 0.95] }] as Costs[]) {
    const reviewed = new Surface(model, totals, null, surchargeOf(costs));
    const { mu, nu } = normalForm(costs);
    const { i, j } = reviewed.window(mu, nu);
    const found = rightCosts({ model: 0, lower: cuts[i], upper: cuts[j] }, reviewed, blocks);
    assert.ok(i < j && found.nu![0] <= nu && nu <= found.nu![1] && found.mu[0] <= mu && mu <= found.mu[1]);
  }
  assert.deepEqual([-0.7, 0.2, 0.6].map((score) => decisionOf(rule, score)), [0, 2, 1]);
});

test("undo and redo go through the places where the hand rested", () => {
  const state = (fp: number) => ({ costs: { fp } }) as unknown as PageState;
  const past = new Past(state(1), ({ costs }) => String(costs.fp));
  past.rest(state(2));
  past.rest(state(2));
  past.rest(state(3));
  assert.equal(past.undo()?.costs.fp, 2);
  assert.equal(past.undo()?.costs.fp, 1);
  assert.equal(past.undo(), null);
  assert.equal(past.redo()?.costs.fp, 2);
  past.rest(state(9));
  assert.ok(!past.mayRedo);
  assert.equal(past.undo()?.costs.fp, 2);
});
