/** The answer in words: the rule, 100 cases as dots, what it costs, and what is not proven. */
import type { App } from "../app";
import { sameCosts } from "../math/units";
import { remarks } from "../remarks";
import type { Situation } from "../situation";
import { el, setText } from "../view/dom";
import type { Panel } from "../view/panel";
import { caseDots } from "./caseDots";
import { costBars } from "./costBars";
import { stickyAnswer } from "./stickyAnswer";

/** Wait before a screen reader hears the headline. */
const QUIET = 700;

export function headlinePanel(app: App): Panel {
  const decision = el("p", { class: "decision", id: "demur-headline", "data-role": "decision" });
  const [before, amount, after] = [el("span"), el("strong", { "data-role": "cost" }), el("span")];
  const cost = el("p", { class: "cost", "data-role": "cost-sentence" }, before, amount, after);
  const dots = caseDots();
  const bars = costBars();
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
    dots.element,
    el("div", { class: "evidence" }, cost, bars.element),
    odd,
    spoken,
  );
  const sticky = stickyAnswer(decision);
  element.append(sticky.element);
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
    const given = at.data.costs_given || !sameCosts(at.costs, app.start.costs);
    const [rule, ...rest] = at.headline(given);
    setText(decision, rule);
    const [, opening, number, end] = /^([^]*?(?:Cost|Measured cost) )([\d.,]*\d(?: to [\d.,]*\d)?)([^]*)$/.exec(rest.join(" ")) ?? [];
    setText(before, opening ?? rest.join(" "));
    setText(amount, number ?? "");
    setText(after, end ?? "");
    dots.move(at);
    bars.move(at);
    sticky.move(at);
    const strange = [...new Set([...remarks(at.data, at.costs), ...at.data.notes])];
    if (
      odd.childElementCount !== strange.length ||
      strange.some((text, k) => odd.children[k].textContent !== text)
    ) {
      odd.replaceChildren(...strange.map((text) => el("li", {}, text)));
    }
    clearTimeout(timer);
    const whole = [rule, ...rest].join(" ");
    if (first) first = false;
    else timer = window.setTimeout(() => setText(spoken, whole), QUIET);
  }

  return { element, draw, move };
}
