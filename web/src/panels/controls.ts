/** The prices, and folded below them what else the reader can set: prevalence, limits, ranges, the model. */
import { maxAbstention } from "../state";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import type { TwoApp } from "../twoClasses";
import { cut, el, setText, show } from "../view/dom";
import { button } from "../view/menu";
import type { Panel } from "../view/panel";
import { costFields } from "./costFields";
import { field, group } from "./field";
import { rangesField } from "./ranges";

export function controlsPanel(app: TwoApp): Panel {
  const costs = costFields(app);
  const folded = [prevalenceField(app), capacityFields(app), rangesField(app), modelField(app)];
  const title = el("summary", { "data-role": "more-controls" });
  const more = el("details", { class: "fold" }, title, costs.ways, ...folded.map(({ element }) => element));
  const ranges = button("", "explore", () => app.change({ ranges: app.current.ranges === null ? app.start.ranges : null }));
  const element = el(
    "aside",
    { class: "controls", id: "panel-controls", "data-panel": "controls", "aria-label": "Controls" },
    costs.prices,
    ranges,
    more,
  );

  /** What is folded follows once it is opened. */
  function follow(at: Situation, drawn: boolean): void {
    for (const panel of more.open ? folded : []) {
      if (drawn) panel.draw(at);
      panel.move?.(at);
    }
  }
  more.addEventListener("toggle", () => follow(app.at(), true));

  return {
    element,
    draw: (at) => {
      setText(title, `More${chosen(at).map((words, k) => `${k ? ", " : ": "}${words}`).join("")}`);
      show(ranges, app.start.ranges !== null || at.state.ranges !== null);
      setText(ranges, at.state.ranges === null ? "Back to the ranges" : "Explore single costs");
      follow(at, true);
    },
    move: (at) => {
      costs.move(at);
      follow(at, false);
    },
  };
}

/** What is set among the folded controls. */
function chosen(at: Situation): string[] {
  const { state, limits, data } = at;
  return [
    ...(state.prevalence === null ? [] : [`${percent(state.prevalence)} ${at.names.positive}`]),
    ...(limits === null ? [] : ["limits"]),
    ...(state.ranges === null ? [] : ["ranges"]),
    ...(state.model === null ? [] : [`model ${data.models[state.model].name}`]),
  ];
}

/** Which model the page shows: that of the answer, or one the reader holds on to. */
function modelField(app: TwoApp): Panel {
  const names = ["that of the answer", ...app.kind.data.models.map(({ name }) => cut(name, 60))];
  const select = el("select", { id: "model", "data-role": "model", "aria-label": "Model" }, ...names.map((name, k) => el("option", { value: k }, name)));
  select.addEventListener("change", () => app.change({ model: Number(select.value) ? Number(select.value) - 1 : null }));
  return { element: group("Model", select), draw: ({ state }) => (select.value = String(state.model === null ? 0 : state.model + 1)) };
}

const GIVEN =
  "Given, not estimated: intervals and the guarantee now rest on each class alone, also at the share of the data.";

function prevalenceField(app: TwoApp): Panel {
  const rate = field(
    { id: "prevalence", label: "positives in use", unit: "%", slider: true, above: 0, below: 100 },
    (value) => app.change({ prevalence: value / 100 }),
  );
  const own = button("As in the data", "prevalence-reset", () => app.change({ prevalence: null }));
  const hint = el("p", { class: "hint", "data-role": "prevalence-hint" }, GIVEN);
  return {
    element: group("Prevalence", rate.element, own, hint),
    draw: (at) => {
      rate.set(Number((100 * at.prevalence).toPrecision(4)), 100);
      setText(rate.label, `${at.names.positive} in use`);
      setText(own, `As in the data: ${percent(at.data.n_positive / at.data.n)}`);
      show(own, at.state.prevalence !== null);
      show(hint, at.state.prevalence !== null);
    },
  };
}

function capacityFields(app: TwoApp): Panel {
  let cases = app.current.capacity?.cases ?? NaN;
  let reviews = app.current.capacity?.reviews ?? NaN;
  const changed = (): void => app.change({ capacity: reviews >= 0 && cases > 0 ? { reviews, cases } : null });
  const possible = field({ id: "reviews-per-day", label: "reviews per day", empty: NaN }, (value) => {
    reviews = value;
    changed();
  });
  const expected = field({ id: "cases-per-day", label: "cases per day", empty: NaN }, (value) => {
    cases = value;
    changed();
  });
  const hint = el("p", { class: "hint", "data-role": "capacity-hint" });

  function move(at: Situation): void {
    if (at.state.capacity === null) {
      setText(hint, reviews >= 0 || cases > 0 ? "Both numbers together set a limit." : "No limit on reviews.");
      return;
    }
    const most = maxAbstention(at.state);
    const needed = at.surface.window(at.mu, at.nu).abstain;
    const effect = needed > most + 1e-12 ? "this narrows the window" : "more than needed here";
    setText(hint, `At most ${percent(most)} of the cases: ${effect}.`);
  }

  return {
    element: group("Capacity", possible.element, expected.element, hint),
    draw: (at) => {
      const { capacity } = at.state;
      if (capacity !== null) ({ reviews, cases } = capacity);
      // both numbers and no limit: the limit was taken away elsewhere
      else if (reviews >= 0 && cases > 0) [reviews, cases] = [NaN, NaN];
      possible.set(reviews);
      expected.set(cases);
      move(at);
    },
    move,
  };
}
