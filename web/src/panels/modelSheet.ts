/** The table of all models as numbers, each in a column of its own. */
import type { Estimate } from "../comparison/estimates";
import type { Situation } from "../situation";
import { thresholdText } from "../numbers";
import { shown, type Cell, type Sheet } from "../view/saving";

const COLUMNS = [
  "model",
  ...["auc", "auc_low", "auc_high"],
  ...["vacc", "vacc_low", "vacc_high"],
  ...["lower", "upper"],
  ...["cost_per_1000", "cost_low", "cost_high"],
  ...["never_abstaining_per_1000", "never_abstaining_low", "never_abstaining_high"],
  "with_hindsight_per_1000",
  "abstained",
  "cheapest_share_with_hindsight",
];

/** What is not known is left empty. */
export function modelSheet(at: Situation): Sheet {
  const numbers = (...values: (number | null | undefined)[]): number[] => values.map((value) => value ?? NaN);
  const per1000 = (cost: number): number => 1000 * cost;
  const priced = (found: Estimate | null): number[] =>
    found === null ? [NaN, NaN, NaN] : [found.cost, ...found.interval].map(per1000);
  const rows = at.data.models.map(({ name, auc, volume, wins }, k): Cell[] => {
    const { window, honest, never, abstained } = at.outcome(k);
    return [
      name,
      ...numbers(auc?.value, auc?.low, auc?.high),
      ...numbers(volume.honest ?? volume.hindsight, volume.low, volume.high),
      ...numbers(window?.lower, window?.upper).map((cut) => shown(cut, thresholdText)),
      ...priced(honest),
      ...priced(never),
      honest === null ? (window === null ? NaN : per1000(at.money(window.cost))) : per1000(honest.hindsight),
      abstained,
      wins,
    ];
  });
  return { columns: COLUMNS, rows };
}
