/** Errors among the cases answered, the most confident first, by the more probable class. */
import type { TwoApp } from "../twoClasses";
import type { RiskCoverageData } from "../data";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import type { Panel } from "../view/panel";
import { shown } from "../view/saving";
import { curvePanel } from "./curvePanel";

export function riskCoveragePanel(app: TwoApp): Panel {
  const found = (at: Situation, k = at.k): RiskCoverageData | null => at.data.models[k].evidence?.risk_coverage ?? null;
  const pairs = ({ coverage, risk }: RiskCoverageData): [number, number][] => coverage.map((share, k) => [share, risk[k]]);
  return curvePanel(app, {
    id: "risk-coverage",
    title: "Risk and coverage",
    label: "Errors among the cases answered against their share",
    yFormat: (value) => `${Number((100 * value).toPrecision(2))} %`,
    names: () => ["share of the cases answered", "wrong among them"],
    missing: (at) => (found(at) === null ? `The scores of ${at.modelName} are no probabilities: they do not say which answer is sure.` : null),
    about: () => "most confident first, each by the more probable class; costs play no part",
    chart: (at) => {
      const curves = at.data.models.flatMap((_, model) => {
        const other = found(at, model);
        return other === null ? [] : [{ places: pairs(other), model }];
      });
      const most = Math.max(...curves.flatMap(({ places }) => places.map(([, risk]) => risk)), 0.01);
      return { y: [0, 1.08 * most], curves };
    },
    here: ({ window }) => {
      const decided = 1 - window.abstain;
      return decided > 0 ? [{ x: decided, y: (window.fn + window.fp) / decided, text: "the rule here" }] : [];
    },
    said: (at) => `Area under the curve of ${at.modelName}: ${found(at)!.aurc.toPrecision(3)}. The rule of these costs weighs misses and false alarms by their prices.`,
    sheet: (at) => ({
      columns: ["answered", "wrong among them"],
      rows: pairs(found(at)!).map((place) => place.map((value) => shown(value, percent))),
    }),
  });
}
