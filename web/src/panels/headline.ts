/** The answer in words: the rule, 100 cases as dots, what it costs, and what is not proven. */
import type { App } from "../app";
import { sharesOf100 } from "../comparison/numbers";
import { ratesOf } from "../comparison/estimates";
import { sameCosts } from "../math/units";
import { remarks } from "../remarks";
import type { Situation } from "../situation";
import { el, setText, show } from "../view/dom";
import type { Panel } from "../view/panel";
import { costBars } from "./costBars";

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
    cost,
    el("div", { class: "evidence" }, dots.element, bars.element),
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
    const given = at.data.costs_given || !sameCosts(at.costs, app.start.costs);
    const [rule, ...rest] = at.headline(given);
    setText(decision, rule);
    const [, opening, number, end] = /^([^]*?Cost )([\d.,]*\d)([^]*)$/.exec(rest.join(" ")) ?? [];
    setText(before, opening ?? rest.join(" "));
    setText(amount, number ?? "");
    setText(after, end ?? "");
    dots.move(at);
    bars.move(at);
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

/** 100 cases by what is done with them; the sentence beside says the same. */
function caseDots(): { element: HTMLElement; move(at: Situation): void } {
  const dots = Array.from({ length: 100 }, () => el("span"));
  const element = el("div", { class: "dots", role: "img", "data-role": "dots" }, ...dots);
  let drawn = "";
  return {
    element,
    move(at) {
      const { answer } = at;
      show(element, answer !== null);
      if (answer === null) return;
      const shares = ratesOf(answer.rule.honest, at.prepared.prevalence);
      const [negative, positive, sent] = sharesOf100([0, 1, 2].map((k) => shares[k] + shares[3 + k]));
      const key = [negative, sent, positive, at.names.positive, at.names.negative].join("|");
      if (key === drawn) return;
      drawn = key;
      dots.forEach((dot, k) => {
        dot.className = k < positive ? "said-positive" : k < positive + sent ? "said-nothing" : "said-negative";
      });
      const parts = [`${positive} called ${at.names.positive}`, `${sent} sent to a person`, `${negative} called ${at.names.negative}`];
      element.setAttribute("aria-label", `Of 100 cases: ${parts.join(", ")}`);
    },
  };
}
