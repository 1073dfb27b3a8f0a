/** Answers questions of tests/test_web_math.py: cases as JSON on standard input, numbers on standard output. */
import { readFileSync } from "node:fs";
import { Answers } from "../src/classes/answer";
import { readClassReport } from "../src/classes/data";
import type { Prices } from "../src/classes/estimates";
import { classCommand, classPython, costSheet } from "../src/classes/copy";
import { samePrices, startOf } from "../src/classes/state";
import { classPolicyFile } from "../src/classes/policy";
import { classSentences } from "../src/classes/words";
import { asCommand, asPython, type Choice } from "../src/copy";
import type { Ranges } from "../src/comparison/problem";
import type { Facts } from "../src/comparison/facts";
import { money, moneyStep, sharesOf1000 } from "../src/comparison/numbers";
import { answerSentences } from "../src/comparison/words";
import { readReport, type ModelData, type ReportData, type Totals } from "../src/data";
import { costGrid, mapValues, surfaceCosts, type MapMode } from "../src/math/costMap";
import { envelopeOf, normalizedCost, probabilityCost, rocHull, Curves } from "../src/math/envelope";
import { prepare, type Prepared } from "../src/math/models";
import { Surface } from "../src/math/surface";
import { shortestCut } from "../src/math/thresholds";
import { trivialCosts } from "../src/math/trivial";
import { Training } from "../src/math/training";
import { NO_SURCHARGE, sameSurcharge, surchargeOf, type Costs } from "../src/math/units";
import { general, percent, roundEven, thresholdText } from "../src/numbers";
import { policyFile, whyNoPolicy } from "../src/policy";
import { initialState, readFragment, withRanges, writeFragment, type PageState } from "../src/state";
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
  thresholds: [value: number, low: number, high: number][];
  shares: number[][];
}

/** Many classes: one file at many prices. */
interface ClassCase {
  kind: "classes";
  report: string;
  points: Prices[];
}

/** One file in many states; costs of null are those of the report. */
interface SituationCase {
  kind: "situations";
  report: string;
  states: { costs: Costs | null; ranges: Ranges | null; prevalence: number | null }[];
}

type Case = ClassCase | SituationCase | ModelCase | MapCase | PageCase | AnswerCase | WordCase | NumberCase;

function aboutModel(asked: ModelCase) {
  const { model, prevalence } = asked;
  const { positives, negatives } = model.blocks;
  const training = new Training([Float64Array.from(negatives), Float64Array.from(positives)], null, null);
  const surface = new Surface(model, asked, prevalence, NO_SURCHARGE, training);
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
  const modes: MapMode[] = ["cost", "abstention", "winner", "difference"];
  return {
    maps: Object.fromEntries(modes.map((mode) => [mode, [...mapValues(mode, grid, prepared, 0, 1)]])),
    surface: [...surfaceCosts(surfaces[0], grid)],
  };
}

/** A report at one prevalence, ready for any costs, as the page keeps it. */
class Ready {
  private readonly curves: Curves;
  private prepared: Prepared;

  constructor(
    readonly report: ReportData,
    private readonly prevalence: number | null,
  ) {
    this.prepared = prepare(report, prevalence);
    this.curves = new Curves(report);
  }

  at(part: Partial<PageState>, rests = true): Situation {
    const state = withRanges({ ...initialState(this.report), ranges: null, prevalence: this.prevalence, ...part });
    const extra = surchargeOf(state.costs);
    if (!sameSurcharge(extra, this.prepared.extra) || state.prevalence !== this.prepared.prevalence) this.prepared = prepare(this.report, state.prevalence, extra);
    return new Situation(this.report, state, this.prepared, this.curves, "light", rests);
  }
}

function aboutPage(asked: PageCase) {
  const report: ReportData = readReport(asked.report);
  const { costs, prevalence, capacity } = asked;
  const at = new Ready(report, prevalence).at({ costs, capacity });
  const models = report.models.map(({ name }) => name);
  const choice: Choice = { models, costs, prevalence, limits: at.limits, ranges: at.problem.ranges, objective: at.problem.objective, classes: at.classes };
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

function aboutSituations(asked: SituationCase) {
  const report = readReport(asked.report);
  const ready = new Ready(report, null);
  const start = initialState(report);
  const models = report.models.map(({ name }) => name);
  return asked.states.map(({ costs, ranges, prevalence: share }) => {
    const at = ready.at(costs === null ? { costs: start.costs, ranges: start.ranges, prevalence: start.prevalence } : { costs, ranges, prevalence: share });
    const { prevalence, objective } = at.problem;
    const choice: Choice = { models, costs: at.costs, prevalence, limits: at.limits, ranges: at.problem.ranges, objective, classes: at.classes };
    const moving = ready.at({ costs: at.costs, ranges: at.problem.ranges, prevalence }, false);
    return {
      facts: at.answer!.facts,
      moving: moving.answer!.facts.cost,
      words: at.headline(true).join(" "),
      facts_words: answerSentences(at.answer!.facts).join(" "),
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
  const start = initialState(report);
  return asked.points.map((costs) => {
    const at = ready.at({ costs, ranges: start.ranges });
    const rules = report.models.map((_, k) => at.bestRule(k)!);
    return {
      facts: at.answer!.facts,
      words: at.headline(true).join(" "),
      models: report.models.map((_, k) => at.outcome(k)),
      held: report.models.map((_, model) => ready.at({ costs, model }).answer!.facts),
      pairs: report.pairs.map(({ a, b }) => at.difference(rules[a], rules[b])),
      moving: ready.at({ costs }, false).answer!.facts,
    };
  });
}

function aboutNumbers({ values, thresholds, shares }: NumberCase) {
  return {
    general: values.map((value) => general(value)),
    percent: values.map((value) => percent(Math.abs(value) % 1)),
    threshold: values.map(thresholdText),
    money: values.map((value) => money(value, moneyStep(0, Math.abs(value) / 7, value))),
    short: thresholds.map((one) => shortestCut(...one)),
    shares: shares.map(sharesOf1000),
    roundEven: values.map(roundEven),
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
    case "situations":
      return aboutSituations(asked);
    case "words":
      return asked.facts.map((facts) => answerSentences(facts).join(" "));
    case "numbers":
      return aboutNumbers(asked);
  }
}

function aboutClasses({ report, points }: ClassCase): unknown {
  const answers = new Answers(readClassReport(report));
  const start = startOf(answers.data).prices;
  return points.map((prices) => {
    const found = answers.answer(prices);
    const own = samePrices(prices, start);
    const { rule, ...rest } = found;
    return {
      ...rest,
      kind: rule.kind,
      words: classSentences(answers.data, found),
      policy: classPolicyFile(answers, found, prices),
      python: classPython(answers.data, prices, own),
      command: classCommand(answers.data, own),
      sheet: costSheet(answers.data, prices, own),
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
