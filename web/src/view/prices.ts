/** Relative prices in the reader's money: marks of axes, numbers in sentences and tables. */
import { ticks } from "d3-array";
import { moneyOffsets, unitOf } from "../math/units";
import { general, grouped } from "../numbers";
import type { Situation } from "../situation";
import { axisNames } from "./axisNames";
import type { PriceAxis } from "./priceAxis";

export type Side = "mu" | "nu";

/** How a relative price reads in the fields: times a unit, plus what right answers cost. */
function scaleOf({ state, costs }: Situation, side: Side): [unit: number, offset: number] {
  return state.entry === "ratio" ? [1, 0] : [unitOf(costs), moneyOffsets(costs)[side]];
}

/** A relative price as the fields have it. */
export function inFields(at: Situation, side: Side, price: number): number {
  const [unit, offset] = scaleOf(at, side);
  return Number((price * unit + offset).toPrecision(10));
}

/** The same as text. */
export function priceText(at: Situation, side: Side, price: number): string {
  return moneyText(inFields(at, side, price));
}

function moneyText(value: number): string {
  return Math.abs(value) >= 1000 && Math.abs(value) < 1e9 ? grouped(value, 0) : general(value, 3);
}

/** Round prices of an axis in the reader's money, at most about `most`, as relative prices. */
export function roundPrices(at: Situation, side: Side, axis: PriceAxis, most: number): number[] {
  const [unit, offset] = scaleOf(at, side);
  const [low, high] = [axis.from * unit + offset, axis.to * unit + offset];
  const round = axis.log && low > 0 ? roundMoney(low, high, most) : ticks(low, high, most);
  return round.map((value) => (value - offset) / unit).filter((price) => price >= axis.from * (1 - 1e-9) && price <= axis.to * (1 + 1e-9));
}

/** 1, 2, 5, 10, ... between two amounts; only powers of ten, or some of them, where those are too many. */
function roundMoney(low: number, high: number, most: number): number[] {
  const first = Math.floor(Math.log10(low) + 1e-9);
  const powers = Array.from({ length: Math.ceil(Math.log10(high) - 1e-9) - first + 1 }, (_, k) => first + k);
  const every = Math.ceil(powers.length / most);
  const steps = 3 * powers.length - 2 <= most ? [1, 2, 5] : [1];
  return powers
    .filter((_, k) => k % every === 0)
    .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
    .filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
}

/** Names of the two axes, with what a miss costs. */
export function priceNames(at: Situation): [alarm: string, review: string] {
  const { alarm, review } = axisNames(at.data);
  if (at.state.entry === "ratio" || at.data.amounts !== null) return [alarm, review];
  const unit = at.state.unit === "" ? "" : ` in ${at.state.unit}`;
  const miss = `${unit} (a miss costs ${moneyText(at.costs.fn)})`;
  return [`price of a false alarm${miss}`, `price of a review${miss}`];
}
