/** What a picture or a sheet of paper was drawn for: costs, data, date. */
import { general } from "../../numbers";
import { cut, el, setText } from "../../view/dom";
import { count } from "../../view/format";
import { designWords } from "../../data";
import { titleOf } from "../data";
import type { ClassPanel, View } from "../app";

const MOST = 6;

export function captionOf({ prices, data }: View): string[] {
  const { classes, n, made, software, design } = data;
  const said = classes.flatMap((name, k) =>
    prices.costs[k].flatMap((cost, j) =>
      j === k && cost === 0 ? [] : [`${cut(name, 20)} called ${cut(classes[j], 20)} ${general(cost)}`],
    ),
  );
  const { abstain } = prices;
  const same = abstain?.every((price) => price === abstain[0]) ?? false;
  const review =
    abstain === null ? "no reviews" : same ? `a review ${general(abstain[0])}` : `reviews ${abstain.map((price) => general(price)).join(", ")}`;
  const costs = classes.length > 4 ? `${said.slice(0, MOST).join(", ")} and ${said.length - MOST} more` : said.join(", ");
  return [
    `Costs: ${costs}; ${review}.`,
    `Source: ${designWords(`${cut(titleOf(data), 60)}, ${count(n)} cases`, design)}; report of ${made.slice(0, 10)} by demur ${software.demur}.`,
  ];
}

/** The same on paper. */
export function paperLine(): ClassPanel {
  const element = el("p", { class: "paper-line", "data-role": "paper-line" });
  return { element, draw: (at) => setText(element, captionOf(at).join(" ")) };
}
