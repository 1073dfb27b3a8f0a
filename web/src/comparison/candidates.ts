/** Rules to choose from: per model a window and a single threshold, and three without a model. */
import type { Decisions, JudgedModel } from "../math/judged";
import { blockCuts } from "../math/masses";
import { ABSTAINED, type OutcomeTable } from "../math/outcomes";
import type { Surface, Window } from "../math/surface";
import { TRIVIAL_RULES, type TrivialRule } from "../math/trivial";

/** One rule: what it is, what it decides on the cases, and the tables of its outcomes. */
export interface Candidate {
  kind: "window" | "threshold" | TrivialRule;
  /** Place of its model; null without a model. */
  model: number | null;
  /** Thresholds chosen on all cases; null without a model. */
  window: Window | null;
  decisions: Decisions;
  honest: OutcomeTable;
  hindsight: OutcomeTable;
}

/** The decision each rule without a model makes on every case. */
const DECISION: Record<TrivialRule, number> = {
  "always positive": 1,
  "always negative": 0,
  "always abstain": ABSTAINED,
};

/** The rules without a model, simplest first; abstaining needs a price. */
export function trivialCandidates(judged: JudgedModel, nu: number): Candidate[] {
  return TRIVIAL_RULES.filter((kind) => kind !== "always abstain" || Number.isFinite(nu)).map((kind) =>
    candidate(judged, kind, null, null, judged.always(DECISION[kind])),
  );
}

/** The single threshold and, where abstaining has a price, the window of one model. */
export function modelCandidates(
  judged: JudgedModel,
  surface: Surface,
  model: number,
  mu: number,
  nu: number,
): Candidate[] {
  const aims: [kind: "threshold" | "window", nu: number][] = [["threshold", Infinity]];
  if (Number.isFinite(nu)) aims.push(["window", nu]);
  return aims.map(([kind, price]) => {
    const [i, j] = blockCuts(surface.shares, mu, price);
    const alike = sameForAll(i, j, surface.size);
    const decisions = alike === null ? judged.decide(mu, price) : judged.always(alike);
    return candidate(judged, kind, model, surface.windowAt(i, j, mu, price), decisions);
  });
}

/** The one decision of a window that treats all cases alike; null for any other. */
export function sameForAll(i: number, j: number, blocks: number): number | null {
  if (j === 0) return 1;
  if (i === blocks) return 0;
  return i === 0 && j === blocks ? ABSTAINED : null;
}

function candidate(
  judged: JudgedModel,
  kind: Candidate["kind"],
  model: number | null,
  window: Window | null,
  decisions: Decisions,
): Candidate {
  return {
    kind,
    model,
    window,
    decisions,
    honest: judged.outcomes(decisions),
    hindsight: judged.hindsight(decisions),
  };
}
