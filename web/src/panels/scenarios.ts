/** Two scenarios side by side: one that the reader pinned, and what the page shows now. */
import type { App } from "../app";
import { isMade } from "../comparison/facts";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import { el, setText, show } from "../view/dom";
import { typed } from "../view/format";
import { Frame } from "../view/frame";
import type { Panel } from "../view/panel";
import { costLine, ruleLine } from "./stickyAnswer";

const ROWS = ["costs", "share of positives", "limits", "rule", "cost", "to a person", "missed", "false alarms"];

export function scenarioPanel(app: App): Panel {
  const frame = new Frame("scenarios", "Two scenarios", "pin what you see, change the costs, compare");
  const [pin, swap, clear] = (
    [
      ["Pin this as A", "pin"],
      ["Go to A, pin this", "pin-swap"],
      ["Unpin", "pin-clear"],
    ] as const
  ).map(([text, role]) => el("button", { type: "button", class: role === "pin" ? "" : "quiet", "data-role": role }, text));
  const cells = ROWS.map(() => [el("td"), el("td")]);
  const table = el(
    "table",
    { class: "scenarios", "data-role": "scenarios" },
    el("thead", {}, el("tr", {}, el("td"), el("th", { scope: "col" }, "A, pinned"), el("th", { scope: "col" }, "B, now"))),
    el("tbody", {}, ...ROWS.map((name, k) => el("tr", {}, el("th", { scope: "row" }, name), ...cells[k]))),
  );
  const box = el("div", { class: "scroll across", tabindex: 0, role: "region", "aria-label": "Two scenarios" }, table);
  frame.body.append(el("div", { class: "choose" }, pin, swap, clear), box);
  pin.addEventListener("click", () => app.pin());
  swap.addEventListener("click", () => app.swapPinned());
  clear.addEventListener("click", () => app.change({ pinned: "" }));

  let kept = "";

  function draw(at: Situation): void {
    const some = at.state.pinned !== "";
    show(box, some);
    for (const button of [swap, clear]) show(button, some);
    setText(pin, some ? "Pin this instead" : "Pin this as A");
    // what is pinned stays while the page moves: it is computed once
    const key = JSON.stringify([at.state.pinned, at.state.unit, at.names]);
    if (key === kept) return;
    kept = key;
    const pinned = app.pinned();
    if (pinned !== null) column(pinned).forEach((text, k) => setText(cells[k][0], text));
  }

  function move(at: Situation): void {
    if (at.state.pinned === "") return;
    column(at).forEach((text, k) => setText(cells[k][1], text));
  }

  return { element: frame.section, draw, move };
}

/** What a scenario asks and answers, a text for every row. */
function column(at: Situation): string[] {
  const { costs, answer } = at;
  const review = costs.byClass?.map(typed).join(" / ") ?? (Number.isFinite(costs.abstain) ? typed(costs.abstain) : "never");
  const asked = [
    `miss ${typed(costs.fn)}, false alarm ${typed(costs.fp)}, review ${review}${at.box === null ? "" : ", as ranges"}`,
    percent(at.prevalence),
    at.limits === null ? "none" : Object.values(at.limits).map((value) => percent(value)).join(", "),
  ];
  if (answer === null) return [...asked, ...ROWS.slice(3).map(() => "–")];
  const { facts } = answer;
  return [
    ...asked,
    isMade(facts) && facts.model !== null ? `${ruleLine(facts)} (${facts.verdict})` : ruleLine(facts),
    costLine(facts, at.state.unit),
    ...[facts.abstained, facts.missed, facts.alarms].map(percent),
  ];
}
