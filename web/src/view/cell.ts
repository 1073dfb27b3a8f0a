/** The cell of a window: all costs (mu, nu) at which it is the cheapest, a convex polygon. */

export type Corner = [mu: number, nu: number];

/** Keep the part of a polygon where a + b mu + c nu >= 0. */
function clip(polygon: Corner[], a: number, b: number, c: number): Corner[] {
  const kept: Corner[] = [];
  polygon.forEach((corner, k) => {
    const next = polygon[(k + 1) % polygon.length];
    const here = a + b * corner[0] + c * corner[1];
    const there = a + b * next[0] + c * next[1];
    if (here >= 0) kept.push(corner);
    if (here >= 0 !== there >= 0) {
      const t = here / (here - there);
      kept.push([corner[0] + t * (next[0] - corner[0]), corner[1] + t * (next[1] - corner[1])]);
    }
  });
  return kept;
}

/**
 * Corners of the cell of window (i, j) inside [0, muMost] x [0, nuMost]; `shares` are those of positives per block.
 *
 * Block b is called negative where s_b <= min(mu (1 - s_b), nu), positive where mu (1 - s_b) <= min(s_b, nu), and is
 * abstained on where nu is below both; shares ascend, so the blocks beside the two cuts decide for all.
 */
export function cellOf(shares: Float64Array, i: number, j: number, muMost: number, nuMost: number): Corner[] {
  let cell: Corner[] = [[0, 0], [muMost, 0], [muMost, nuMost], [0, nuMost]];
  if (i > 0) {
    const s = shares[i - 1];
    cell = clip(clip(cell, -s, 0, 1), -s, 1 - s, 0);
  }
  if (j < shares.length) {
    const s = shares[j];
    cell = clip(clip(cell, 0, s - 1, 1), s, s - 1, 0);
  }
  if (i < j) cell = clip(clip(cell, shares[i], 0, -1), 0, 1 - shares[j - 1], -1);
  return cell;
}
