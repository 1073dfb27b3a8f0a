/** Prices: of errors, of reviews (for all, by class, or by a person who errs), and of right answers. */
import type { App } from "../app";
import { moneyOffsets, reviewCosts, unitOf, type Costs } from "../math/units";
import type { Situation } from "../situation";
import type { PageState } from "../state";
import { choice } from "../view/choice";
import { el, setText, show } from "../view/dom";
import type { Panel } from "../view/panel";
import { field, type Field } from "./field";
import { amountWords } from "./caption";
import { group } from "./group";

type Review = "same" | "classes" | "reviewer";

/** Where reviews by class begin if reviews had no price. */
const SOME_SHARE = 0.2;

const HINTS: Record<Review, string> = {
  same: "Leave a review empty: never abstain.",
  classes: "What a review costs may depend on what the case turns out to be.",
  reviewer: "The reviewer's mistakes cost what mistakes cost. Leave the fee empty: never abstain.",
};

export function costFields(app: App): Panel {
  return app.data.amounts === null ? priceFields(app) : factorFields(app);
}

/** Factors on what the cases cost, where every case has its own costs. */
function factorFields(app: App): Panel {
  const change = (part: Partial<Costs>): void => app.change({ costs: { ...app.current.costs, ...part } });
  const miss = field({ id: "cost-fn", label: "misses ×", above: 0 }, (fn) => change({ fn }));
  const alarm = field({ id: "cost-fp", label: "false alarms ×", slider: true }, (fp) => change({ fp }));
  const review = field({ id: "cost-abstain", label: "reviews ×", slider: true, empty: Infinity }, (abstain) =>
    change({ abstain }),
  );
  const hint = "Every case has its own costs; these are factors on them. Leave reviews empty: never abstain.";
  const amounts = el("p", { class: "hint", "data-role": "amounts" });
  const element = group("Costs", miss.element, alarm.element, review.element, el("p", { class: "hint" }, hint), amounts);
  return {
    element,
    draw: () => undefined,
    move: (at) => {
      const { fn, fp, abstain } = at.costs;
      setText(amounts, amountWords(at, app.data.amounts!));
      miss.set(fn);
      alarm.set(fp, app.domain.muMax * fn);
      review.set(abstain, app.domain.nuMax * fn);
    },
  };
}

function priceFields(app: App): Panel {
  const entry = choice<PageState["entry"]>(
    "cost-entry",
    "Enter costs as",
    [
      ["money", "money"],
      ["ratio", "ratios"],
    ],
    (chosen) => app.change({ entry: chosen }),
  );
  const now = (): Costs => app.current.costs;
  const change = (part: Partial<Costs>): void => app.change({ costs: { ...now(), ...part } });
  const inMoney = (value: number, side: "mu" | "nu"): number => {
    if (app.current.entry === "money") return value;
    return tidy(value * unitOf(now()) + moneyOffsets(now())[side]);
  };
  const miss = field({ id: "cost-fn", label: "a miss", rule: (fn) => (fn > (now().tp ?? 0) ? null : "A miss must cost more than a positive found.") }, (fn) => change({ fn }));
  const alarm = field(
    {
      id: "cost-fp",
      label: "a false alarm",
      slider: true,
      rule: (fp) => (inMoney(fp, "mu") >= (now().tn ?? 0) ? null : "A false alarm must not cost less than a negative cleared."),
    },
    (value) => change({ fp: inMoney(value, "mu") }),
  );
  const reviews = reviewFields(app, change, inMoney);
  const right = rightAnswers(now, change);
  const hint = el("p", { class: "hint" });
  const element = group("Costs", entry.element, miss.element, alarm.element, reviews.element, hint, right.element);
  return {
    element,
    draw: (at) => entry.set(at.state.entry),
    move: (at) => {
      const said = at.state.entry === "ratio" ? "As shares of the cost of a miss." : at.state.unit === "" ? "In any unit; name it below." : "";
      setText(hint, `${said} ${HINTS[kindOf(at.costs)]}`);
      const ratio = at.state.entry === "ratio";
      const unit = unitOf(at.costs);
      for (const one of [miss, alarm]) one.setUnit(costUnit(at));
      miss.set(ratio ? 1 : at.costs.fn);
      miss.input.disabled = ratio;
      alarm.set(ratio ? at.mu : at.costs.fp, ratio ? app.domain.muMax : app.domain.muMax * unit + moneyOffsets(at.costs).mu);
      reviews.move(at);
      right.move(at);
    },
  };
}

/** What stands behind a price. */
export function costUnit({ state: { entry, unit } }: Situation): string {
  return entry === "ratio" ? "× a miss" : unit;
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
  app: App,
  change: (part: Partial<Costs>) => void,
  inMoney: (value: number, side: "mu" | "nu") => number,
): { element: HTMLElement; move(at: Situation): void } {
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
    change({ abstain: value === Infinity ? value : inMoney(value, "nu") }),
  );
  const byClass = (place: 0 | 1): Field =>
    field({ id: `cost-abstain-${place ? "negative" : "positive"}`, label: "a review" }, (value) => {
      const { tp = 0, tn = 0 } = now();
      const price = app.current.entry === "money" ? value : tidy(value * unitOf(now()) + (place ? tn : tp));
      const [positive, negative] = now().byClass ?? [price, price];
      change({ byClass: place ? [positive, price] : [price, negative] });
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
  const element = el("div", {}, picker.element, ...fields.map((one) => one.element));

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
    const ratio = state.entry === "ratio";
    const unit = unitOf(costs);
    for (const one of [both, ...classes]) one.setUnit(costUnit(at));
    both.set(ratio ? at.nu : costs.abstain, ratio ? app.domain.nuMax : app.domain.nuMax * unit + moneyOffsets(costs).nu);
    const found = reviewCosts(costs);
    classes.forEach((one, k) => {
      const right = (k ? costs.tn : costs.tp) ?? 0;
      one.set(ratio ? tidy((found[k] - right) / unit) : found[k]);
    });
    rates.forEach((one, k) => one.set(tidy(100 * (costs.rates?.[k] ?? 1))));
  }

  return { element, move };
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
