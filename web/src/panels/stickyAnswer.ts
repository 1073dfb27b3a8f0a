/** The answer in one line at the top of the window, while its sentences are out of sight. */
import { money, moneyRange, moneyStep } from "../comparison/numbers";
import { isMade, type Facts } from "../comparison/facts";
import { capital, shortName, trivialWords } from "../comparison/words";
import { thresholdText } from "../numbers";
import type { Situation } from "../situation";
import { el, setText } from "../view/dom";

/** `headline` is what the line stands for. */
export function stickyAnswer(headline: HTMLElement): { element: HTMLElement; move(at: Situation): void } {
  const [rule, cost] = [el("strong"), el("span")];
  // for the eye alone: a screen reader has the headline
  const element = el("div", { class: "sticky", "data-role": "sticky", "aria-hidden": "true" }, el("p", {}, rule, " ", cost));
  new IntersectionObserver(([entry]) => element.classList.toggle("on", !entry.isIntersecting)).observe(headline);
  return {
    element,
    move(at) {
      const facts = at.answer?.facts;
      element.hidden = facts === undefined;
      if (facts === undefined) return;
      setText(rule, stickyRule(facts));
      setText(cost, costLine(facts, at.state.unit));
    },
  };
}

/** The verdict, where there is one, and what to do; of an unproven rule the model alone is named. */
function stickyRule(facts: Facts): string {
  const { model, best_trivial: trivial } = facts;
  if (!isMade(facts) || model === null) return ruleLine(facts);
  if (facts.verdict !== "unproven" || trivial === null) return `${capital(facts.verdict)}. ${ruleLine(facts)}`;
  return `Unproven. ${capital(trivialWords(trivial.name, facts)[0])} for now; best candidate ${shortName(model)}`;
}

/** The rule, as short as it can be said. */
export function ruleLine(facts: Facts): string {
  const { kind, positive, negative } = facts;
  if (facts.model === null) return capital(trivialWords(kind, facts)[0]);
  const from = thresholdText(facts.upper);
  const name = shortName(facts.model);
  if (kind === "threshold") return `${name}: ${positive} from ${from} up, else ${negative}`;
  const parts = [];
  if (facts.calls_positive) parts.push(`${positive} from ${from} up`);
  if (facts.calls_negative) parts.push(`${negative} up to ${thresholdText(facts.lower)}`);
  return `${name}: ${parts.join(", ")}, the rest to a person`;
}

/** The cost with its interval, over ranges the range of costs; that of the page is measured. */
export function costLine(facts: Facts, unit: string): string {
  const { cost, interval } = facts;
  const [low, high] = interval;
  const step = moneyStep(low, high, cost);
  const sure = high > low ? ` (${moneyRange([low, high], step)})` : "";
  const over = isMade(facts) ? facts.cost_range : null;
  const number = over === null ? money(cost, step) : moneyRange(over, step);
  return `${isMade(facts) ? "" : "measured "}${number}${unit === "" ? "" : ` ${unit}`}${sure} per 1000 cases`;
}
