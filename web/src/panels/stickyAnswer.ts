/** The answer in one line at the top of the window, while its sentences are out of sight. */
import { money, moneyRange, moneyStep } from "../comparison/numbers";
import { shortName, trivialWords } from "../comparison/words";
import type { Facts } from "../comparison/facts";
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
      setText(rule, ruleLine(facts));
      setText(cost, costLine(facts, at.state.unit));
    },
  };
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

/** The cost with its interval. */
export function costLine({ cost, interval }: Facts, unit: string): string {
  const [low, high] = interval ?? [cost, cost];
  const step = moneyStep(low, high, cost);
  const sure = high > low ? ` (${moneyRange([low, high], step)})` : "";
  return `${money(cost, step)}${unit === "" ? "" : ` ${unit}`}${sure} per 1000 cases`;
}

function capital(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}
