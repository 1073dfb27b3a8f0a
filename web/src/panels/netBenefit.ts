/** Net benefit of acting on the probabilities as they are (decision curve), with the threshold these costs ask for. */
import type { TwoApp } from "../twoClasses";
import type { NetBenefitData } from "../data";
import { evenShare } from "../math/units";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import type { Panel } from "../view/panel";
import { shown } from "../view/saving";
import { curvePanel, percentMark } from "./curvePanel";

export function netBenefitPanel(app: TwoApp): Panel {
  const found = (at: Situation, k = at.k): NetBenefitData | null => at.data.models[k].evidence?.net_benefit ?? null;
  const rate = ({ data }: Situation): number => data.prevalence ?? data.n_positive / data.n;
  /** Acting on every case. */
  const all = (at: Situation, t: number): number => rate(at) - ((1 - rate(at)) * t) / (1 - t);
  const pairs = ({ threshold }: NetBenefitData, column: number[] | null): [number, number][] => (column === null ? [] : threshold.map((t, k) => [t, column[k]]));
  return curvePanel(app, {
    id: "net-benefit",
    title: "Net benefit",
    label: "Net benefit against the threshold probability",
    yFormat: (value) => String(Number(value.toPrecision(2))),
    names: () => ["probability from which on one acts", "right ones per case, less the price of wrong ones"],
    missing: (at) => (found(at) === null ? `Net benefit needs probabilities and both classes; the scores of ${at.modelName} are none.` : null),
    about: (at) => `at ${percent(rate(at))} positive, as in the report${found(at)?.low == null ? "" : `; band ${at.level}`}; dotted: acting on all, on none`,
    chart: (at) => {
      const own = found(at)!;
      const highest = Math.max(rate(at), ...own.value);
      return {
        y: [-0.25 * highest, 1.08 * highest],
        curves: [
          { places: own.threshold.map((t) => [t, all(at, t)]) },
          { places: [[0, 0], [1, 0]] },
          ...at.data.models.flatMap((_, model) => {
            const other = found(at, model);
            return other === null ? [] : [{ places: pairs(other, other.value), model }];
          }),
        ],
        band: [...pairs(own, own.low), ...pairs(own, own.high).reverse()],
      };
    },
    here: (at) => [{ x: evenShare(at.mu), y: null, text: percentMark(evenShare(at.mu)) }],
    said: (at) => `At these prices a false alarm and a miss weigh the same at ${percent(evenShare(at.mu))}. Below both dotted lines a model does harm.`,
    sheet: (at) => {
      const own = found(at)!;
      const text = (v: number): string => v.toFixed(4);
      return {
        columns: ["threshold probability", "net benefit", "low", "high", "acting on all"],
        rows: own.threshold.map((t, k) => [
          shown(t, percent),
          ...[own.value[k], own.low?.[k] ?? NaN, own.high?.[k] ?? NaN, all(at, t)].map((value) => shown(value, text)),
        ]),
      };
    },
  });
}
