/** Costs and a share of positives known only as ranges: fields for their ends. */
import type { Ends, Ranges } from "../comparison/problem";
import { sameRanges } from "../state";
import type { TwoApp } from "../twoClasses";
import { el, setText } from "../view/dom";
import { typed } from "../view/format";
import { button } from "../view/menu";
import type { Panel } from "../view/panel";
import { group } from "./field";

type Side = keyof Ranges;

const NAMES: Record<Side, string> = { fn: "miss", fp: "false alarm", abstain: "review", prevalence: "positives, %" };
const SIDES = Object.keys(NAMES) as Side[];
const HINT =
  "Known only as ranges? Type both ends of each, or drag on the map with Shift. The answer is then the rule that regrets least over all of them.";

/** How a number reads in its fields. */
const scale = (side: Side): number => (side === "prevalence" ? 100 : 1);

export function rangesField(app: TwoApp): Panel {
  const ends = el("div", { class: "box-fields" }, el("span"), el("span", {}, "from"), el("span", {}, "to"));
  const inputs = Object.fromEntries(
    SIDES.map((side) => {
      const own = ["from", "to"].map((end) => {
        const labels = { "data-role": `box-${side}-${end}`, "aria-label": `${NAMES[side]} ${end}`, "aria-describedby": "box-wrong" };
        const input = el("input", { type: "number", min: 0, step: "any", id: `box-${side}-${end}`, ...labels });
        input.addEventListener("change", read);
        return input;
      });
      ends.append(el("span", {}, NAMES[side]), ...own);
      return [side, own];
    }),
  ) as Record<Side, HTMLInputElement[]>;
  const fields = SIDES.flatMap((side) => inputs[side]);
  // what the fields say: what is half typed stays until ranges come from elsewhere
  let known: Ranges | null = null;
  const wrong = el("p", { class: "wrong", id: "box-wrong", "data-role": "box-wrong", role: "status" });
  const clear = button("Remove", "box-clear", () => app.change({ ranges: null }));
  // Escape takes back what was typed
  ends.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") write(app.current.ranges);
  });

  /** A range; null where both fields are empty or say the same; a sentence where they say none, empty while one is missing. */
  function rangeOf(side: Side): Ends | null | string {
    const [low, high] = inputs[side].map(({ value }) => (value.trim() === "" ? NaN : Number(value) / scale(side)));
    if (Number.isNaN(low) && Number.isNaN(high)) return null;
    if (Number.isNaN(low) || Number.isNaN(high)) return "";
    if (low < 0) return `The range of a ${NAMES[side]} must not go below 0.`;
    if (low > high) return `The range of a ${NAMES[side]} must not end before it begins.`;
    if (side === "prevalence" && !(low > 0 && high < 1)) return "The share of positives must lie between 0 and 100 %.";
    return low === high ? null : [low, high];
  }

  function read(): void {
    const found = SIDES.map(rangeOf);
    const reason = found.find((one) => typeof one === "string");
    setText(wrong, reason ?? "");
    // numbers still to come are no mistake
    fields.forEach((input) => input.setAttribute("aria-invalid", String(Boolean(reason) && input.value !== "")));
    if (reason !== undefined) return;
    const [fn, fp, abstain, prevalence] = found as (Ends | null)[];
    app.change({ ranges: { fn, fp, abstain, prevalence } });
    known = app.current.ranges;
  }

  /** Show what holds, whatever was typed. */
  function write(ranges: Ranges | null): void {
    setText(wrong, "");
    known = ranges;
    for (const side of SIDES) {
      inputs[side].forEach((input, end) => {
        const range = ranges?.[side] ?? null;
        input.value = range === null ? "" : typed(Number((range[end] * scale(side)).toPrecision(10)));
        input.setAttribute("aria-invalid", "false");
      });
    }
  }

  return {
    element: group("Ranges", el("p", { class: "hint" }, HINT), ends, wrong, clear),
    draw: ({ state: { ranges } }) => {
      clear.hidden = ranges === null;
      if (!sameRanges(ranges, known) && !fields.includes(document.activeElement as HTMLInputElement)) write(ranges);
    },
  };
}
