/** Precision against recall at every threshold, at the prevalence in use. */
import type { TwoApp } from "../twoClasses";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import { threshold } from "../view/format";
import type { Panel } from "../view/panel";
import { shown } from "../view/saving";
import { curvePanel, type Here } from "./curvePanel";

/** Share of right ones among the cases called positive (demur.precision_recall_curve). */
function precisionOf(tpr: number, fpr: number, rate: number): number {
  const right = rate * tpr;
  return right / (right + (1 - rate) * fpr);
}

export function precisionRecallPanel(app: TwoApp): Panel {
  const places = (at: Situation, k: number): [number, number][] => {
    const { tpr, fpr } = at.data.models[k].roc;
    return tpr
      .map((rate, at_): [number, number] => [rate, precisionOf(rate, fpr[at_], at.prevalence)])
      .filter(([recall, precision]) => recall > 0 && Number.isFinite(precision));
  };
  return curvePanel(app, {
    id: "precision-recall",
    title: "Precision and recall",
    label: "Precision against recall",
    names: ({ names }) => [`${names.positive} found (recall)`, `right among those called ${names.positive}`],
    missing: ({ data }) => (data.models[0].roc.fpr.length === 0 ? "Needs cases of both classes." : null),
    about: ({ prevalence }) => `at ${percent(prevalence)} positive; dotted: calling every case positive`,
    chart: (at) => ({
      curves: [
        { places: [[0, at.prevalence], [1, at.prevalence]] },
        ...at.data.models.map((_, model) => ({ places: places(at, model), model })),
      ],
    }),
    here: ({ window, prevalence }): Here[] => {
      const called = window.tp + window.fp;
      if (!(called > 0) || !(prevalence > 0)) return [];
      return [{ x: window.tp / prevalence, y: window.tp / called, text: threshold(window.upper) }];
    },
    said: (at) => {
      const { average_precision: mean } = at.model.evidence ?? { average_precision: null };
      const own = at.prepared.prevalence === at.data.prevalence ? "" : " at the prevalence of the report";
      return mean === null ? "" : `Mean precision over the positives of ${at.modelName}: ${mean.toFixed(3)}${own}.`;
    },
    sheet: (at) => ({
      columns: ["recall", "precision"],
      rows: places(at, at.k).map((place) => place.map((value) => shown(value, (v) => v.toFixed(4)))),
    }),
  });
}
