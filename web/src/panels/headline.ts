/** The decision in words, what it costs, what it saves, and how sure that is. */
import type { App } from "../app";
import type { Situation } from "../situation";
import { headline, outOf100, remarks } from "../words";
import { cheapestModel } from "../math/models";
import { general } from "../numbers";
import { el, setText } from "../view/dom";
import type { Panel } from "../view/panel";

/** Wait before a screen reader hears the headline. */
const QUIET = 700;
const PRICES = ["fn", "fp", "abstain"] as const;

export function headlinePanel(app: App): Panel {
  const decision = el("p", { class: "decision", id: "demur-headline", "data-role": "decision" });
  const [before, amount, after] = [el("span"), el("strong", { "data-role": "cost" }), el("span")];
  const cost = el("p", { class: "cost", "data-role": "cost-sentence" }, before, amount, after);
  const saving = el("p", { class: "cost", "data-role": "saving" });
  const odd = el("ul", { class: "remarks", "data-role": "remarks" });
  const spoken = el("div", {
    class: "unseen",
    role: "status",
    "aria-live": "polite",
    id: "spoken",
    "data-role": "spoken",
  });
  const element = el(
    "section",
    { class: "headline", id: "panel-headline", "data-panel": "headline", "aria-label": "Decision" },
    decision,
    cost,
    saving,
    odd,
    spoken,
  );
  let timer = 0;
  let first = true;

  function draw(): void {
    // words follow the cost point: all of them are written by move()
  }

  /** While the hand holds the point, the charts below must not slip away under it. */
  function hold(): void {
    const { style } = element;
    if (!app.domain.held) style.height = "";
    else if (style.height === "") style.minHeight = style.height = `${element.getBoundingClientRect().height}px`;
  }
  addEventListener("resize", () => (element.style.minHeight = ""));

  function move(at: Situation): void {
    hold();
    const whole = sentences(at);
    const split = whole.indexOf(" Expected cost ");
    setText(decision, split < 0 ? whole : whole.slice(0, split));
    const rest = split < 0 ? "" : whole.slice(split + 1);
    const found = /^(Expected cost )([\d.,]+)([^]*)$/.exec(rest);
    setText(before, found?.[1] ?? rest);
    setText(amount, found?.[2] ?? "");
    setText(after, found?.[3] ?? "");
    setText(saving, split < 0 ? "" : savings(at));
    const strange = [...new Set([...remarks(at.data, at.costs), ...at.data.notes])];
    if (
      odd.childElementCount !== strange.length ||
      strange.some((text, k) => odd.children[k].textContent !== text)
    ) {
      odd.replaceChildren(...strange.map((text) => el("li", {}, text)));
    }
    clearTimeout(timer);
    if (first) first = false;
    else timer = window.setTimeout(() => setText(spoken, whole), QUIET);
  }

  /** The shared headline; for a model the reader holds on to, that of this model alone. */
  function sentences(at: Situation): string {
    const { prepared, state, data } = at;
    if (at.here.limited) return limited(at);
    const models = state.model === null ? prepared.models : [prepared.models[state.model]];
    const given =
      data.costs_given !== false || PRICES.some((price) => at.costs[price] !== app.start.costs[price]);
    return headline(data, { ...prepared, models }, at.costs, given);
  }

  return { element, draw, move };
}

/** The decision where the limit on reviews narrows the window. */
function limited(at: Situation): string {
  const { reviews, cases } = at.state.capacity!;
  const { window, certified } = at.here;
  const step = at.step(at.here);
  const [act, send] = window.i === window.j ? ["100", "none"] : outOf100(window.abstain);
  const free = at.surface.window(at.mu, at.nu);
  const sure = ["judged on the cases that chose the thresholds, so too low on average"];
  if (certified !== null) sure.push(`certified <= ${at.per1000(certified, step)}`);
  return [
    `With these costs and at most ${general(reviews)} reviews for ${general(cases)} cases, use ${at.modelName}: act on ${act} of 100 cases, send ${send} to a person.`,
    `Expected cost ${at.per1000(window.cost, step)} per 1000 cases (${sure.join("; ")}).`,
    `Without the limit: ${at.per1000(free.cost, step)}.`,
  ].join(" ");
}

/** What the window saves against never abstaining and against the best rule without a model. */
function savings(at: Situation): string {
  const { models } = at.prepared;
  const step = at.step(at.here);
  const other = models[at.state.model ?? cheapestModel(models, at.mu, Infinity)];
  const never =
    at.here.honest === null || other.honest === null
      ? other.surface.cost(at.mu, Infinity)
      : other.honest.at(at.mu, Infinity).cost;
  const parts: string[] = [];
  const add = (gain: number, against: string): void => {
    if (Math.round((1000 * gain * at.costs.fn) / step) > 0)
      parts.push(`${at.per1000(gain, step)} against ${against}`);
  };
  if (at.window.i < at.window.j) add(never - at.here.cost, "never abstaining");
  add(at.trivial.cost - at.here.cost, `the rule "${at.trivial.best}"`);
  return parts.length === 0 ? "" : `Saves ${parts.join(", and ")}, per 1000 cases.`;
}
