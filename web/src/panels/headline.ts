/** The answer in words: the rule, what it costs, also in a year, what happens to 1000 cases, and what is odd. */
import type { App } from "../app";
import { LONGEST_UNIT } from "../state";
import { general, grouped } from "../numbers";
import type { Priced } from "../kind";
import { el, setText, show } from "../view/dom";
import type { Panel } from "../view/panel";
import { costBars } from "./costBars";
import { field } from "./field";
import { spread } from "./spread";
import { stickyAnswer } from "./stickyAnswer";

/** Wait before a screen reader hears the headline. */
const QUIET = 700;

/** @param words fields for the words of the page, folded */
export function headlinePanel(app: App, words: Panel<object> | null): Panel<object> {
  const decision = el("p", { class: "decision", id: "demur-headline", "data-role": "decision" });
  const [before, amount, after] = [el("span"), el("strong", { "data-role": "cost" }), el("span")];
  const cost = el("p", { class: "cost", "data-role": "cost-sentence" }, before, amount, after);
  const year = yearFields(app, words);
  const cases = spread();
  const bars = costBars();
  const odd = el("ul", { class: "remarks", "data-role": "remarks" });
  const spoken = el("div", { class: "unseen", role: "status", "aria-live": "polite", id: "spoken", "data-role": "spoken" });
  const sticky = stickyAnswer(decision);
  const element = el(
    "section",
    { class: "headline", id: "panel-headline", "data-panel": "headline", "aria-label": "Decision" },
    decision,
    el("div", { class: "answer" }, el("div", {}, cost, year.element), bars.element),
    cases.element,
    odd,
    spoken,
    sticky.element,
  );
  let timer = 0;
  // what was said last; null before the page has said anything
  let said: string | null = null;

  /** While the hand holds the point, what lies below must not slip away under it. */
  function hold(): void {
    const { style } = element;
    if (!app.kind.held) style.height = "";
    else if (style.height === "") style.minHeight = style.height = `${element.getBoundingClientRect().height}px`;
  }
  addEventListener("resize", () => (element.style.minHeight = ""));

  function draw(): void {
    hold();
    const { sentences, remarks, answer } = app.view();
    const [rule, ...rest] = sentences;
    setText(decision, rule);
    const [, opening, number, end] = /^([^]*?(?:Cost|Measured cost) )([\d.,]*\d(?: to [\d.,]*\d)?)([^]*)$/.exec(rest.join(" ")) ?? [];
    setText(before, opening ?? rest.join(" "));
    setText(amount, number ?? "");
    setText(after, end ?? "");
    year.draw();
    cases.draw(answer?.spread ?? []);
    bars.draw(answer);
    sticky.draw(answer?.short ?? null);
    if (odd.childElementCount !== remarks.length || remarks.some((text, k) => odd.children[k].textContent !== text))
      odd.replaceChildren(...remarks.map((text) => el("li", {}, text)));
    const whole = sentences.join(" ");
    if (whole === said) return;
    clearTimeout(timer);
    if (said !== null) timer = window.setTimeout(() => setText(spoken, whole), QUIET);
    said = whole;
  }

  return { element, draw, move: draw };
}

/** Cases in a year and the unit of money beside the answer, and what it costs then. */
function yearFields(app: App, words: Panel<object> | null): { element: HTMLElement; draw(): void } {
  const cases = field({ id: "yearly", label: "Cases per year", above: 0, empty: NaN }, (value) =>
    app.change({ yearly: value > 0 ? value : null }),
  );
  const unit = textField("name-unit", "costs are in", LONGEST_UNIT, (text) => app.change({ unit: text }));
  const said = el("p", { class: "year", "data-role": "year" });
  const element = el("div", { class: "volume" }, cases.element, unit.element, words?.element ?? null, said);
  return {
    element,
    draw() {
      const { yearly, unit: name } = app.current;
      const { answer } = app.view();
      cases.set(yearly ?? NaN);
      unit.set(name, "any unit");
      show(said, yearly !== null && answer !== null);
      setText(said, yearly === null || answer === null ? "" : yearWords(answer, yearly, name));
    },
  };
}

/** "Per year, with 50,000 cases: 450,000 EUR (100,000 to 800,000)." */
function yearWords({ cost, interval, measured }: Priced & { measured: boolean }, yearly: number, unit: string): string {
  const [low, high] = interval.map((end) => end * yearly);
  const all = cost * yearly;
  const size = high > low ? high - low : Math.abs(all);
  const step = size > 0 ? 10 ** (Math.floor(Math.log10(size)) - 1) : 1;
  const text = (value: number): string => grouped(Math.round(value / step) * step, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const sure = high > low ? ` (${text(low)} to ${text(high)})` : "";
  const what = measured ? "measured " : "";
  return `Per year, with ${Number.isInteger(yearly) ? grouped(yearly, 0) : general(yearly)} cases: ${what}${text(all)}${unit === "" ? "" : ` ${unit}`}${sure}.`;
}

/** A text of the reader's own. */
export function textField(id: string, label: string, longest: number, changed: (text: string) => void) {
  const input = el("input", { type: "text", id, "data-role": id, maxlength: longest, autocomplete: "off" });
  input.addEventListener("input", () => changed(input.value.trim()));
  return {
    element: el("div", { class: "field" }, el("label", { for: id }, label), input),
    /** Show a text, unless the reader is typing; what holds without one stands in the empty field. */
    set(text: string, usual: string): void {
      input.placeholder = usual;
      if (document.activeElement !== input) input.value = text;
    },
  };
}
