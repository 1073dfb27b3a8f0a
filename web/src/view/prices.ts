/** Relative prices in the reader's money: marks of axes, numbers in sentences and tables. */
import { moneyOffsets, unitOf } from "../math/units";
import { general, grouped } from "../numbers";
import type { Situation } from "../situation";
import type { PriceAxis } from "./priceAxis";
import { ticks } from "./scale";

export type Side = "mu" | "nu";

/** A relative price as the fields have it: times a unit, plus what right answers cost. */
export function inFields({ costs }: Situation, side: Side, price: number): number {
  return Number((price * unitOf(costs) + moneyOffsets(costs)[side]).toPrecision(10));
}

/** The same as text. */
export function priceText(at: Situation, side: Side, price: number): string {
  return moneyText(inFields(at, side, price));
}

function moneyText(value: number): string {
  return Math.abs(value) >= 1000 && Math.abs(value) < 1e9 ? grouped(value, 0) : general(value, 3);
}

/** Round prices of an axis in the reader's money, at most about `most`, as relative prices. */
export function roundPrices({ costs }: Situation, side: Side, axis: PriceAxis, most: number): number[] {
  const [unit, offset] = [unitOf(costs), moneyOffsets(costs)[side]];
  const [low, high] = [axis.from * unit + offset, axis.to * unit + offset];
  const round = low > 0 ? roundMoney(low, high, most) : ticks(low, high, most);
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

/** Names of the two axes, with what a miss costs; with amounts they are factors. */
export function priceNames({ data, state, costs }: Situation): [alarm: string, review: string] {
  if (data.amounts !== null) return ["factor on false alarms (misses = 1)", "factor on reviews (misses = 1)"];
  const miss = `${state.unit === "" ? "" : ` in ${state.unit}`} (a miss costs ${moneyText(costs.fn)})`;
  return [`price of a false alarm${miss}`, `price of a review${miss}`];
}
