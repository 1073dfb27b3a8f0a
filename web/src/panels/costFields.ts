/** Prices: of errors, of reviews (for all, by class, or by a person who errs), and of right answers. */
import { moneyOffsets, reviewCosts, unitOf, type Costs } from "../math/units";
import type { Situation } from "../situation";
import { amountWords, type TwoApp } from "../twoClasses";
import { choice } from "../view/choice";
import { el, setText, show } from "../view/dom";
import { field, group, type Field } from "./field";

/** The prices themselves, and the ways of pricing, which are folded. */
export interface CostFields {
  prices: HTMLElement;
  ways: HTMLElement | null;
  move(at: Situation): void;
}

type Review = "same" | "classes" | "reviewer";

/** Where reviews by class begin if reviews had no price. */
const SOME_SHARE = 0.2;

const HINTS: Record<Review, string> = {
  same: "Leave a review empty: never abstain.",
  classes: "What a review costs may depend on what the case turns out to be.",
  reviewer: "The reviewer's mistakes cost what mistakes cost. Leave the fee empty: never abstain.",
};

export function costFields(app: TwoApp): CostFields {
  return app.kind.data.amounts === null ? priceFields(app) : factorFields(app);
}

/** Factors on what the cases cost, where every case has its own costs. */
function factorFields(app: TwoApp): CostFields {
  const change = (part: Partial<Costs>): void => app.change({ costs: { ...app.current.costs, ...part } });
  const miss = field({ id: "cost-fn", label: "misses ×", above: 0 }, (fn) => change({ fn }));
  const alarm = field({ id: "cost-fp", label: "false alarms ×", slider: true }, (fp) => change({ fp }));
  const review = field({ id: "cost-abstain", label: "reviews ×", slider: true, empty: Infinity }, (abstain) =>
    change({ abstain }),
  );
  const hint = "Every case has its own costs; these are factors on them. Leave reviews empty: never abstain.";
  const amounts = el("p", { class: "hint", "data-role": "amounts" });
  const prices = group("Costs", miss.element, alarm.element, review.element, el("p", { class: "hint" }, hint), amounts);
  return {
    prices,
    ways: null,
    move: (at) => {
      const { fn, fp, abstain } = at.costs;
      setText(amounts, amountWords(at));
      miss.set(fn);
      alarm.set(fp, app.kind.domain.most("mu") * fn);
      review.set(abstain, app.kind.domain.most("nu") * fn);
    },
  };
}

function priceFields(app: TwoApp): CostFields {
  const now = (): Costs => app.current.costs;
  const change = (part: Partial<Costs>): void => app.change({ costs: { ...now(), ...part } });
  const miss = field({ id: "cost-fn", label: "a miss", rule: (fn) => (fn > (now().tp ?? 0) ? null : "A miss must cost more than a positive found.") }, (fn) => change({ fn }));
  const alarm = field(
    {
      id: "cost-fp",
      label: "a false alarm",
      slider: true,
      rule: (fp) => (fp >= (now().tn ?? 0) ? null : "A false alarm must not cost less than a negative cleared."),
    },
    (fp) => change({ fp }),
  );
  const reviews = reviewFields(app, change);
  const right = rightAnswers(now, change);
  const hint = el("p", { class: "hint" });
  return {
    prices: group("Costs", miss.element, alarm.element, ...reviews.fields, hint),
    ways: group("Pricing", reviews.picker, right.element),
    move: (at) => {
      setText(hint, HINTS[kindOf(at.costs)]);
      for (const one of [miss, alarm]) one.setUnit(at.state.unit);
      miss.set(at.costs.fn);
      alarm.set(at.costs.fp, sliderEnd(app, at, "mu"));
      reviews.move(at);
      right.move(at);
    },
  };
}

/** The end of a slider in the reader's money. */
function sliderEnd(app: TwoApp, { costs }: Situation, side: "mu" | "nu"): number {
  return app.kind.domain.most(side) * unitOf(costs) + moneyOffsets(costs)[side];
}

function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

function kindOf({ byClass, rates }: Costs): Review {
  return byClass !== undefined ? "classes" : rates !== undefined ? "reviewer" : "same";
}

/** The same costs with reviews priced another way. */
function pricedAs(kind: Review, costs: Costs): Costs {
  const { byClass, rates, ...rest } = costs;
  const { tp = 0, tn = 0 } = costs;
  if (kind === "classes") {
    const usual = tidy(SOME_SHARE * unitOf(costs));
    const found = reviewCosts(costs).map(tidy);
    return { ...rest, byClass: found.every(Number.isFinite) ? [found[0], found[1]] : [usual + tp, usual + tn] };
  }
  const abstain = byClass === undefined ? costs.abstain : Math.min(...byClass);
  return kind === "same" ? { ...rest, abstain } : { ...rest, abstain, rates: rates ?? [1, 1] };
}

/** What a review costs, in one of three ways. */
function reviewFields(
  app: TwoApp,
  change: (part: Partial<Costs>) => void,
): { picker: HTMLElement; fields: HTMLElement[]; move(at: Situation): void } {
  const now = (): Costs => app.current.costs;
  const picker = choice<Review>(
    "review-kind",
    "A review costs",
    [
      ["same", "one price"],
      ["classes", "by class"],
      ["reviewer", "reviewer"],
    ],
    (kind) => app.change({ costs: pricedAs(kind, now()) }),
  );
  const both = field({ id: "cost-abstain", label: "a review", slider: true, empty: Infinity }, (value) =>
    change({ abstain: value }),
  );
  const byClass = (place: 0 | 1): Field =>
    field({ id: `cost-abstain-${place ? "negative" : "positive"}`, label: "a review" }, (value) => {
      const [positive, negative] = now().byClass ?? [value, value];
      change({ byClass: place ? [positive, value] : [value, negative] });
    });
  const rate = (place: 0 | 1): Field =>
    field(
      { id: `reviewer-${place ? "specificity" : "sensitivity"}`, label: "recognised", unit: "%", below: 100 },
      (value) => {
        const [sensitivity, specificity] = now().rates ?? [1, 1];
        change({ rates: place ? [sensitivity, tidy(value / 100)] : [tidy(value / 100), specificity] });
      },
    );
  const classes = [byClass(0), byClass(1)];
  const rates = [rate(0), rate(1)];
  const fields = [both, ...classes, ...rates];

  /** Which fields there are follows the costs, which may change without a new drawing. */
  function arrange(at: Situation): void {
    const kind = kindOf(at.costs);
    picker.set(kind);
    show(both.element, kind !== "classes");
    setText(both.label, kind === "reviewer" ? "the fee of a review" : "a review");
    classes.forEach((one, k) => {
      show(one.element, kind === "classes");
      setText(one.label, `a review of ${k ? at.names.negative : at.names.positive}`);
    });
    rates.forEach((one, k) => {
      show(one.element, kind === "reviewer");
      setText(one.label, `${k ? at.names.negative : at.names.positive} recognised`);
    });
  }

  function move(at: Situation): void {
    arrange(at);
    const { costs, state } = at;
    for (const one of [both, ...classes]) one.setUnit(state.unit);
    both.set(costs.abstain, sliderEnd(app, at, "nu"));
    const found = reviewCosts(costs);
    classes.forEach((one, k) => one.set(found[k]));
    rates.forEach((one, k) => one.set(tidy(100 * (costs.rates?.[k] ?? 1))));
  }

  return { picker: picker.element, fields: fields.map((one) => one.element), move };
}

/** Costs of right answers, folded unless there are any. */
function rightAnswers(now: () => Costs, change: (part: Partial<Costs>) => void) {
  const found = field(
    { id: "cost-tp", label: "a positive found", gain: true, rule: (tp) => (tp < now().fn ? null : "It must cost less than a miss.") },
    (tp) => change({ tp }),
  );
  const cleared = field(
    { id: "cost-tn", label: "a negative cleared", gain: true, rule: (tn) => (tn <= now().fp ? null : "It must not cost more than a false alarm.") },
    (tn) => change({ tn }),
  );
  const summary = el("summary", { "data-role": "right-answers" }, "Right answers cost something");
  const hint = el("p", { class: "hint" }, "Below 0: a gain.");
  const element = el("details", { class: "numbers" }, summary, found.element, cleared.element, hint);
  return {
    element,
    move: ({ costs, names }: Situation): void => {
      const { tp = 0, tn = 0 } = costs;
      if (tp !== 0 || tn !== 0) element.open = true;
      setText(found.label, `${names.positive} found`);
      setText(cleared.label, `${names.negative} cleared`);
      found.set(tp);
      cleared.set(tn);
    },
  };
}
