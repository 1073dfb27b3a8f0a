/** What reviews are worth: the cost of the best rule against the share of cases that people can review. */
import type { App } from "../app";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import { maxAbstention } from "../state";
import type { Panel } from "../view/panel";
import { shown } from "../view/saving";
import { curvePanel } from "./curvePanel";

/** Points of the curve. */
const STEPS = 24;

interface Step {
  most: number;
  /** Cost per case, a miss costs 1. */
  cost: number;
  used: number;
}

/** The cheapest rule at limits from no review to as many as the cheapest window without one asks for. */
function stepsOf(at: Situation): Step[] {
  const { mu, nu } = at;
  const surface = at.fineSurface ?? at.surface;
  const { maxAbstention: _, ...others } = at.limits ?? {};
  const enough = Math.min(1, 1.15 * Math.max(at.surface.window(mu, nu).abstain, maxAbstention(at.state) < 1 ? maxAbstention(at.state) : 0, 0.02));
  return Array.from({ length: STEPS + 1 }, (__, step) => (enough * step) / STEPS).flatMap((most) => {
    const cuts = surface.limitedCuts(mu, nu, { ...others, maxAbstention: most });
    if (cuts === null) return [];
    const { cost, abstain } = surface.windowAt(...cuts, mu, nu);
    return [{ most, cost, used: abstain }];
  });
}

export function capacityPanel(app: App): Panel {
  const per1000 = (at: Situation, cost: number): number => 1000 * at.money(cost);
  let known: { at: Situation; steps: Step[] } | null = null;
  const steps = (at: Situation): Step[] => {
    if (known?.at !== at) known = { at, steps: stepsOf(at) };
    return known.steps;
  };
  return curvePanel(app, {
    id: "capacity",
    title: "Capacity",
    label: "Cost against the share of cases that can be reviewed",
    live: true,
    xFormat: (value) => `${Number((100 * value).toPrecision(3))} %`,
    yFormat: (value) => value.toLocaleString("en", { maximumSignificantDigits: 3 }),
    names: () => ["share of the cases that can be reviewed", "cost per 1000 cases"],
    missing: (at) => {
      if (!Number.isFinite(at.nu)) return "Reviews have no price: every case is decided.";
      return steps(at).length < 2 ? "No rule keeps the limits." : null;
    },
    about: (at) => `cheapest rule of ${at.modelName} at each limit, with hindsight`,
    chart: (at) => {
      const places = steps(at).map(({ most, cost }): [number, number] => [most, per1000(at, cost)]);
      const [least, highest] = [Math.min(...places.map(([, y]) => y)), Math.max(...places.map(([, y]) => y))];
      const room = 0.08 * (highest - least || Math.abs(highest) || 1);
      return { x: [0, places[places.length - 1][0]], y: [Math.min(0, least), highest + room], curves: [{ places, model: at.k }] };
    },
    here: (at) => [{ x: at.window.abstain, y: per1000(at, at.window.cost), text: percent(at.window.abstain) }],
    said: (at) => {
      const found = steps(at);
      const saved = per1000(at, found[0].cost) - per1000(at, found[found.length - 1].cost);
      const most = Math.max(...found.map(({ used }) => used));
      if (!(saved > 0)) return "At these prices reviews save nothing.";
      return `Reviews save up to ${at.amountBetween(found[0].cost - found[found.length - 1].cost)} per 1000 cases; beyond ${percent(most)} of the cases more of them save nothing.`;
    },
    sheet: (at) => ({
      columns: ["can be reviewed", "reviewed", "cost per 1000 with hindsight"],
      rows: steps(at).map(({ most, used, cost }) => [
        shown(most, percent),
        shown(used, percent),
        { value: per1000(at, cost), text: at.per1000(cost) },
      ]),
    }),
  });
}
