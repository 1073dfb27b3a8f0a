/** The answer in words: the rule, what it costs, also in a year, what happens to 1000 cases, and what is odd. */
import type { App } from "../app";
import { LONGEST_UNIT } from "../state";
import { general, grouped } from "../numbers";
import type { Priced, Part, View } from "../kind";
import { el, setText, show } from "../view/dom";
import type { Panel } from "../view/panel";
import { field } from "./field";
import { money, moneyStep } from "../comparison/numbers";

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

type Short = readonly [rule: string, cost: string];

/** `headline` is what the line stands for. */
function stickyAnswer(headline: HTMLElement): { element: HTMLElement; draw(short: Short | null): void } {
  const [rule, cost] = [el("strong"), el("span")];
  // for the eye alone: a screen reader has the headline
  const element = el("div", { class: "sticky", "data-role": "sticky", "aria-hidden": "true" }, el("p", {}, rule, " ", cost));
  new IntersectionObserver(([entry]) => element.classList.toggle("on", !entry.isIntersecting)).observe(headline);
  return {
    element,
    draw(short) {
      show(element, short !== null);
      setText(rule, short?.[0] ?? "");
      setText(cost, short?.[1] ?? "");
    },
  };
}

const KINDS = 3;

function spread(): { element: HTMLElement; draw(parts: readonly Part[]): void } {
  const sides = Array.from({ length: KINDS }, () => {
    const wrong = el("span", { class: "mistakes" });
    const [name, where, errors] = [el("strong"), el("span"), el("span", { class: "errors" })];
    const patch = el("span", { class: "patch" });
    return { bar: el("span", {}, wrong), wrong, line: el("li", {}, patch, name, " ", where, " ", errors), patch, name, where, errors };
  });
  const bars = el("div", { class: "bar", role: "img", "data-role": "spread-bar" }, ...sides.map(({ bar }) => bar));
  const element = el("div", { class: "spread", "data-role": "spread" }, bars, el("ul", {}, ...sides.map(({ line }) => line)));
  let drawn = "";
  return {
    element,
    draw(parts) {
      const key = JSON.stringify(parts);
      if (key === drawn) return;
      drawn = key;
      show(element, parts.length > 0);
      parts.forEach(({ look, cases, wrong, name, where, errors }, k) => {
        const side = sides[k];
        side.bar.className = `said-${look}`;
        side.patch.className = `patch said-${look}`;
        // a kind that happens can be seen, however rare it is
        side.bar.style.flex = `${cases} 0 ${cases > 0 || wrong > 0 ? 2 : 0}px`;
        show(side.wrong, wrong > 0 && look !== "wrong");
        side.wrong.style.width = `${cases > 0 ? Math.min(100, (100 * wrong) / cases) : 100}%`;
        setText(side.name, name);
        setText(side.where, where);
        setText(side.errors, errors);
      });
      const wrong = parts.map(({ errors }) => errors).filter((text) => text !== "");
      bars.setAttribute("aria-label", `Of 1000 cases: ${parts.map(({ name }) => name).join(", ")}${wrong.length ? `; ${wrong.join(", ")}` : ""}`);
    },
  };
}

const RIVALS = 5;

function costBars(): { element: HTMLElement; draw(answer: View["answer"]): void } {
  const lines = Array.from({ length: RIVALS }, () => {
    const [name, value, fill, range, open] = ["name", "value", "fill", "range", "open"].map((part) => el("span", { class: part }));
    const row = el("li", {}, name, el("span", { class: "track", "aria-hidden": "true" }, fill, range), value, open);
    return { row, name, value, fill, range, open };
  });
  const title = el("p", { class: "about" });
  const list = el("ul", { "data-role": "cost-bars" }, ...lines.map(({ row }) => row));
  const element = el("div", { class: "bars" }, title, list);

  function draw(answer: View["answer"]): void {
    show(element, answer !== null);
    if (answer === null) return;
    const { bars, measured } = answer;
    const words = `${measured ? "Measured cost" : "Cost"} per 1000 cases against the alternatives`;
    setText(title, words);
    list.setAttribute("aria-label", words);
    const most = Math.max(...bars.map(({ cost, interval }) => Math.max(cost, Math.min(interval[1] || 0, 3 * cost))), 1e-12);
    // what right answers gain may make a rule cost less than nothing: its bar is empty
    const place = (cost: number): number => Math.min(100, Math.max(0, (100 * cost) / most));
    const step = moneyStep(bars[0].interval[0], bars[0].interval[1], bars[0].cost);
    lines.forEach(({ row, name, value, fill, range, open }, k) => {
      show(row, k < bars.length);
      if (k >= bars.length) return;
      const { cost, interval, chosen } = bars[k];
      row.className = chosen ? "chosen" : "";
      setText(name, bars[k].name);
      name.title = bars[k].name;
      setText(value, money(cost, step));
      setText(open, bars[k].open ? "not proven" : "");
      fill.style.width = `${place(cost)}%`;
      show(range, !Number.isNaN(interval[0]));
      if (range.hidden) return;
      range.style.left = `${place(interval[0])}%`;
      range.style.width = `${place(interval[1]) - place(interval[0])}%`;
    });
  }

  return { element, draw };
}
