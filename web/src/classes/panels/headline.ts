/** The answer in words, 100 cases as dots, and for which costs it holds. */
import { sharesOf100 } from "../../comparison/numbers";
import { el, setText, show } from "../../view/dom";
import type { ClassApp, ClassPanel, View } from "../app";
import { general } from "../../numbers";

const QUIET = 700;
const KINDS = ["right", "wrong", "person"] as const;
const NAMES = { right: "answered right", wrong: "answered wrong", person: "to a person" } as const;

export function classHeadline(app: ClassApp): ClassPanel {
  const decision = el("p", { class: "decision", id: "demur-headline", "data-role": "decision", tabindex: -1 });
  const cost = el("p", { class: "cost", "data-role": "cost-sentence" });
  const dots = el("div", { class: "class-dots", "aria-hidden": "true" });
  const marks = Array.from({ length: 100 }, () => el("span"));
  dots.append(...marks);
  const key = el("ul", { class: "dot-key", "data-role": "dot-key" });
  const holds = el("p", { class: "holds", "data-role": "holds" });
  const notes = el("ul", { class: "remarks", "data-role": "remarks" });
  const back = el("button", { type: "button", class: "quiet", "data-role": "let-go" }, "Show the cheapest rule");
  back.addEventListener("click", () => app.change({ held: null }));
  const spoken = el("div", { class: "unseen", role: "status", "aria-live": "polite", "data-role": "spoken" });
  const element = el(
    "section",
    { class: "headline", "data-panel": "headline", "aria-label": "Decision" },
    decision,
    cost,
    el("div", { class: "dots-row" }, dots, key),
    holds,
    back,
    notes,
    spoken,
  );
  let timer = 0;
  let first = true;

  function draw(at: View): void {
    const [rule, ...rest] = at.sentences;
    setText(decision, rule);
    setText(cost, rest.join(" "));
    const { wrong } = at.answer;
    // the sentence counts what the rule as written does
    const abstained = at.own ? at.data.comparison.answer.shares["abstain"] : at.answer.abstained;
    const numbers = sharesOf100([Math.max(0, 1 - abstained - wrong), wrong, abstained]);
    let place = 0;
    KINDS.forEach((kind, k) => {
      for (let i = 0; i < numbers[k]; i++) marks[place++].className = `dot-${kind}`;
    });
    key.replaceChildren(
      el("li", {}, "Of 100 cases"),
      ...KINDS.map((kind, k) => el("li", {}, el("span", { class: `dot-${kind}` }), `${numbers[k]} ${NAMES[kind]}`)),
    );
    setText(holds, holdsFor(at));
    show(back, at.held !== null);
    notes.replaceChildren(...[at.data.condition, ...at.data.notes].filter(Boolean).map((note) => el("li", {}, note)));
    clearTimeout(timer);
    if (!first) timer = window.setTimeout(() => setText(spoken, at.sentences.join(" ")), QUIET);
    first = false;
  }
  return { element, draw };
}

/** Say for which costs the rule was chosen, and what that means for the numbers. */
function holdsFor({ own, data, answer, answers }: View): string {
  if (own)
    return data.ranged
      ? "Costs are ranges: the rule is chosen over all of them, numbers are for their middle. Editing replaces ranges by numbers."
      : "Chosen for these costs, scored on cases that did not choose it.";
  if (answer.rule.model === null) return "A rule without a model: its cost at your costs is exact for these cases.";
  if (answer.rule.kind === "argmax" || (answers.byCase && answer.rule.kind.startsWith("expected cost")))
    return "This rule needs no choosing: it is the one for your costs.";
  const price = answer.factor === 1 ? "the price" : `${general(answer.factor)} times the price`;
  const review = data.abstain_costs === null ? "" : ` and ${price} of a review`;
  return (
    `At your costs. The weights were chosen for the costs of the file${review}; what they decide on held-out cases ` +
    "is priced anew, so the cost is honest. Weights chosen for your costs may be cheaper: Copy as command."
  );
}
