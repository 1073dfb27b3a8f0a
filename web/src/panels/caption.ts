/** What a picture or a sheet of paper was drawn for: costs, prevalence, limits, data, date. */
import { conditionWords } from "../answer";
import { general, percent } from "../numbers";
import type { Situation } from "../situation";
import { cut, el, setText } from "../view/dom";
import { count } from "../view/format";
import type { Panel } from "../view/panel";

export function captionOf(at: Situation): string[] {
  const { source, n, made, software } = at.data;
  const rows = `${cut(source.name, 60)}, ${count(n)} cases`;
  return [
    [costWords(at), prevalenceWords(at), conditionWords(at.limits, at.box)].filter((part) => part !== "").join(" "),
    `Source: ${rows}; report of ${made.slice(0, 10)} by demur ${software.demur}.`,
  ];
}

function costWords({ costs, data }: Situation): string {
  const { fn, fp, abstain, tp = 0, tn = 0, byClass, rates } = costs;
  const by = data.amounts === null ? "costs" : "costs its amount times";
  const said = [`a miss ${by} ${general(fn)}`, `a false alarm ${general(fp)}`];
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
