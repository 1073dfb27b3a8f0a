/** The cost of the answer as a bar against the alternatives, per 1000 cases. */
import { rivals, type ClassNames } from "../comparison/choice";
import type { Candidate } from "../comparison/candidates";
import { costOf } from "../comparison/estimates";
import { money, moneyStep } from "../comparison/numbers";
import { isMade, type VersusFacts } from "../comparison/facts";
import { shortName, trivialWords } from "../comparison/words";
import type { Situation } from "../situation";
import { el, setText, show } from "../view/dom";

interface Bar {
  name: string;
  cost: number;
  interval: readonly number[];
  chosen: boolean;
  /** Whether the cases leave open that the answer is cheaper. */
  open: boolean;
}

const MOST = 5;

export function costBars(): { element: HTMLElement; move(at: Situation): void } {
  const lines = Array.from({ length: MOST }, () => {
    const [name, value, fill, range, open] = ["name", "value", "fill", "range", "open"].map((part) => el("span", { class: part }));
    const row = el("li", {}, name, el("span", { class: "track", "aria-hidden": "true" }, fill, range), value, open);
    return { row, name, value, fill, range, open };
  });
  const element = el(
    "ul",
    { class: "bars", "data-role": "cost-bars" },
    ...lines.map(({ row }) => row),
  );

  function move(at: Situation): void {
    const bars = at.answer === null ? [] : barsOf(at);
    show(element, bars.length > 0);
    const made = at.answer !== null && isMade(at.answer.facts);
    element.setAttribute("aria-label", `${made ? "Cost" : "Measured cost"} per 1000 cases against the alternatives`);
    const most = Math.max(...bars.map(({ cost, interval }) => Math.max(cost, Math.min(interval[1] || 0, 3 * cost))), 1e-12);
    // what right answers gain may make a rule cost less than nothing: its bar is empty
    const place = (cost: number): number => Math.min(100, Math.max(0, (100 * cost) / most));
    const step = bars.length ? moneyStep(bars[0].interval[0], bars[0].interval[1], bars[0].cost) : 1;
    lines.forEach(({ row, name, value, fill, range, open }, k) => {
      show(row, k < bars.length);
      if (k >= bars.length) return;
      const { cost, interval, chosen } = bars[k];
      row.className = chosen ? "chosen" : "";
      setText(name, bars[k].name);
      setText(value, money(cost, step));
      setText(open, bars[k].open ? "not proven" : "");
      fill.style.width = `${place(cost)}%`;
      show(range, !Number.isNaN(interval[0]));
      if (range.hidden) return;
      range.style.left = `${place(interval[0])}%`;
      range.style.width = `${place(interval[1]) - place(interval[0])}%`;
    });
  }

  return { element, move };
}

/** "Every case to a person" instead of "send every case to a person". */
function shortTrivial(kind: Candidate["kind"], names: ClassNames): string {
  return trivialWords(kind, names)[0].replace(/^(send|call) /, "");
}

/** The answer first, then rules without a model, never abstaining and the runner-up. */
function barsOf(at: Situation): Bar[] {
  const { rule, facts } = at.answer!;
  const { question, trivial: simple } = at.candidates!;
  const bar = (one: Candidate, name: string, versus?: VersusFacts): Bar => {
    const { cost, interval } = costOf(one, question);
    const open = versus !== undefined && versus.interval[0] <= 0 && 0 <= versus.interval[1];
    const measured = at.money(cost);
    // as far from the answer as the difference says: after a choice, others are as lucky as the chosen one
    const rise = isMade(facts) && versus !== undefined ? facts.cost - versus.difference - measured : 0;
    const ends = interval.map((end) => at.money(end) + rise);
    return { name, cost: measured + rise, interval: ends, chosen: one === rule, open };
  };
  const nameOf = (one: Candidate): string =>
    one.model === null ? shortTrivial(one.kind, at.names) : shortName(at.data.models[one.model].name);
  const { trivial, never_abstaining: never, runner_up: other } = rivals(rule, at.candidates!);
  const reviews = simple.find(({ kind }) => kind === "always abstain");
  const candidate = isMade(facts) && facts.verdict === "unproven" ? "best candidate" : "this rule";
  const own = bar(rule, rule.model === null ? nameOf(rule) : candidate);
  // after the choice the answer is expected to cost more than it measured
  const bars = [isMade(facts) ? { ...own, cost: facts.cost, interval: facts.interval } : own];
  if (trivial) bars.push(bar(trivial, nameOf(trivial), facts.versus.trivial));
  if (reviews && reviews !== trivial && reviews !== rule) bars.push(bar(reviews, nameOf(reviews)));
  if (never && never !== other && facts.versus.never_abstaining) bars.push(bar(never, never.model === rule.model ? "never abstaining" : `${nameOf(never)}, never abstaining`, facts.versus.never_abstaining));
  if (other) bars.push(bar(other, nameOf(other), facts.versus.runner_up));
  return bars;
}
