/** Where a rule gives which answer among three classes: polygons in the triangle of probabilities. */

export type Point = readonly [number, number, number];

/** What the rule compares, as factors of the probabilities; the largest answers, ties to the first. */
export function scoresOf(rule: {
  weights: number[] | null;
  abstainWeight: number | null;
  columnCosts: number[][] | null;
}): number[][] {
  const { weights, abstainWeight: abstain, columnCosts } = rule;
  if (weights === null) return [];
  if (columnCosts === null) {
    const own = weights.map((weight, k) => weights.map((_, j) => (j === k ? weight : 0)));
    // abstaining has its weight times the sum of the probabilities
    return abstain !== null && abstain > 0 ? [...own, weights.map(() => abstain)] : own;
  }
  const divisors = [...weights, ...(abstain === null ? [] : [abstain])];
  return divisors.map((weight, answer) => columnCosts.map((row) => -row[answer] / weight));
}

const CORNERS: Point[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Polygon of every answer, empty where it is never given. */
export function regions(scores: readonly number[][]): Point[][] {
  return scores.map((own) =>
    scores.reduce<Point[]>(
      (polygon, other) => (other === own ? polygon : clip(polygon, own.map((value, k) => value - other[k]))),
      CORNERS,
    ),
  );
}

/** The part of a polygon in which a linear function is not negative (Sutherland and Hodgman 1974). */
function clip(polygon: readonly Point[], normal: readonly number[]): Point[] {
  const at = (p: Point): number => p[0] * normal[0] + p[1] * normal[1] + p[2] * normal[2];
  const kept: Point[] = [];
  polygon.forEach((here, k) => {
    const next = polygon[(k + 1) % polygon.length];
    const [a, b] = [at(here), at(next)];
    if (a >= 0) kept.push(here);
    if (a * b < 0) {
      const t = a / (a - b);
      kept.push([0, 1, 2].map((j) => here[j] + t * (next[j] - here[j])) as unknown as Point);
    }
  });
  return kept;
}
