/** Reliability diagram: observed share against the probability that the model names, from the pooled blocks. */
import type { Situation } from "../situation";
import type { TwoApp } from "../twoClasses";
import { pValue } from "../view/format";
import type { Panel } from "../view/panel";
import { shown } from "../view/saving";
import { curvePanel, percentMark } from "./curvePanel";

export function calibrationPanel(app: TwoApp): Panel {
  const isProbability = (at: Situation, k: number): boolean => (at.data.models[k].evidence?.calibration ?? null) !== null;
  /** Both ends of every block at its share of positives (demur.calibration.reliability_curve). */
  const places = (at: Situation, k: number): [number, number][] => {
    const { lower, upper, positives, negatives } = at.data.models[k].blocks;
    return lower.flatMap((from, b): [number, number][] => {
      const share = positives[b] / (positives[b] + negatives[b]);
      return [[from, share], [upper[b], share]];
    });
  };
  return curvePanel(app, {
    id: "calibration",
    title: "Calibration",
    label: "Reliability diagram",
    names: ({ names }) => ["probability that the model names", `${names.positive} in truth`],
    missing: (at) => (isProbability(at, at.k) ? null : `The scores of ${at.modelName} are no probabilities: there is nothing to calibrate.`),
    about: (at) => {
      const band = at.model.evidence?.calibration?.band ?? null;
      return `dotted: calibrated${band === null ? "" : `; band: chance alone, ${Math.round(100 * band.level)} %`}`;
    },
    chart: (at) => {
      const band = at.model.evidence?.calibration?.band ?? null;
      const edge = (side: number[]): [number, number][] => side.map((share, k) => [band!.forecast[k], share]);
      return {
        curves: [
          { places: [[0, 0], [1, 1]] },
          ...at.data.models.flatMap((_, model) => (isProbability(at, model) ? [{ places: places(at, model), model }] : [])),
        ],
        ...(band && { band: [...edge(band.low), ...edge(band.high).reverse()] }),
      };
    },
    here: () => [],
    said: (at) => {
      const { brier, miscalibration, pvalue } = at.model.evidence!.calibration!;
      const share = brier > 0 ? `, ${percentMark(miscalibration / brier)} of it miscalibration` : "";
      const chance = pvalue === null ? "" : ` (${pValue(pvalue)} if calibrated)`;
      return `Brier score ${brier.toFixed(4)}${share}${chance}. At the share of positives in the data.`;
    },
    sheet: (at) => {
      const { lower, upper, positives, negatives } = at.model.blocks;
      return {
        columns: ["from probability", "to probability", "observed share", "cases"],
        rows: lower.map((from, b) => [
          shown(from, (v) => v.toPrecision(4)),
          shown(upper[b], (v) => v.toPrecision(4)),
          shown(positives[b] / (positives[b] + negatives[b]), (v) => v.toFixed(4)),
          positives[b] + negatives[b],
        ]),
      };
    },
  });
}
