/** All models at one prevalence, ready for any costs. */
import { modelCandidates, trivialCandidates } from "../comparison/candidates";
import type { Candidates } from "../comparison/choice";
import { cutBounds, type CutBounds } from "../comparison/guarantee";
import type { ModelData, ReportData } from "../data";
import { Capacity } from "./capacity";
import { jointOf, type JointCases } from "./jointCases";
import { JudgedModel } from "./judged";
import { Surface } from "./surface";

export interface PreparedModel {
  data: ModelData;
  surface: Surface;
  /** Null where the cases allow no honest cost. */
  judged: JudgedModel | null;
  /** Null where no bound holds for every sample size. */
  bounds: CutBounds | null;
  capacity: Capacity;
}

export interface Prepared {
  /** Null: that of the data. */
  prevalence: number | null;
  level: number;
  models: PreparedModel[];
  /** Element k: model k judged on held-out cases; null where no model can be. */
  judged: JudgedModel[] | null;
  joint(first: number, second: number): JointCases | null;
}

/** What depends on the prevalence and not on the costs; once per change of the prevalence. */
export function prepare(report: ReportData, prevalence: number | null): Prepared {
  const models = report.models.map((data) => {
    const surface = new Surface(data, report, prevalence);
    return {
      data,
      surface,
      judged: data.folds.length ? new JudgedModel(data, prevalence, report.repeats ?? 1) : null,
      bounds: data.bounds === null ? null : cutBounds(data.bounds, prevalence),
      capacity: new Capacity(data, report, prevalence, surface),
    };
  });
  const honest = models.flatMap(({ judged }) => judged ?? []);
  const judged = honest.length === models.length ? honest : null;
  const joints = new Map<string, JointCases | null>();
  const joint = (first: number, second: number): JointCases | null => {
    const key = `${first} ${second}`;
    if (!joints.has(key)) {
      const pair = report.pairs.find(({ a, b }) => a === first && b === second);
      joints.set(key, pair === undefined || judged === null ? null : jointOf(pair, judged));
    }
    return joints.get(key) ?? null;
  };
  return { prevalence, level: report.confidence_level, models, judged, joint };
}

/** All rules to choose from at a cost point; null where the cases allow no honest cost. */
export function candidatesAt(prepared: Prepared, mu: number, nu: number): Candidates | null {
  const { prevalence, level, models, judged, joint } = prepared;
  if (judged === null) return null;
  return {
    question: { mu, nu, prevalence, level, judged, joint },
    trivial: trivialCandidates(judged[0], nu),
    models: models.map(({ surface }, k) => modelCandidates(judged[k], surface, k, mu, nu)),
  };
}
