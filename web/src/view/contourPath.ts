/** Rings of contours as one path. */
export function contourPath(
  polygons: number[][][][],
  place: (x: number, y: number) => [number, number],
): string {
  const ring = (points: number[][]): string =>
    `M${points
      .map(([x, y]) =>
        place(x, y)
          .map((v) => v.toFixed(1))
          .join(),
      )
      .join("L")}Z`;
  return polygons.map((rings) => rings.map(ring).join("")).join("");
}
