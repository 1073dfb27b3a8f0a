/** Where scores stand on their axis: even steps of the score, or of its log-odds where they pile up at 0 and 1. */
import { ticks } from "d3-array";
import type { ModelData } from "../data";
import { general } from "../numbers";

/** Probabilities nearer to 0 or 1 than this share the ends (demur.report.drawing). */
const END = 1e-5;
/** Probabilities worth a mark; from the middle outwards, so that the first ones stay where there is no room. */
const MARKS = [0.5, 0.1, 0.9, 0.01, 0.99, 0.001, 0.999, 1e-4, 0.9999, 1e-5, 0.99999];

export interface ScoreAxis {
  readonly logOdds: boolean;
  /** Where a score stands, in units of the axis. */
  at(score: number): number;
  /** The score that stands there. */
  score(place: number): number;
  /** Marks between two scores with room for about `most`, in units of the axis. */
  marks(from: number, to: number, most: number): number[];
  text(place: number): string;
}

export function scoreAxis({ bins }: Pick<ModelData, "bins">): ScoreAxis {
  if (bins.log_odds !== true) {
    const same = (value: number): number => value;
    return { logOdds: false, at: same, score: same, marks: ticks, text: (place) => general(place) };
  }
  const at = (score: number): number => {
    const inside = Math.min(1 - END, Math.max(END, score));
    return Math.log(inside / (1 - inside));
  };
  return {
    logOdds: true,
    at,
    score: (place) => 1 / (1 + Math.exp(-place)),
    marks: (from, to, most) =>
      MARKS.filter((mark) => mark >= from && mark <= to)
        .slice(0, Math.max(3, most))
        .map(at)
        .sort((a, b) => a - b),
    text: (place) => String(Number((1 / (1 + Math.exp(-place))).toPrecision(5))),
  };
}
