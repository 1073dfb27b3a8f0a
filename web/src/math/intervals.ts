/** Intervals of honest costs that do not collapse where no error was seen (demur.honest.intervals). */
import { normalQuantile } from "./normal";
import type { JointTable, OutcomeTable } from "./outcomes";
import { NO_SURCHARGE, reviewsAt, type Surcharge } from "./units";

/** Differences of sums this small beside them are rounding. */
const ROUNDING = 64 * Number.EPSILON;

/** What a miss, a false alarm and a review of either class cost; an infinite review is never paid. */
export interface Prices {
  miss: number;
  alarm: number;
  abstainPositive: number;
  abstainNegative: number;
}

export type Ends = [low: number, high: number];

/** Number of cases of one class, and the sums over it that an interval needs. */
interface ClassSums {
  n: number;
  total: number;
  squares: number;
  /** Loss of an added error, and its weight from 0 (the rule cannot err so) to 1. */
  worst: number;
  risk: number;
  /** Weight of an added right answer, from 0 (the rule abstains on the whole class) to 1. */
  decided: number;
}

export type LossSums = { positive: ClassSums; negative: ClassSums };

/** Number of errors of each kind added at a confidence level: z^2 / 4. */
export function addedErrors(level: number): number {
  return normalQuantile(level) ** 2 / 4;
}

/** Prices of the normal form, in which a miss costs 1. */
export function pricesAt(mu: number, nu: number, extra: Surcharge = NO_SURCHARGE): Prices {
  const [abstainPositive, abstainNegative] = nu === Infinity ? [0, 0] : reviewsAt(mu, nu, extra);
  return { miss: 1, alarm: mu, abstainPositive, abstainNegative };
}

/** Losses by class (negative, positive) and decision (negative, positive, abstain). */
export function lossesAt({ miss, alarm, abstainPositive, abstainNegative }: Prices): number[][] {
  return [
    [0, alarm, abstainNegative],
    [miss, 0, abstainPositive],
  ];
}

/** Turn outcomes into sums of losses. */
export function lossSums(table: OutcomeTable, prices: Prices): LossSums {
  const { miss, alarm, abstainPositive, abstainNegative } = prices;
  const [rightNegative, alarmed, keptNegative, missed, rightPositive, keptPositive] = table;
  return {
    positive: {
      n: missed + rightPositive + keptPositive,
      total: miss * missed + abstainPositive * keptPositive,
      squares: miss ** 2 * missed + abstainPositive ** 2 * keptPositive,
      worst: miss,
      // a rule that calls nothing negative cannot miss, one that calls nothing positive raises no alarm
      risk: Math.min(missed + rightNegative, 1),
      decided: Math.min(missed + rightPositive, 1),
    },
    negative: {
      n: alarmed + rightNegative + keptNegative,
      total: alarm * alarmed + abstainNegative * keptNegative,
      squares: alarm ** 2 * alarmed + abstainNegative ** 2 * keptNegative,
      worst: alarm,
      risk: Math.min(alarmed + rightPositive, 1),
      decided: Math.min(alarmed + rightNegative, 1),
    },
  };
}

/** Mean loss and its standard error, with added errors and right answers of each class. */
export function meanAndError(
  sums: LossSums,
  prevalence: number | null,
  errors = 0,
  right = 0,
): [mean: number, error: number] {
  const [p, n] = [sums.positive, sums.negative].map(({ n, total, squares, worst, risk, decided }) => {
    const wrong = errors * risk;
    return { n: n + wrong + right * decided, total: total + wrong * worst, squares: squares + wrong * worst ** 2 };
  });
  if (prevalence === null) {
    const [size, total, squares] = [p.n + n.n, p.total + n.total, p.squares + n.squares];
    return [total / size, Math.sqrt(squaredError(size, total, squares))];
  }
  let [mean, variance] = [0, 0];
  for (const [share, part] of [[prevalence, p], [1 - prevalence, n]] as const) {
    if (share === 0) continue;
    mean += (share * part.total) / part.n;
    variance += share ** 2 * squaredError(part.n, part.total, part.squares);
  }
  return [mean, Math.sqrt(variance)];
}

/** Squared standard error of a mean; 0 where the spread is rounding, or from one case. */
function squaredError(n: number, total: number, squares: number): number {
  const spread = squares - total ** 2 / n;
  return spread > ROUNDING * squares ? spread / (n * Math.max(n - 1, 1)) : 0;
}

/** Interval of the cost of the rule in use: from hindsight - z s to honest + z s with added errors. */
export function honestInterval(
  hindsight: LossSums,
  honest: LossSums,
  level: number,
  prevalence: number | null,
): Ends {
  const [z, errors] = [normalQuantile(level), addedErrors(level)];
  // the rule in use may err where it makes a call, even if the rules of the folds made none
  const wary = {
    positive: { ...honest.positive, risk: Math.max(honest.positive.risk, hindsight.positive.risk) },
    negative: { ...honest.negative, risk: Math.max(honest.negative.risk, hindsight.negative.risk) },
  };
  const [low, lowError] = meanAndError(hindsight, prevalence, 0, prevalence === null ? 0 : errors);
  const [high, highError] = meanAndError(wary, prevalence, errors);
  return [low - z * lowError, high + z * highError];
}

/** Sums of the difference of two losses on the same cases; `extra` are the squares of one added error. */
interface DifferenceSums {
  sums: LossSums;
  extraPositive: number;
  extraNegative: number;
}

/** Sum loss of the first rule minus loss of the second from their joint decisions. */
export function differenceSums(joint: JointTable, prices: Prices): DifferenceSums {
  const { miss, alarm } = prices;
  const parts = lossesAt(prices).map((loss, row) => {
    const part: ClassSums = { n: 0, total: 0, squares: 0, worst: 0, risk: 1, decided: 1 };
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        const cases = joint[9 * row + 3 * a + b];
        const gap = loss[a] - loss[b];
        part.n += cases;
        part.total += cases * gap;
        part.squares += cases * gap ** 2;
      }
    }
    return part;
  });
  // each rule may err where it makes the call at all
  const misses = Math.min(calls(joint, 0, "first"), 1) + Math.min(calls(joint, 0, "second"), 1);
  const alarms = Math.min(calls(joint, 1, "first"), 1) + Math.min(calls(joint, 1, "second"), 1);
  return {
    sums: { negative: parts[0], positive: parts[1] },
    extraPositive: misses * miss ** 2,
    extraNegative: alarms * alarm ** 2,
  };
}

/** Cases of both classes on which one of the rules decides so. */
function calls(joint: JointTable, decision: number, rule: "first" | "second"): number {
  let sum = 0;
  for (let other = 0; other < 3; other++) {
    const at = rule === "first" ? 3 * decision + other : 3 * other + decision;
    sum += joint[at] + joint[9 + at];
  }
  return sum;
}

function differenceAndError(
  { sums: { positive, negative }, extraPositive, extraNegative }: DifferenceSums,
  prevalence: number | null,
  errors: number,
): [mean: number, error: number] {
  const spread = {
    positive: { ...positive, squares: positive.squares + errors * extraPositive },
    negative: { ...negative, squares: negative.squares + errors * extraNegative },
  };
  return meanAndError(spread, prevalence);
}

/** Interval of the difference in cost of two rules in use, judged on the same cases. */
export function differenceInterval(
  hindsight: DifferenceSums,
  honest: DifferenceSums,
  level: number,
  prevalence: number | null,
): Ends {
  const [z, errors] = [normalQuantile(level), addedErrors(level)];
  const [seen, seenError] = differenceAndError(hindsight, prevalence, errors);
  const [kept, keptError] = differenceAndError(honest, prevalence, errors);
  const half = z * Math.max(seenError, keptError);
  return [Math.min(seen, kept) - half, Math.max(seen, kept) + half];
}
