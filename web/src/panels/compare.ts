/** Two models side by side: which is cheaper here, and whether the cases prove it; the map shows where. */
import { costAt, type Candidate } from "../comparison/candidates";
import { money, moneyStep } from "../comparison/numbers";
import { inBrackets } from "../comparison/words";
import type { DifferenceData, PairData, ReportData } from "../data";
import type { Situation } from "../situation";
import type { TwoApp } from "../twoClasses";
import { cut, el, setText } from "../view/dom";
import { pValue, withInterval } from "../view/format";
import { Frame } from "../view/frame";
import { button } from "../view/menu";
import type { Panel } from "../view/panel";

export function comparePanel(app: TwoApp): Panel {
  const { models } = app.kind.data;
  const frame = new Frame("compare", "Compare", "A with B, paired on the same cases");
  const pickers = ["A", "B"].map((side) => {
    const role = `compare-${side.toLowerCase()}`;
    const select = el("select", { id: role, "data-role": role }, ...models.map(({ name }, k) => el("option", { value: k }, cut(name, 40))));
    select.addEventListener("change", () => app.change({ compare: [Number(pickers[0].select.value), Number(pickers[1].select.value)] }));
    return { select, element: el("span", { class: "pick" }, el("label", { for: role }, side), select) };
  });
  const swap = button("Swap", "compare-swap", () => {
    const [a, b] = pairOf(app.at());
    app.change({ compare: [b, a] });
  });
  const map = button("Show on the map", "compare-map", () => {
    app.change({ colour: "difference" });
    document.getElementById("panel-map")?.scrollIntoView({ block: "nearest" });
  });
  const lead = el("p", { "data-role": "compare-here" });
  const words = el("ul", { class: "words", "data-role": "compare-words" });
  frame.body.append(el("div", { class: "choose" }, ...pickers.map(({ element }) => element), swap, map), lead, words);

  function draw(at: Situation): void {
    const pair = pairOf(at);
    pickers.forEach(({ select }, k) => (select.value = String(pair[k])));
    words.replaceChildren(...sentences(at, ...pair).map((text) => el("li", {}, text)));
  }

  return frame.panel(draw, (at) => setText(lead, leadSentence(at, ...pairOf(at))));
}

function pairOf({ state }: Situation): readonly [a: number, b: number] {
  return state.compare ?? [0, 1];
}

/** The difference at the cost point, paired on the same held-out cases, and whether they prove it. */
function leadSentence(at: Situation, a: number, b: number): string {
  const [nameA, nameB] = [a, b].map((k) => cut(at.data.models[k].name, 30));
  const [ruleA, ruleB] = [at.bestRule(a), at.bestRule(b)];
  if (ruleA === null || ruleB === null) return "These cases are too few to judge any rule on cases that did not choose it.";
  const { difference, interval } = at.difference(ruleA, ruleB);
  if (a === b || (difference === 0 && interval[0] === interval[1]))
    return `Here ${nameA} and ${nameB} cost the same.`;
  // named so that the difference reads as a saving
  const swapped = difference > 0;
  const [winner, other] = swapped ? [nameB, nameA] : [nameA, nameB];
  const saving = (value: number): number => value * (swapped ? 1 : -1);
  const [low, high] = interval.map(saving).sort((a, b) => a - b);
  const step = moneyStep(low, high, saving(difference));
  const text = `Here ${winner} costs ${money(saving(difference), step)} less per 1000 cases than ${other}`;
  const ends = inBrackets([low, high], step, `${at.level} interval `);
  // both costs to the same digit, so that they differ by what was said
  const [one, two] = swapped ? [ruleB, ruleA] : [ruleA, ruleB];
  return `${text}${ends}. ${winner} costs ${costText(at, one, step)}, ${other} ${costText(at, two, step)}.`;
}

/** What a rule costs, and whether it is the one that never abstains. */
function costText(at: Situation, rule: Candidate, step: number): string {
  const never = rule.kind === "threshold" && Number.isFinite(at.nu) ? " never abstaining" : "";
  return `${at.per1000(costAt(rule, at.problem), step)}${never}`;
}

function sentences(at: Situation, a: number, b: number): string[] {
  if (a === b) return ["Twice the same model: nothing to compare."];
  const tests = testsOf(at.data, a, b);
  if (tests === null) return ["The data hold no test of this pair."];
  const said = [
    `Mean cost over all prices (VACC), A minus B: ${differing(tests.volume)}. A miss costs 1 in it.`,
    `AUC, A minus B: ${differing(tests.auc)}.`,
  ];
  if (tests.comparisons > 1) said.push(`p adjusted for ${tests.comparisons} pairs of models (Holm).`);
  if (at.prepared.prevalence !== at.data.prevalence)
    said.push("The mean cost is that at the prevalence of the report; all else follows the one in use.");
  return said;
}

function differing({ difference, low, high, adjusted_pvalue: adjusted }: DifferenceData): string {
  return `${withInterval(difference, low, high)}, ${pValue(adjusted)}`;
}

function flipped(test: DifferenceData): DifferenceData {
  return { ...test, difference: -test.difference, low: -test.high, high: -test.low };
}

/** Differences of volume and AUC, a minus b; null where the data hold no test of the pair. */
function testsOf(report: ReportData, a: number, b: number): Pick<PairData, "volume" | "auc" | "comparisons"> | null {
  const stored = report.pairs.find((pair) => Math.min(a, b) === pair.a && Math.max(a, b) === pair.b);
  if (stored === undefined || stored.a === a) return stored ?? null;
  return { volume: flipped(stored.volume), auc: flipped(stored.auc), comparisons: stored.comparisons };
}
