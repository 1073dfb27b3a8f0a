/** Which classes get confused on held-out cases, and what that costs. */
import { confusionTable } from "../../panels/confusion";
import { grouped, percent } from "../../numbers";
import { el, setText } from "../../view/dom";
import { amount } from "../../view/format";
import { Frame, scrolling, tableHead, tableRow } from "../../view/frame";
import { shareBar } from "../../view/intervalBar";
import type { Panel } from "../../view/panel";
import type { ClassSituation } from "../manyClasses";

export function confusionPanel(): Panel<ClassSituation> {
  return confusionTable(({ data: { classes }, prices, answer }) => ({
    about: "cases that did not choose the rule, averaged over the splits; then per 1000 in use, and what they cost",
    truths: classes,
    answers: [...classes.map((name) => `called ${name}`), ...(prices.abstain === null ? [] : ["to a person"])],
    cells: answer.confusion.map((row, k) =>
      row
        .slice(0, prices.abstain === null ? classes.length : undefined)
        .map((share, j) => ({ share, cases: answer.rule.honest[k][j], cost: answer.confusionCost[k][j] })),
    ),
    isError: (truth, given) => given !== truth && given < classes.length,
  }));
}

const MOST = 12;

/** The most expensive pair first. */
export function mistakesPanel(): Panel<ClassSituation> {
  const frame = new Frame("mistakes", "What the mistakes cost", "the most expensive confusions and reviews first, per 1000 cases");
  const list = el("table", { class: "mistakes" });
  const rest = el("p", { class: "reading", "data-role": "mistakes-rest" });
  frame.body.append(scrolling("Table of mistakes", list), rest);
  let rows: ReturnType<typeof mistakes> = [];

  function draw(at: ClassSituation): void {
    rows = mistakes(at);
    const most = Math.max(...rows.map(({ cost }) => cost), 0);
    list.replaceChildren(
      tableHead(["what happens", "cases", "cost", "of the cost", ""]),
      el(
        "tbody",
        {},
        ...rows.slice(0, MOST).map(({ name, share, cost, part, review }) =>
          tableRow(
            name,
            ...[grouped(1000 * share, share < 0.01 ? 1 : 0), amount(1000 * cost), percent(part)],
            shareBar(most > 0 ? cost / most : 0, review ? "review" : ""),
          ),
        ),
      ),
    );
    const others = rows.slice(MOST);
    const left = amount(1000 * others.reduce((all, { cost }) => all + cost, 0));
    setText(rest, others.length === 0 ? "" : `${others.length} more cost ${left} together; the CSV file has all.`);
  }
  frame.numbers(() => ({
    columns: ["what happens", "share in use", "cost per 1000", "share of the cost"],
    rows: rows.map(({ name, share, cost, part }) => [name, share, 1000 * cost, part]),
  }), true);
  return frame.panel(draw);
}

function mistakes({ data: { classes }, answer }: ClassSituation) {
  const found = answer.confusion.flatMap((row, k) =>
    row.flatMap((share, j) => {
      if (j === k || share === 0) return [];
      const review = j === classes.length;
      const cost = answer.confusionCost[k][j];
      const name = review ? `${classes[k]} sent to a person` : `${classes[k]} called ${classes[j]}`;
      return [{ name, share, cost, part: answer.cost > 0 ? cost / answer.cost : 0, review }];
    }),
  );
  return found.sort((a, b) => b.cost - a.cost);
}
