/** What a picture or a sheet of paper was drawn for: costs, prevalence, limits, data, date. */
import { conditionWords } from "../answer";
import { designWords, type AmountsData } from "../data";
import { general, grouped, percent } from "../numbers";
import type { Situation } from "../situation";
import { cut, el, setText } from "../view/dom";
import { count } from "../view/format";
import type { Panel } from "../view/panel";

export function captionOf(at: Situation): string[] {
  const { source, n, made, software, design } = at.data;
  const rows = designWords(`${cut(source.name, 60)}, ${count(n)} cases`, design);
  return [
    [costWords(at), prevalenceWords(at), conditionWords(at.limits, at.box)].filter((part) => part !== "").join(" "),
    `Source: ${rows}; report of ${made.slice(0, 10)} by demur ${software.demur}.`,
  ];
}

const AMOUNTS: readonly [name: string, words: string, factor: "fn" | "fp" | "abstain"][] = [
  ["cost_fn", "a miss", "fn"],
  ["cost_fp", "a false alarm", "fp"],
  ["cost_abstain", "a review", "abstain"],
  ["cost_abstain_positive", "a review of a positive", "abstain"],
  ["cost_abstain_negative", "a review of a negative", "abstain"],
  ["fee", "the fee of a review", "abstain"],
  ["reviewer", "a review", "abstain"],
  ["cost_tp", "a positive found", "fp"],
  ["cost_tn", "a negative cleared", "fn"],
];

/** What the costs of the cases are, and by which factors other than 1 they are multiplied. */
export function amountWords({ costs, names }: Pick<Situation, "costs" | "names">, { named }: AmountsData): string {
  const said = AMOUNTS.filter(([name, , factor]) => name in named && Number.isFinite(costs[factor])).map(([name, words, factor]) => {
    const { value, column, class: kind, cases, mean, total } = named[name];
    const times = costs[factor] === 1 ? "" : ` times ${general(costs[factor])}`;
    if (mean === undefined || cases === undefined) return `${words} ${value === null ? (column ?? "amounts") : general(value)}${times}`;
    const who = kind == null ? "" : `${names[kind]} `;
    const all = total == null ? "" : `, ${plain(total)} in all`;
    return `${words} ${cut(column ?? "amounts", 40)} (mean ${plain(mean)} over ${count(cases)} ${who}cases${all})${times}`;
  });
  if (!Number.isFinite(costs.abstain)) said.push("no reviews");
  return `Costs of the cases: ${said.join(", ")}.`;
}

/** Four digits, from 1000 on whole (demur.comparison.numbers.amount). */
function plain(value: number): string {
  return Math.abs(Number(value.toPrecision(4))) >= 1000 ? grouped(value, 0) : general(value, 4);
}

function costWords(at: Situation): string {
  const { costs, data } = at;
  if (data.amounts !== null) return amountWords(at, data.amounts);
  const { fn, fp, abstain, tp = 0, tn = 0, byClass, rates } = costs;
  const said = [`a miss costs ${general(fn)}`, `a false alarm ${general(fp)}`];
  if (byClass !== undefined) said.push(`a review ${general(byClass[0])} of a positive, ${general(byClass[1])} of a negative`);
  else said.push(Number.isFinite(abstain) ? `a review ${general(abstain)}` : "no reviews");
  if (tp !== 0 || tn !== 0) said.push(`right answers ${general(tp)} and ${general(tn)}`);
  const reviewer =
    rates === undefined || !Number.isFinite(abstain)
      ? ""
      : ` A reviewer finds ${percent(rates[0])} of the positives and ${percent(rates[1])} of the negatives.`;
  const words = said.join(", ");
  return `${words[0].toUpperCase()}${words.slice(1)}.${reviewer}`;
}

function prevalenceWords({ state, prevalence, names }: Situation): string {
  return `${percent(prevalence)} ${names.positive}${state.prevalence === null ? ", as in the data" : " in use"}.`;
}

/** The same on paper, where the fields are left out. */
export function paperLine(): Panel {
  const element = el("p", { class: "paper-line", "data-role": "paper-line" });
  const write = (at: Situation): void => setText(element, captionOf(at).join(" "));
  return { element, draw: write, move: write };
}
