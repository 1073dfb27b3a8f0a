/** Cost and abstention against the price of a review, rules chosen for every price on show. */
import { general, grouped, percent } from "../../numbers";
import { el, setText, svg } from "../../view/dom";
import { amount } from "../../view/format";
import { Frame } from "../../view/frame";
import { hereEntry, styled } from "../../view/legends";
import { Plot } from "../../view/plot";
import type { ClassApp, ClassPanel, View } from "../app";
import type { ClassAnswer } from "../answer";

interface Stop {
  price: number;
  answer: ClassAnswer;
  here: boolean;
}

export function reviewPanel(app: ClassApp): ClassPanel {
  const frame = new Frame("review", "Price of a review", "The cheapest rule at each price: what it costs, and how many cases it sends to a person.");
  const options = { ratio: 0.42, lowest: 190, highest: 260, left: 56, xFormat: (value: number) => general(value, 3) };
  const costs = new Plot(
    { ...options, id: "chart-review-cost", label: "Cost by price of a review", xName: "price of a review", yName: "measured cost per 1000 cases", yFormat: amount },
    () => draw(app.view()),
  );
  const sent = new Plot(
    { ...options, id: "chart-review-share", label: "Abstention by price of a review", xName: "price of a review", yName: "to a person", yFormat: (value) => `${general(100 * value, 3)} %` },
    () => draw(app.view()),
  );
  const note = el("p", { class: "reading", "data-role": "review-reading" });
  frame.body.append(costs.element, sent.element, note);
  let now: Stop[] = [];

  function draw(at: View): void {
    now = stops(at);
    if (now.length === 0 || !costs.ready || !sent.ready) return;
    const far = Math.max(...now.map(({ price }) => price));
    const highest = 1000 * Math.max(...now.map(({ answer }) => answer.interval[1] || answer.cost));
    paint(costs, now, [0, far * 1.03], [0, highest * 1.05 || 1], ({ answer }) => 1000 * answer.cost, true);
    paint(sent, now, [0, far * 1.03], [0, 1], ({ answer }) => answer.abstained, false);
    const factors = at.data.levels.map(({ factor }) => general(factor)).sort((a, b) => Number(a) - Number(b));
    setText(
      note,
      `Dots: rules chosen for ${factors.join(", ")} times the price of the file, each priced at its own price and your other costs; ` +
        `${Number.isNaN(app.answers.setting.level) ? "" : "bars: intervals. "}The large dot is where you are. Prices are means over the classes in use.`,
    );
    frame.refresh();
  }

  function paint(plot: Plot, found: Stop[], x: [number, number], y: [number, number], value: (stop: Stop) => number, intervals: boolean): void {
    plot.axes(x, y);
    const line = found.map((stop) => `${plot.x(stop.price)},${plot.y(value(stop))}`).join(" ");
    const bars = intervals && !Number.isNaN(app.answers.setting.level)
      ? found.map(({ price, answer }) =>
          svg("line", { class: "interval", x1: plot.x(price), x2: plot.x(price), y1: plot.y(1000 * answer.interval[0]), y2: plot.y(1000 * answer.interval[1]) }),
        )
      : [];
    plot.under.replaceChildren(...bars, svg("polyline", { class: "level-line", points: line }));
    plot.over.replaceChildren(
      ...found.map((stop) => {
        const dot = svg("circle", { class: stop.here ? "here-dot" : "level-dot", cx: plot.x(stop.price), cy: plot.y(value(stop)), r: stop.here ? 6.5 : 3.5 });
        const what = intervals ? `costs ${amount(1000 * stop.answer.cost)} per 1000` : `${percent(stop.answer.abstained)} to a person`;
        dot.append(svg("title", {}, `Review at ${general(stop.price, 4)}: ${stop.answer.rule.kind}, ${what}`));
        return dot;
      }),
    );
    plot.describe(
      found.map((stop) => `at ${general(stop.price, 3)} ${intervals ? amount(1000 * stop.answer.cost) : percent(stop.answer.abstained)}`).join("; "),
    );
  }
  frame.picture(() => 
    costs.picture("Cost by price of a review", [
      { text: "cheapest rule at each price", colour: styled("--negative"), line: true },
      hereEntry("your costs"),
    ]),
  );
  frame.numbers(() => ({
    columns: ["price of a review", "rule", "model", "cost per 1000", "low", "high", "share to a person", "chosen for factor"],
    rows: now.map(({ price, answer }) => [
      String(price),
      answer.rule.kind,
      answer.rule.model === null ? "" : app.data.models[answer.rule.model].name,
      ...[answer.cost, ...answer.interval].map((cost) => (Number.isNaN(cost) ? NaN : grouped(1000 * cost, 6).replaceAll(",", ""))),
      String(answer.abstained),
      String(answer.factor),
    ]),
  }));
  return { element: frame.section, draw };
}

/** The answer at the price of every level, and here. */
function stops({ answers, prices, answer, data, held }: View): Stop[] {
  const mean = (abstain: readonly number[]): number => answers.shares.reduce((all, share, k) => all + share * abstain[k], 0);
  const found = data.levels.flatMap(({ abstain_costs: abstain }, level): Stop[] =>
    abstain === null ? [] : [{ price: mean(abstain), answer: answers.answer({ costs: prices.costs, abstain }, null, level), here: false }],
  );
  if (prices.abstain !== null)
    found.push({ price: mean(prices.abstain), answer: held === null ? answer : answers.answer(prices), here: true });
  return found.sort((a, b) => a.price - b.price || Number(a.here) - Number(b.here));
}
