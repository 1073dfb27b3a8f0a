/** All models at one prevalence, ready for any costs. */
import { modelCandidates, trivialCandidates, type Judged } from "../comparison/candidates";
import type { Candidates } from "../comparison/choice";
import { cutBounds, type CutBounds } from "../comparison/guarantee";
import { problemAt, type Problem, type Scenario } from "../comparison/problem";
import type { ModelData, ReportData } from "../data";
import { evidenceOf, type Evidence } from "./evidence";
import { MoneySurface } from "./moneySurface";
import { Surface } from "./surface";
import type { Aim } from "./training";
import { NO_SURCHARGE, type Surcharge } from "./units";

export interface PreparedModel {
  data: ModelData;
  /** Windows between pooled blocks, or between groups of scores where every case has its own costs. */
  surface: Surface;
  /** Windows between any two scores, where the page holds the cases. */
  readonly fine: Surface;
  judged: Judged | null;
}

export interface Prepared {
  report: ReportData;
  /** Null: that of the data. */
  prevalence: number | null;
  /** What reviews cost beyond nu. */
  extra: Surcharge;
  models: PreparedModel[];
  evidence: Evidence;
}

/** What depends on the prevalence and on who reviews, and not on mu and nu. */
export function prepare(report: ReportData, prevalence: number | null, extra: Surcharge = NO_SURCHARGE): Prepared {
  const evidence = evidenceOf(report);
  const models = report.models.map((data, k): PreparedModel => {
    const judged = evidence.judged?.[k] ?? null;
    const [fine, training] = [evidence.fine[k], evidence.own[k]];
    if (report.amounts !== null) {
      const surface = new MoneySurface(fine, report, prevalence, training);
      return { data: fine, surface, fine: surface, judged };
    }
    const surface = new Surface(data, report, prevalence, extra, training);
    let made: Surface | null = fine === data ? surface : null;
    return {
      data,
      surface,
      get fine() {
        return (made ??= new Surface(fine, report, prevalence, extra, training));
      },
      judged,
    };
  });
  return { report, prevalence, extra, models, evidence };
}

/** Whether windows may cut between any two scores, under limits and over ranges, too. */
export function searchesScores({ report }: Prepared): boolean {
  return report.cases !== null;
}

/** The same model judged by its first split alone, which takes a fraction of the time. */
function firstSplit(judged: Judged): Judged {
  return { ...judged, tables: judged.tables.slice(0, judged.tables.length / judged.repeats), repeats: 1 };
}

/** All rules to choose from; null without honest costs. Until the hand rests a search among all scores is in one split. */
export function candidatesOf(prepared: Prepared, problem: Problem, rests: boolean): Candidates | null {
  const { evidence, models } = prepared;
  const { inference } = evidence;
  if (evidence.judged === null || inference === null) return null;
  const slow = evidence.rows !== null && (problem.ranges !== null || problem.limits !== null);
  const judged = slow && !rests ? evidence.judged.map(firstSplit) : evidence.judged;
  const rules = (asked: Problem) => judged.map((one, k) => modelCandidates(one, surfaceOf(prepared, k), k, asked));
  return {
    problem,
    trivial: trivialCandidates(judged[0], problem, models[0].surface.prevalence),
    models: rules(problem),
    chosenFor: (corner: Scenario) => rules(problemAt(problem, corner)).flat(),
    // a share of positives that the reader sets is no estimate
    inference: problem.prevalence === prepared.report.prevalence ? inference : { ...inference, rateVariance: 0 },
  };
}

/** The surface that a window is one of: between blocks where it is the cheapest one at a point. */
function surfaceOf({ models, report }: Prepared, k: number): (aim: Aim) => Surface {
  return ({ problem }) => {
    const free = report.amounts === null && problem.limits === null && problem.ranges === null;
    return free ? models[k].surface : models[k].fine;
  };
}

/** Bounds at every cut of a surface, made once; null where none holds for every sample size. */
export function boundsOf({ report, prevalence }: Prepared, surface: Surface): CutBounds | null {
  if (report.bounds === null) return null;
  let found = bounds.get(surface);
  if (found === undefined) {
    found = cutBounds(report.bounds, surface.model.blocks, prevalence);
    bounds.set(surface, found);
  }
  return found;
}

const bounds = new WeakMap<Surface, CutBounds>();

