/** All models at one prevalence, ready for any costs. */
import { modelCandidates, trivialCandidates, type Judged } from "../comparison/candidates";
import type { Candidates } from "../comparison/choice";
import type { Question } from "../comparison/estimates";
import { cutBounds, type CutBounds } from "../comparison/guarantee";
import { ownLevel, type ModelData, type ReportData } from "../data";
import { overRange, rangeCandidates } from "../comparison/ranges";
import { middleOf, type Box } from "./box";
import { jointOf, type JointOutcomes } from "./jointCases";
import { JudgedModel } from "./judged";
import { MoneyLevel, type MoneyJoint } from "./moneyLevel";
import type { ScoreLevel } from "./scoreLevel";
import { Surface } from "./surface";
import { NO_SURCHARGE, type Surcharge } from "./units";
import type { RuleLimits } from "./windowSearch";

export interface PreparedModel {
  data: ModelData;
  surface: Surface;
  /** Null where the cases allow no honest cost. */
  judged: Judged | null;
  /** Null where no bound holds for every sample size. */
  bounds: CutBounds | null;
}

export interface Prepared {
  /** Null: that of the data. */
  prevalence: number | null;
  /** What reviews cost beyond nu. */
  extra: Surcharge;
  /** Of intervals; NaN, and so are they, where the page can compute none. */
  level: number;
  models: PreparedModel[];
  /** Element k: model k judged on held-out cases; null where no model can be. */
  judged: Judged[] | null;
  /** Whether windows may cut between any two scores that a cheapest window can lie between. */
  exact: boolean;
  joint(first: number, second: number): JointOutcomes | MoneyJoint | null;
}

/** What depends on the prevalence and on who reviews, and not on mu and nu. */
export function prepare(
  report: ReportData,
  prevalence: number | null,
  extra: Surcharge = NO_SURCHARGE,
): Prepared {
  if (report.amounts !== null) return prepareMoney(moneyLevel(report)!, prevalence);
  const joints = new Map<string, JointOutcomes | null>();
  const joint = (first: number, second: number): JointOutcomes | null => {
    const key = `${first} ${second}`;
    if (!joints.has(key)) {
      const pair = report.pairs.find(({ a, b }) => a === first && b === second);
      joints.set(key, pair === undefined || prepared.judged === null ? null : jointOf(pair, prepared.judged as JudgedModel[]));
    }
    return joints.get(key) ?? null;
  };
  const prepared = { ...prepareModels(report, prevalence, extra), joint };
  return prepared;
}

/** The same with every score as a block; null where the page does not hold the cases. */
export function prepareScores(
  level: ScoreLevel | null,
  prevalence: number | null,
  extra: Surcharge = NO_SURCHARGE,
): Prepared | null {
  return level && { ...prepareModels(level.report, prevalence, extra), joint: level.joint };
}

const levels = new WeakMap<ReportData, MoneyLevel>();

/** The report case by case or in groups where every case has its own costs; made once. */
export function moneyLevel(report: ReportData): MoneyLevel | null {
  if (report.amounts === null) return null;
  const level = levels.get(report) ?? new MoneyLevel(report, report.amounts);
  levels.set(report, level);
  return level;
}

function prepareMoney(level: MoneyLevel, prevalence: number | null): Prepared {
  const { report, exact } = level;
  const models = report.models.map((data, k) => ({
    data,
    surface: level.surface(k, prevalence),
    judged: level.judged(k, prevalence),
    bounds: null,
  }));
  return {
    prevalence,
    extra: NO_SURCHARGE,
    level: ownLevel(report),
    models,
    judged: models.map(({ judged }) => judged),
    exact,
    joint: (first, second) => level.joint(first, second),
  };
}

function prepareModels(
  report: ReportData,
  prevalence: number | null,
  extra: Surcharge,
): Omit<Prepared, "joint"> {
  const models = report.models.map((data) => {
    const surface = new Surface(data, report, prevalence, extra);
    return {
      data,
      surface,
      judged: data.folds.length ? new JudgedModel(data, prevalence, report.repeats ?? 1, extra) : null,
      bounds: report.bounds === null ? null : cutBounds(report.bounds, data.blocks, prevalence),
    };
  });
  const honest = models.flatMap(({ judged }) => judged ?? []);
  const judged = honest.length === models.length ? honest : null;
  return { prevalence, extra, level: ownLevel(report), models, judged, exact: true };
}

/** What is asked at a cost point; null without honest costs. */
export function questionAt({ prevalence, extra, level, judged, joint }: Prepared, mu: number, nu: number): Question | null {
  return judged && { mu, nu, extra, prevalence, level, judged, joint };
}

/** All rules to choose from at a cost point, under limits if there are any; null without honest costs. */
export function candidatesAt(
  prepared: Prepared,
  mu: number,
  nu: number,
  limits: RuleLimits | null = null,
): Candidates | null {
  const { models, judged } = prepared;
  const question = questionAt(prepared, mu, nu);
  if (judged === null || question === null) return null;
  return {
    question,
    trivial: trivialCandidates(judged[0], nu, models[0].surface.prevalence, limits),
    models: models.map(({ surface }, k) => modelCandidates(judged[k], surface, k, mu, nu, limits)),
    range: null,
  };
}

/** The same for costs known as ranges; rules for single corners are those of `blocks` where limits do not ask for more. */
export function candidatesOver(
  prepared: Prepared,
  box: Box,
  limits: RuleLimits | null,
  blocks: Prepared,
): Candidates | null {
  const { models, judged } = prepared;
  const middle = middleOf(box);
  const question = questionAt(prepared, middle.mu, middle.nu);
  if (judged === null || question === null) return null;
  const trivial = trivialCandidates(judged[0], middle.nu, models[0].surface.prevalence, limits);
  const rules = models.map(({ surface }, k) => rangeCandidates(judged[k], surface, k, box, middle, limits));
  const alone = limits === null ? blocks : prepared;
  const range = overRange(box, question, [...trivial, ...rules.flat()], ({ mu, nu }) =>
    alone.models.flatMap(({ surface }, k) => modelCandidates(alone.judged![k], surface, k, mu, nu, limits)),
  );
  return { question, trivial, models: rules, range };
}
