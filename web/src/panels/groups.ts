/** One rule in several groups of cases: share decided, errors and cost, with intervals that hold for all at once. */
import type { GroupRow, GroupsData } from "../data";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import { cut, el, setText } from "../view/dom";
import { amount, count, threshold } from "../view/format";
import { Frame, scrolling, tableHead, tableRow } from "../view/frame";
import type { Panel } from "../view/panel";

const TITLES = ["group", "cases", "decided", "missed of the positives", "false alarms of the negatives", "cost per 1000"];
const NAMES = ["decided", "missed", "false_alarms", "cost"];

export function groupsPanel(found: GroupsData): Panel {
  const frame = new Frame("groups", "Groups");
  const rows = [...found.groups, found.overall];
  const titles = found.hindsight ? [...TITLES.slice(0, -1), "cost per 1000, with hindsight"] : TITLES;
  const table = el(
    "table",
    {},
    tableHead(titles),
    el("tbody", {}, ...rows.map(lineOf)),
  );
  const note = el("p", { class: "reading", "data-role": "groups-said" });
  frame.body.append(scrolling("The rule by group", table), note);
  frame.numbers(
    () => ({
      columns: ["group", "cases", ...NAMES.flatMap((name) => [name, `${name}_low`, `${name}_high`])],
      rows: rows.map((row) => [row.name, row.n, ...measures(row).flatMap(([value, ends]) => [value ?? NaN, ...(ends ?? [NaN, NaN])])]),
    }),
    true,
  );

  function draw(at: Situation): void {
    setText(frame.about, `one rule for all; intervals hold for all groups together (${at.level})`);
    const ends = `${at.names.negative} up to ${threshold(found.lower)}, ${at.names.positive} from ${threshold(found.upper)}`;
    const later = found.hindsight ? " These cases also chose the rule, so errors and costs are with hindsight; judge it on later cases with demur audit --group." : "";
    setText(note, `The rule of the report, at the costs it was made for: ${cut(found.model, 30)}, ${ends}.${later}`);
  }

  return frame.panel(draw);
}

type Measure = [value: number | null, ends: readonly number[] | null];

function measures(row: GroupRow): Measure[] {
  return [
    [row.decided, row.decided_interval],
    [row.miss_rate, row.miss_rate_interval],
    [row.alarm_rate, row.alarm_rate_interval],
    [row.cost, row.cost_interval],
  ];
}

function lineOf(row: GroupRow): HTMLTableRowElement {
  const text = ([value, ends]: Measure, k: number): string => {
    const said = k < 3 ? percent : (cost: number) => amount(1000 * cost);
    return value === null ? "–" : `${said(value)}${ends === null ? "" : ` (${ends.map(said).join(" to ")})`}`;
  };
  return tableRow(cut(row.name, 30), count(row.n), ...measures(row).map(text));
}
