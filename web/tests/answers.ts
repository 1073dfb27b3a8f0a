/** Answers questions of tests/test_web_math.py: cases as JSON on standard input, numbers on standard output. */
import { readFileSync } from "node:fs";
import { Answers } from "../src/classes/answer";
import { readClassReport } from "../src/classes/data";
import type { Prices } from "../src/classes/estimates";
import { classPolicyFile } from "../src/classes/policy";
import { classSentences } from "../src/classes/words";
import { asCommand, asPython, type Choice } from "../src/copy";
import { differenceOf } from "../src/comparison/estimates";
import type { Facts } from "../src/comparison/facts";
import { money, moneyStep, sharesOf1000 } from "../src/comparison/numbers";
import { answerWords } from "../src/comparison/words";
import { Curves } from "../src/curves";
import { readReport, type ModelData, type ReportData, type Totals } from "../src/data";
import { cornersOf, type Box } from "../src/math/box";
import { cellOf } from "../src/math/cells";
import { costGrid, mapValues, surfaceCosts, type MapMode } from "../src/math/costMap";
import { envelopeOf, normalizedCost, probabilityCost } from "../src/math/envelope";
import { frontier } from "../src/math/frontier";
import { rocHull } from "../src/math/hull";
import { prepare, prepareScores, type Prepared } from "../src/math/models";
import { normalQuantile } from "../src/math/normal";
import { scoreLevel, type ScoreLevel } from "../src/math/scoreLevel";
import { Surface } from "../src/math/surface";
import { shortestCut } from "../src/math/thresholds";
import { trivialCosts } from "../src/math/trivial";
import { sameSurcharge, surchargeOf, type Costs } from "../src/math/units";
import { general, percent, roundEven, thresholdText } from "../src/numbers";
import { policyFile, whyNoPolicy } from "../src/policy";
import { initialState, readFragment, withBox, writeFragment, type PageState } from "../src/state";
import { remarks } from "../src/remarks";
import { Situation } from "../src/situation";

interface ModelCase extends Totals {
  kind: "model";
  model: ModelData;
  prevalence: number | null;
  points: [mu: number, nu: number][];
  limits: number[];
  pcs: number[];
}

interface MapCase {
  kind: "map";
  report: string;
  prevalence: number | null;
  size: number;
  box: Box;
}

interface PageCase {
  kind: "page";
  report: string;
  costs: Costs;
  prevalence: number | null;
  capacity: PageState["capacity"];
  state: PageState;
}

/** One file at many costs. */
interface AnswerCase {
  kind: "answer";
  report: string;
  prevalence: number | null;
  points: Costs[];
}

interface WordCase {
  kind: "words";
  facts: Facts[];
}

interface NumberCase {
  kind: "numbers";
  values: number[];
  levels: number[];
  thresholds: [value: number, low: number, high: number][];
  shares: number[][];
}

/** Many classes: one file at many prices. */
interface ClassCase {
  kind: "classes";
  report: string;
  points: Prices[];
}

interface RangeCase {
  kind: "ranges";
  report: string;
  prevalence: number | null;
  boxes: { costs: Costs; box: Box }[];
}

type Case = ClassCase | RangeCase | ModelCase | MapCase | PageCase | AnswerCase | WordCase | NumberCase;

function aboutModel(asked: ModelCase) {
  const { model, prevalence } = asked;
  const surface = new Surface(model, asked, prevalence);
  const envelope = envelopeOf(model.blocks, asked);
  return {
    points: asked.points.map(([mu, nu]) => {
      const window = surface.window(mu, nu);
      return {
        window,
        cost: surface.cost(mu, nu),
        never: surface.neverAbstaining(mu),
        trivial: trivialCosts(surface.prevalence, mu, nu),
        limited: asked.limits.map((maxAbstention) => {
          const cuts = surface.limitedCuts(mu, nu, { maxAbstention })!;
          return surface.windowAt(...cuts, mu, nu);
        }),
        frontier: frontier(surface, mu),
        cell: cellOf(surface, window.i, window.j, 1, 1),
        pc: probabilityCost(surface.prevalence, mu),
        normalized: normalizedCost(window.cost, surface.prevalence, mu),
      };
    }),
    envelope: envelope && { costs: asked.pcs.map((pc) => envelope.cost(pc)), vertices: envelope.vertices() },
    hull: listed(rocHull(model.blocks)),
  };
}

function aboutMap(asked: MapCase) {
  const report = readReport(asked.report);
  const prepared = prepare(report, asked.prevalence);
  const surfaces = prepared.models.map(({ surface }) => surface);
  const grid = costGrid(asked.size, asked.size);
  const modes: MapMode[] = ["cost", "abstention", "lower", "upper", "winner", "difference"];
  return {
    maps: Object.fromEntries(modes.map((mode) => [mode, [...mapValues(mode, grid, report, prepared, 0, 1)]])),
    surface: [...surfaceCosts(surfaces[0], grid)],
    boxes: surfaces.map((surface) => {
      const cuts = surface.rangeCuts(cornersOf(asked.box), null)!;
      return surface.windowAt(...cuts, 0.5, 0.2);
    }),
  };
}

/** A report at one prevalence, ready for any costs, as the page keeps it. */
class Ready {
  private prepared: Prepared;
  private readonly curves: Curves;
  private readonly fine: ScoreLevel | null;
  private scores: Prepared | null = null;

  constructor(
    readonly report: ReportData,
    private readonly prevalence: number | null,
  ) {
    this.prepared = prepare(report, prevalence);
    this.curves = new Curves(report);
    this.fine = scoreLevel(report);
  }

  at(part: Partial<PageState>): Situation {
    const state = { ...initialState(this.report), prevalence: this.prevalence, ...part };
    const extra = surchargeOf(state.costs);
    if (!sameSurcharge(extra, this.prepared.extra)) {
      [this.prepared, this.scores] = [prepare(this.report, this.prevalence, extra), null];
    }
    return new Situation(this.report, state, this.prepared, this.curves, "light", () => {
      return (this.scores ??= prepareScores(this.fine, this.prevalence, extra));
    });
  }
}

function aboutPage(asked: PageCase) {
  const report: ReportData = readReport(asked.report);
  const { costs, prevalence, capacity } = asked;
  const at = new Ready(report, prevalence).at({ costs, capacity });
  const models = report.models.map(({ name }) => name);
  const choice: Choice = { models, costs, prevalence, limits: at.limits };
  const start = initialState(report);
  return {
    model: at.model.name,
    window: at.window,
    facts: at.answer?.facts,
    headline: at.headline(report.costs_given).join(" "),
    remarks: remarks(report, costs),
    python: asPython(report, choice),
    command: asCommand(report, choice),
    why: whyNoPolicy(at),
    policy: policyFile(at),
    start,
    fragment: writeFragment(asked.state, start),
    restored: readFragment(`#${writeFragment(asked.state, start)}`, report),
  };
}

function aboutRanges(asked: RangeCase) {
  const report = readReport(asked.report);
  const ready = new Ready(report, asked.prevalence);
  const models = report.models.map(({ name }) => name);
  return asked.boxes.map(({ costs, box }) => {
    const at = ready.at(withBox({ ...initialState(report), costs, box, prevalence: asked.prevalence }));
    const choice: Choice = { models, costs: at.costs, prevalence: asked.prevalence, limits: at.limits, box };
    return {
      facts: at.answer!.facts,
      words: at.headline(true).join(" "),
      command: asCommand(report, choice),
      python: asPython(report, choice),
      policy: whyNoPolicy(at) === null ? policyFile(at) : null,
    };
  });
}

function aboutAnswer(asked: AnswerCase) {
  const report = readReport(asked.report);
  const { prevalence } = asked;
  const ready = new Ready(report, prevalence);
  return asked.points.map((costs) => {
    const at = ready.at({ costs });
    const rules = report.models.map((_, k) => at.bestRule(k)!);
    return {
      facts: at.answer!.facts,
      words: at.headline(true).join(" "),
      models: report.models.map((_, k) => at.outcome(k)),
      held: report.models.map((_, model) => ready.at({ costs, model }).answer!.facts),
      pairs: report.pairs.map(({ a, b }) => differenceOf(rules[a], rules[b], at.candidates!.question)),
    };
  });
}

function aboutNumbers({ values, levels, thresholds, shares }: NumberCase) {
  return {
    general: values.map((value) => general(value)),
    percent: values.map((value) => percent(Math.abs(value) % 1)),
    threshold: values.map(thresholdText),
    money: values.map((value) => money(value, moneyStep(0, Math.abs(value) / 7, value))),
    short: thresholds.map((one) => shortestCut(...one)),
    shares: shares.map(sharesOf1000),
    roundEven: values.map(roundEven),
    quantiles: levels.map(normalQuantile),
  };
}

function listed(columns: { fpr: Float64Array; tpr: Float64Array } | null) {
  return columns && { fpr: [...columns.fpr], tpr: [...columns.tpr] };
}

function answer(asked: Case) {
  switch (asked.kind) {
    case "model":
      return aboutModel(asked);
    case "map":
      return aboutMap(asked);
    case "page":
      return aboutPage(asked);
    case "answer":
      return aboutAnswer(asked);
    case "classes":
      return aboutClasses(asked);
    case "ranges":
      return aboutRanges(asked);
    case "words":
      return asked.facts.map(answerWords);
    case "numbers":
      return aboutNumbers(asked);
  }
}

function aboutClasses({ report, points }: ClassCase): unknown {
  const answers = new Answers(readClassReport(report));
  return points.map((prices) => {
    const found = answers.answer(prices);
    const { rule, ...rest } = found;
    return {
      ...rest,
      kind: rule.kind,
      words: classSentences(answers.data, found),
      policy: classPolicyFile(answers, found, prices),
    };
  });
}

/** Infinities travel as "inf" and "-inf", in both directions. */
const cases: Case[] = JSON.parse(readFileSync(0, "utf8"), (key, value) =>
  key === "report" ? value : value === "inf" ? Infinity : value === "-inf" ? -Infinity : value,
);
const answers = JSON.stringify(cases.map(answer), (_, value) =>
  value === Infinity ? "inf" : value === -Infinity ? "-inf" : value,
);
process.stdout.write(answers);
