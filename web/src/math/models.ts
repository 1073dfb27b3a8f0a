/** All models at one prevalence, ready for any costs. */
import { modelCandidates, trivialCandidates } from "../comparison/candidates";
import type { Candidates } from "../comparison/choice";
import { cutBounds, type CutBounds } from "../comparison/guarantee";
import type { ModelData, ReportData } from "../data";
import { jointOf, type JointOutcomes } from "./jointCases";
import { JudgedModel } from "./judged";
import type { ScoreLevel } from "./scoreLevel";
import { Surface } from "./surface";
import { NO_SURCHARGE, type Surcharge } from "./units";
import type { RuleLimits } from "./windowSearch";

export interface PreparedModel {
  data: ModelData;
  surface: Surface;
  /** Null where the cases allow no honest cost. */
  judged: JudgedModel | null;
  /** Null where no bound holds for every sample size. */
  bounds: CutBounds | null;
}

export interface Prepared {
  /** Null: that of the data. */
  prevalence: number | null;
  /** What reviews cost beyond nu. */
  extra: Surcharge;
  level: number;
  models: PreparedModel[];
  /** Element k: model k judged on held-out cases; null where no model can be. */
  judged: JudgedModel[] | null;
  joint(first: number, second: number): JointOutcomes | null;
}

/** What depends on the prevalence and on who reviews, and not on mu and nu. */
export function prepare(
  report: ReportData,
  prevalence: number | null,
  extra: Surcharge = NO_SURCHARGE,
): Prepared {
  const joints = new Map<string, JointOutcomes | null>();
  const joint = (first: number, second: number): JointOutcomes | null => {
    const key = `${first} ${second}`;
    if (!joints.has(key)) {
      const pair = report.pairs.find(({ a, b }) => a === first && b === second);
      joints.set(key, pair === undefined || prepared.judged === null ? null : jointOf(pair, prepared.judged));
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
  return { prevalence, extra, level: report.confidence_level, models, judged };
}

/** All rules to choose from at a cost point, under limits if there are any; null without honest costs. */
export function candidatesAt(
  prepared: Prepared,
  mu: number,
  nu: number,
  limits: RuleLimits | null = null,
): Candidates | null {
  const { prevalence, extra, level, models, judged, joint } = prepared;
  if (judged === null) return null;
  return {
    question: { mu, nu, extra, prevalence, level, judged, joint },
    trivial: trivialCandidates(judged[0], nu, models[0].surface.prevalence, limits),
    models: models.map(({ surface }, k) => modelCandidates(judged[k], surface, k, mu, nu, limits)),
  };
}
