/** Answers questions of tests/test_web_math.py: cases as JSON on standard input, numbers on standard output. */
import { readFileSync } from "node:fs";
import { asCommand, asPython, type Choice } from "../src/copy";
import { readReport, type ModelData, type ReportData, type Totals } from "../src/data";
import { overBox, type Box } from "../src/math/box";
import { Capacity } from "../src/math/capacity";
import { cellOf } from "../src/math/cells";
import { certificateMargins, certifiedCost } from "../src/math/certificate";
import { costGrid, mapValues, type MapMode } from "../src/math/costMap";
import { envelopeOf, normalizedCost, probabilityCost } from "../src/math/envelope";
import { frontier } from "../src/math/frontier";
import { honestOf } from "../src/math/honest";
import { rocHull } from "../src/math/hull";
import { cheapestModel, prepare } from "../src/math/models";
import { normalQuantile } from "../src/math/normal";
import { Surface } from "../src/math/surface";
import { TrivialSurface } from "../src/math/trivial";
import { normalForm, type Costs } from "../src/math/units";
import { general, percent, perThousand, roundEven, stepOf, threshold } from "../src/numbers";
import { policyFile, whyNoPolicy } from "../src/policy";
import { initialState, readFragment, writeFragment, type PageState } from "../src/state";
import { headline, remarks } from "../src/words";

interface ModelCase extends Totals {
  kind: "model";
  model: ModelData;
  prevalence: number | null;
  level: number;
  points: [mu: number, nu: number][];
  limits: number[];
  pcs: number[];
}

interface PairCase extends Totals {
  kind: "pair";
  models: ModelData[];
  prevalence: number | null;
  size: number;
  box: Box;
}

interface PageCase {
  kind: "page";
  report: string;
  costs: Costs;
  prevalence: number | null;
  maxAbstention: number;
  state: PageState;
}

interface NumberCase {
  kind: "numbers";
  values: number[];
  levels: number[];
}

type Case = ModelCase | PairCase | PageCase | NumberCase;

function aboutModel(asked: ModelCase) {
  const { model, prevalence, level } = asked;
  const surface = new Surface(model, asked, prevalence);
  const honest = honestOf(model, asked, prevalence, level);
  const margins = certificateMargins(model.blocks, asked, prevalence, level);
  const trivial = new TrivialSurface(asked, prevalence);
  const capacity = new Capacity(model, asked, prevalence, surface);
  const envelope = envelopeOf(model.blocks, asked);
  return {
    points: asked.points.map(([mu, nu]) => {
      const window = surface.window(mu, nu);
      return {
        window,
        cost: surface.cost(mu, nu),
        never: surface.neverAbstaining(mu),
        honest: honest?.at(mu, nu),
        certified: margins && certifiedCost(window, mu, nu, margins),
        trivial: trivial.at(mu, nu),
        limited: asked.limits.map((limit) => capacity.cheapest(mu, nu, limit)),
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

function aboutPair(asked: PairCase) {
  const surfaces = asked.models.map((model) => new Surface(model, asked, asked.prevalence));
  const grid = costGrid(asked.size, asked.size);
  const modes: MapMode[] = ["cost", "abstention", "lower", "upper", "winner", "difference"];
  return {
    maps: Object.fromEntries(modes.map((mode) => [mode, [...mapValues(mode, grid, surfaces, 0, 1)]])),
    boxes: surfaces.map((surface) => {
      const window = surface.window(0.5, 0.2);
      return { window, ...overBox(surface, window, surfaces, asked.box) };
    }),
  };
}

function aboutPage(asked: PageCase) {
  const report: ReportData = readReport(asked.report);
  const { costs, prevalence, maxAbstention } = asked;
  const prepared = prepare(report, prevalence);
  const { mu, nu } = normalForm(costs);
  const best = prepared.models[cheapestModel(prepared.models, mu, nu)];
  const window = best.capacity.cheapest(mu, nu, maxAbstention);
  const choice: Choice = { model: best.data.name, costs, prevalence, maxAbstention };
  const start = initialState(report);
  return {
    model: best.data.name,
    window,
    headline: headline(report, prepared, costs, report.costs_given ?? true),
    remarks: remarks(report, costs),
    python: asPython(report, choice),
    command: asCommand(report, choice),
    why: whyNoPolicy(best.data, window),
    policy: policyFile(report, best.data, window, costs, prevalence, maxAbstention),
    start,
    fragment: writeFragment(asked.state, start),
    restored: readFragment(`#${writeFragment(asked.state, start)}`, report),
  };
}

function aboutNumbers({ values, levels }: NumberCase) {
  return {
    general: values.map((value) => general(value)),
    percent: values.map((value) => percent(Math.abs(value) % 1)),
    threshold: values.map(threshold),
    perThousand: values.map((value) => perThousand(value, stepOf(Math.abs(value) / 7))),
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
    case "pair":
      return aboutPair(asked);
    case "page":
      return aboutPage(asked);
    case "numbers":
      return aboutNumbers(asked);
  }
}

/** Infinities travel as "inf" and "-inf", in both directions. */
const cases: Case[] = JSON.parse(readFileSync(0, "utf8"), (key, value) =>
  key === "report" ? value : value === "inf" ? Infinity : value === "-inf" ? -Infinity : value,
);
const answers = JSON.stringify(cases.map(answer), (_, value) =>
  value === Infinity ? "inf" : value === -Infinity ? "-inf" : value,
);
process.stdout.write(answers);
