/** Lines and areas as the text of a path. */

type Place = readonly [x: number, y: number];

function near(value: number): string {
  return String(Math.round(100 * value) / 100);
}

export function linePath(places: readonly Place[], closed = false): string {
  if (places.length === 0) return "";
  return `M${places.map(([x, y]) => `${near(x)},${near(y)}`).join("L")}${closed ? "Z" : ""}`;
}
