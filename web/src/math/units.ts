/** Costs in the reader's unit, and their normal form in which a miss costs 1 and a right answer nothing. */

/** What each outcome costs, as in demur.CostModel; an infinite `abstain` means never. */
export interface Costs {
  fn: number;
  fp: number;
  /** A review; with `rates` its fee, not used with `byClass`. */
  abstain: number;
  /** Right answers, 0 where left out. */
  tp?: number;
  tn?: number;
  /** Reviews by true class. */
  byClass?: readonly [positive: number, negative: number];
  /** How often the reviewer is right; mistakes cost what they cost elsewhere. */
  rates?: readonly [sensitivity: number, specificity: number];
}

/** Costs relative to a miss. */
export type CostPoint = { mu: number; nu: number };

/** What reviews cost beyond nu: of a positive, of a negative, and of a negative as a share of a false alarm. */
export interface Surcharge {
  positive: number;
  negative: number;
  alarms: number;
}

export const NO_SURCHARGE: Surcharge = { positive: 0, negative: 0, alarms: 0 };

/** What a miss costs beyond a right answer: the unit of the normal form. */
export function unitOf({ fn, tp = 0 }: Costs): number {
  return fn - tp;
}

/** What abstaining on a case of each class costs, in the reader's unit (demur.Reviewer.class_costs). */
export function reviewCosts(costs: Costs): readonly [positive: number, negative: number] {
  const { fn, fp, abstain, tp = 0, tn = 0, byClass, rates } = costs;
  if (byClass !== undefined) return byClass;
  if (rates === undefined) return [abstain, abstain];
  const [sensitivity, specificity] = rates;
  return [
    abstain + (1 - sensitivity) * fn + sensitivity * tp,
    abstain + (1 - specificity) * fp + specificity * tn,
  ];
}

/** Relative costs of abstaining on either class; no review is cheaper than a right answer. */
function relativeReviews(costs: Costs): [positive: number, negative: number] {
  const { tp = 0, tn = 0 } = costs;
  const [positive, negative] = reviewCosts(costs);
  return [Math.max(0, (positive - tp) / unitOf(costs)), Math.max(0, (negative - tn) / unitOf(costs))];
}

/** Whether reviews are priced below a right answer, which would reward abstaining. */
export function rewardsAbstaining(costs: Costs): boolean {
  const [positive, negative] = reviewCosts(costs);
  return positive < (costs.tp ?? 0) || negative < (costs.tn ?? 0);
}

/** Relative costs of a false alarm (mu) and of abstaining (nu): the fee of a reviewer, or the cheaper class. */
export function normalForm(costs: Costs): CostPoint {
  const unit = unitOf(costs);
  const nu = costs.rates === undefined ? Math.min(...relativeReviews(costs)) : costs.abstain / unit;
  return { mu: (costs.fp - (costs.tn ?? 0)) / unit, nu };
}

/** What the costs of abstaining are beyond nu, at any mu and nu. */
export function surchargeOf(costs: Costs): Surcharge {
  if (costs.rates !== undefined) {
    const [sensitivity, specificity] = costs.rates;
    return { positive: 1 - sensitivity, negative: 0, alarms: 1 - specificity };
  }
  const [positive, negative] = relativeReviews(costs);
  if (positive === negative) return NO_SURCHARGE;
  const { nu } = normalForm(costs);
  return { positive: positive - nu, negative: negative - nu, alarms: 0 };
}

export function sameSurcharge(one: Surcharge, two: Surcharge): boolean {
  return one.positive === two.positive && one.negative === two.negative && one.alarms === two.alarms;
}

/** Relative costs of abstaining on a positive and on a negative. */
export function reviewsAt(mu: number, nu: number, extra: Surcharge): [positive: number, negative: number] {
  return [nu + extra.positive, nu + extra.negative + extra.alarms * mu];
}

/** What must be added to relative costs, times the unit, to read in the reader's unit like the fields. */
export function moneyOffsets(costs: Costs): CostPoint {
  const { tp = 0, tn = 0, byClass, rates } = costs;
  if (rates !== undefined) return { mu: tn, nu: 0 };
  // without classes the cheaper review is the one whose right answer costs more
  if (byClass === undefined) return { mu: tn, nu: Math.max(tp, tn) };
  const [positive, negative] = relativeReviews(costs);
  return { mu: tn, nu: positive <= negative ? tp : tn };
}

/** The same kind of costs at another point, the miss and the right answers as they are. */
export function costsAt(costs: Costs, { mu, nu }: CostPoint): Costs {
  const { tp = 0, tn = 0, byClass } = costs;
  const unit = unitOf(costs);
  const clean = (value: number): number => Number(value.toPrecision(10));
  const fp = clean(mu * unit + tn);
  if (byClass !== undefined) {
    const { positive, negative } = surchargeOf(costs);
    return { ...costs, fp, byClass: [clean((nu + positive) * unit + tp), clean((nu + negative) * unit + tn)] };
  }
  return { ...costs, fp, abstain: clean(nu * unit + moneyOffsets(costs).nu) };
}

export function sameCosts(one: Costs, two: Costs): boolean {
  const listed = ({ fn, fp, abstain, tp = 0, tn = 0, byClass, rates }: Costs) =>
    [fn, fp, byClass === undefined ? abstain : 0, tp, tn, byClass?.join(), rates?.join()].join("|");
  return listed(one) === listed(two);
}

/** A normalised cost per case back in the reader's unit, at a share `rate` of positives. */
export function money(normalized: number, costs: Costs, rate: number): number {
  const { tp = 0, tn = 0 } = costs;
  return unitOf(costs) * normalized + tp * rate + tn * (1 - rate);
}

/** A difference of two normalised costs in the reader's unit. */
export function moneyBetween(difference: number, costs: Costs): number {
  return unitOf(costs) * difference;
}

/** The share of positives from which on calling positive is cheaper than calling negative. */
export function evenShare(mu: number): number {
  return mu / (1 + mu);
}

/** The price of abstaining from which on it never pays, whatever the model. */
export function abstentionBorder(mu: number, extra: Surcharge = NO_SURCHARGE): number {
  return Math.max(0, (mu * (1 - extra.positive - extra.alarms) - extra.negative) / (1 + mu));
}

/** Whether some score could make abstaining worth its price; never where that is infinite. */
export function mayPay(mu: number, nu: number, extra: Surcharge = NO_SURCHARGE): boolean {
  const [positive, negative] = reviewsAt(mu, nu, extra);
  return mu * positive + negative < mu;
}
