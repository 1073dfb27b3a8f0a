/** How much room the thresholds have: what each costs at least, and which cost hardly more than the best. */
import type { App } from "../app";
import { nearOptimal, type Room } from "../math/nearOptimal";
import type { Situation } from "../situation";
import { choice } from "../view/choice";
import { threshold } from "../view/format";
import type { Panel } from "../view/panel";
import { shown } from "../view/saving";
import { scoreAxis } from "../view/scoreAxis";
import { curvePanel, percentMark } from "./curvePanel";

/** Extra cost that counts as hardly more. */
const TOLERANCES = ["1", "5", "10"] as const;
/** Highest extra cost drawn, as a multiple of the tolerance. */
const TALL = 4;

interface Found {
  lower: Room;
  upper: Room;
  cuts: { lower: Float64Array; upper: Float64Array };
}

export function thresholdsPanel(app: App): Panel {
  let tolerance: (typeof TOLERANCES)[number] = "5";
  const picker = choice<(typeof TOLERANCES)[number]>(
    "thresholds-tolerance",
    "Extra cost allowed",
    TOLERANCES.map((share) => [share, `${share} % more`] as const),
    (chosen) => {
      tolerance = chosen;
      known = null;
      app.redraw(panel);
    },
  );
  picker.set(tolerance);
  let known: { at: Situation; found: Found } | null = null;
  const find = (at: Situation): Found => {
    if (known?.at !== at) {
      const surface = at.fineSurface ?? at.surface;
      const cuts = { lower: surface.lower, upper: surface.upper };
      known = { at, found: { ...nearOptimal(surface, at.mu, at.nu, Number(tolerance) / 100), cuts } };
    }
    return known.found;
  };
  const extra = ({ costs, best }: Room, cut: number): number =>
    costs[best] === 0 ? 0 : (costs[cut] - costs[best]) / Math.abs(costs[best]);
  const range = (cuts: Float64Array, { first, last }: Room): string =>
    first === last ? threshold(cuts[first]) : `${threshold(cuts[first])} to ${threshold(cuts[last])}`;
  const axisOf = (at: Situation) => scoreAxis(at.model);
  const panel = curvePanel(app, {
    id: "thresholds",
    title: "Room of the thresholds",
    label: "Extra cost against each threshold",
    live: true,
    controls: [picker.element],
    xFormat: (place) => axisOf(app.situation()).text(place),
    yFormat: percentMark,
    names: (at) => [axisOf(at).logOdds ? "threshold, on a scale of log-odds" : "threshold", "least extra cost, the other one at its best"],
    missing: (at) => {
      if (at.data.amounts !== null) return "Not for costs that differ by case.";
      return at.limits === null ? null : "Under limits the thresholds have no room of their own.";
    },
    about: (at) => `of ${at.modelName}, with hindsight; dotted: ${tolerance} % more than the smallest cost`,
    chart: (at, width) => {
      const { lower, upper, cuts } = find(at);
      const axis = axisOf(at);
      const edges = at.model.bins.edges.filter(Number.isFinite);
      const ends = [edges[0] ?? 0, edges[edges.length - 1] ?? 1];
      const x: [number, number] = ends[0] < ends[1] ? [axis.at(ends[0]), axis.at(ends[1])] : [ends[0] - 0.5, ends[0] + 0.5];
      const top = (TALL * Number(tolerance)) / 100;
      const profile = (room: Room, side: Float64Array): [number, number][] =>
        Array.from(side, (cut, k): [number, number] => [axis.at(cut), extra(room, k)]).filter(([place]) => place >= x[0] && place <= x[1]);
      const lines = (room: Room, side: Float64Array) => below(profile(room, side), top).map((places) => ({ places, model: at.k }));
      const both = Number.isFinite(at.nu);
      return {
        x,
        y: [0, top],
        xMarks: axis.marks(axis.logOdds ? ends[0] : x[0], axis.logOdds ? ends[1] : x[1], width),
        curves: [
          { places: [[x[0], top / TALL], [x[1], top / TALL]] },
          ...lines(upper, cuts.upper),
          ...(both ? lines(lower, cuts.lower) : []),
        ],
      };
    },
    here: (at) => {
      const { lower, upper, cuts } = find(at);
      const axis = axisOf(at);
      const marks = [{ x: axis.at(cuts.upper[upper.best]), y: 0, text: `upper ${threshold(cuts.upper[upper.best])}` }];
      if (!Number.isFinite(at.nu) || lower.best >= upper.best) return marks;
      const low = { x: axis.at(cuts.lower[lower.best]), y: null, text: `lower ${threshold(cuts.lower[lower.best])}`, left: true };
      return [low, { ...marks[0], y: null, text: "" }, { ...marks[0], y: 0 }];
    },
    said: (at) => {
      const { lower, upper, cuts } = find(at);
      const words = Number.isFinite(at.nu) ? `Any lower threshold in ${range(cuts.lower, lower)} and any upper one in ${range(cuts.upper, upper)}` : `Any threshold in ${range(cuts.upper, upper)}`;
      const level = at.fineSurface === null ? " Cuts lie between blocks of scores here." : "";
      return `${words} costs at most ${tolerance} % more, with a suitable other one. No confidence interval: the set to choose from.${level}`;
    },
    sheet: (at) => {
      const { lower, upper, cuts } = find(at);
      const line = (name: string, side: Float64Array, room: Room) => [
        name,
        ...[room.best, room.first, room.last].map((cut) => shown(side[cut], threshold)),
      ];
      return {
        columns: ["threshold", "best", `from (${tolerance} % more)`, "to"],
        rows: [line("lower", cuts.lower, lower), line("upper", cuts.upper, upper)],
      };
    },
  });
  return panel;
}

/** Pieces of a line that lie below a height, each with the point before and the point after it. */
function below(places: readonly [number, number][], top: number): [number, number][][] {
  const pieces: [number, number][][] = [];
  places.forEach((place, k) => {
    const near = [k - 1, k, k + 1].some((other) => (places[other]?.[1] ?? Infinity) <= top);
    const joined = k > 0 && near && Math.min(place[1], places[k - 1][1]) <= top;
    if (joined && pieces.length > 0) pieces[pieces.length - 1].push(place);
    else if (near) pieces.push([place]);
  });
  return pieces;
}
