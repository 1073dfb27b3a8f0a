/** Where scores stand on their axis: even steps of the score, or of its log-odds where they pile up at 0 and 1. */
import type { ModelData } from "../data";
import { general } from "../numbers";
import { ticks } from "./scale";

/** Probabilities nearer to 0 or 1 than this share the ends (demur.report.drawing). */
const END = 1e-5;
/** Probabilities worth a mark; from the middle outwards, so that the first ones stay where there is no room. */
const MARKS = [0.5, 0.1, 0.9, 0.01, 0.99, 0.001, 0.999, 1e-4, 0.9999, 1e-5, 0.99999];

/** Least distance of two labels, in pixels. */
const APART = 44;

export interface ScoreAxis {
  readonly logOdds: boolean;
  /** Where a score stands, in units of the axis. */
  at(score: number): number;
  /** The score that stands there. */
  score(place: number): number;
  /** Marks between two scores on an axis of so many pixels, in units of the axis. */
  marks(from: number, to: number, width: number): number[];
  text(place: number): string;
}

export function scoreAxis({ bins }: Pick<ModelData, "bins">): ScoreAxis {
  if (bins.log_odds !== true) {
    const same = (value: number): number => value;
    return { logOdds: false, at: same, score: same, marks: (from, to, width) => ticks(from, to, Math.max(2, width / 60)), text: (place) => general(place) };
  }
  const at = (score: number): number => {
    const inside = Math.min(1 - END, Math.max(END, score));
    return Math.log(inside / (1 - inside));
  };
  return {
    logOdds: true,
    at,
    score: (place) => 1 / (1 + Math.exp(-place)),
    marks: (from, to, width) => {
      const pixel = width / (at(to) - at(from) || 1);
      const kept: number[] = [];
      for (const place of MARKS.filter((mark) => mark >= from && mark <= to).map(at))
        if (kept.every((other) => Math.abs(place - other) * pixel >= APART)) kept.push(place);
      return kept.sort((a, b) => a - b);
    },
    text: (place) => String(Number((1 / (1 + Math.exp(-place))).toPrecision(5))),
  };
}
