/** Cost against the price of a review, rules chosen for every price on show. */
import { general } from "../../numbers";
import { el, setText, svg } from "../../view/dom";
import { amount } from "../../view/format";
import { Frame } from "../../view/frame";
import { hereEntry, styled } from "../../view/legends";
import type { Panel } from "../../view/panel";
import { linePath } from "../../view/path";
import { Plot } from "../../view/plot";
import type { ClassAnswer } from "../answer";
import type { ClassApp, ClassSituation } from "../manyClasses";

interface Stop {
  price: number;
  answer: ClassAnswer;
  here: boolean;
}

export function reviewPanel(app: ClassApp): Panel<ClassSituation> {
  const frame = new Frame("review", "Price of a review", "what the cheapest rule at each price costs");
  const plot = new Plot(
    {
      ...{ id: "chart-review", label: "Cost by price of a review", xName: "price of a review", yName: "measured cost per 1000 cases" },
      ...{ ratio: 0.5, lowest: 220, highest: 400, left: 56, xFormat: (value) => general(value, 3), yFormat: amount },
    },
    () => app.redraw(panel),
  );
  const note = el("p", { class: "reading", "data-role": "review-reading" });
  frame.body.append(plot.element, note);
  let now: Stop[] = [];

  function draw(at: ClassSituation): void {
    now = stops(at);
    if (now.length === 0 || !plot.ready) return;
    const sure = !Number.isNaN(at.answers.setting.quantile);
    const most = 1000 * Math.max(...now.map(({ answer }) => answer.interval[1] || answer.cost));
    plot.axes([0, Math.max(...now.map(({ price }) => price)) * 1.03], [0, most * 1.05 || 1]);
    const y = (cost: number): number => plot.y(1000 * cost);
    plot.under.replaceChildren(
      ...(sure ? now : []).map(({ price, answer: { interval } }) =>
        svg("line", { class: "interval", x1: plot.x(price), x2: plot.x(price), y1: y(interval[0]), y2: y(interval[1]) }),
      ),
      svg("path", { class: "level-line", d: linePath(now.map(({ price, answer }) => [plot.x(price), y(answer.cost)])) }),
    );
    plot.over.replaceChildren(
      ...now.map(({ price, answer, here }) => svg("circle", { class: here ? "here-dot" : "level-dot", cx: plot.x(price), cy: y(answer.cost), r: here ? 6.5 : 3.5 })),
    );
    plot.describe(now.map(({ price, answer }) => `at ${general(price, 3)} ${amount(1000 * answer.cost)}`).join("; "));
    const factors = at.data.levels.map(({ factor }) => general(factor)).sort((a, b) => Number(a) - Number(b));
    setText(
      note,
      `Dots: rules chosen for ${factors.join(", ")} times the price of the file, each priced at its own price and your other costs; ` +
        `${sure ? "bars: intervals. " : ""}The large dot is where you are. Prices are means over the classes in use.`,
    );
    frame.refresh();
  }

  frame.picture(() =>
    plot.picture("Cost by price of a review", [{ text: "cheapest rule at each price", colour: styled("--negative"), line: true }, hereEntry("your costs")]),
  );
  frame.numbers(() => ({
    columns: ["price of a review", "rule", "model", "cost per 1000", "low", "high", "share to a person", "chosen for factor"],
    rows: now.map(({ price, answer }) => [
      price,
      answer.rule.kind,
      answer.rule.model === null ? "" : app.kind.data.models[answer.rule.model].name,
      ...[answer.cost, ...answer.interval].map((cost) => 1000 * cost),
      answer.abstained,
      answer.factor,
    ]),
  }));
  const panel = frame.panel(draw);
  return panel;
}

/** The answer at the price of every level, and here. */
function stops({ answers, prices, answer, data, held }: ClassSituation): Stop[] {
  const mean = (abstain: readonly number[]): number => answers.shares.reduce((all, share, k) => all + share * abstain[k], 0);
  const found = data.levels.flatMap(({ abstain_costs: abstain }, level): Stop[] =>
    abstain === null ? [] : [{ price: mean(abstain), answer: answers.answer({ costs: prices.costs, abstain }, null, level), here: false }],
  );
  if (prices.abstain !== null)
    found.push({ price: mean(prices.abstain), answer: held === null ? answer : answers.answer(prices), here: true });
  return found.sort((a, b) => a.price - b.price || Number(a.here) - Number(b.here));
}
