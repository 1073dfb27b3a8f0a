/** A grid of costs as a table: a row per price of a review, a column per price of a false alarm. */
import type { CostGrid } from "../math/costMap";
import { general } from "../numbers";
import { shown, type Cell, type Sheet } from "./saving";

export function gridSheet({ mus, nus }: CostGrid, cell: (at: number) => Cell): Sheet {
  return {
    columns: ["review \\ false alarm", ...Array.from(mus, (mu) => general(mu, 3))],
    rows: Array.from(nus, (nu, r) => [
      shown(nu, (price) => general(price, 3)),
      ...Array.from(mus, (_, c) => cell(r * mus.length + c)),
    ]),
  };
}
