/** ROC curve with its convex hull; the window is the part of the hull between its two thresholds. */
import type { Situation } from "../situation";
import type { TwoApp } from "../twoClasses";
import { threshold } from "../view/format";
import type { Panel } from "../view/panel";
import { shown } from "../view/saving";
import { curvePanel, percentMark, type Place } from "./curvePanel";

export function rocPanel(app: TwoApp): Panel {
  const pairs = (fpr: ArrayLike<number>, tpr: ArrayLike<number>): Place[] => Array.from(fpr, (rate, k): Place => [rate, tpr[k]]);
  const hull = ({ hull: corners }: Situation): Place[] => (corners === null ? [] : pairs(corners.fpr, corners.tpr));
  return curvePanel(app, {
    id: "roc",
    title: "ROC",
    label: "ROC curve",
    names: ({ names }) => [`${names.negative} called ${names.positive}`, `${names.positive} found`],
    missing: (at) => (at.hull === null ? "Needs cases of both classes." : null),
    about: () => "dotted: hull of the curve, and chance",
    chart: (at) => ({
      curves: [
        { places: [[0, 0], [1, 1]] },
        { places: hull(at) },
        ...at.data.models.map(({ roc: { fpr, tpr } }, model) => ({ places: pairs(fpr, tpr), model })),
      ],
    }),
    here: (at) => {
      const { i, j, lower, upper } = at.window;
      const [high, low] = endsOf(at);
      const close = Math.hypot(high[0] - low[0], high[1] - low[1]) < 0.08;
      return [
        { x: high[0], y: high[1], text: threshold(upper) },
        ...(i < j ? [{ x: low[0], y: low[1], text: close ? "" : threshold(lower) }] : []),
      ];
    },
    trail: (at) => {
      const { i, j } = at.window;
      // under a limit the ends may lie below the hull, between its corners
      return i === j ? [] : at.searched ? endsOf(at) : hull(at).slice(i, j + 1);
    },
    stops: (at) =>
      hull(at).map((place, cut) => ({
        at: place,
        text: `At threshold ${threshold(at.surface.upper[cut])}: ${percentMark(place[1])} found, ${percentMark(place[0])} false alarms.`,
      })),
    said: (at) => `Thick: the window of ${at.modelName}, between its two thresholds.`,
    sheet: (at) => ({
      columns: ["threshold (hull)", "true positive rate", "false positive rate"],
      rows: hull(at).map(([fpr, tpr], cut) => [shown(at.surface.upper[cut], threshold), ...[tpr, fpr].map((rate) => shown(rate, (v) => v.toFixed(4)))]),
    }),
  });
}

/** False and true positive rate at the upper and at the lower threshold. */
function endsOf({ window, prevalence }: Situation): [Place, Place] {
  const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
  const { fp, tp, abstainNegative, abstainPositive } = window;
  return [
    [share(fp, 1 - prevalence), share(tp, prevalence)],
    [share(fp + abstainNegative, 1 - prevalence), share(tp + abstainPositive, prevalence)],
  ];
}
