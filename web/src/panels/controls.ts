/** Prices, prevalence, capacity, the model and the words for the classes. */
import type { App } from "../app";
import { LONGEST_UNIT, maxAbstention } from "../state";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import { el, setText, show } from "../view/dom";
import type { Panel } from "../view/panel";
import { costFields } from "./costFields";
import { field } from "./field";
import { group } from "./group";
import { modelPicker } from "./modelPicker";

export function controlsPanel(app: App): Panel {
  const costs = costFields(app);
  const prevalence = prevalenceField(app);
  const capacity = capacityFields(app);
  const models = modelPicker(app);
  const words = classWords(app);
  const element = el("aside", {
    class: "controls",
    id: "panel-controls",
    "data-panel": "controls",
    "aria-label": "Controls",
  });
  element.append(costs.element, furtherControls(prevalence, capacity, models, words));
  const parts = [costs, prevalence, capacity, models, words];
  // a list longer than the window sticks by its lower end, so that all of it can be reached
  const stick = (): void =>
    void (element.style.top = `${Math.min(52, innerHeight - element.offsetHeight - 20)}px`);
  new ResizeObserver(stick).observe(element);
  addEventListener("resize", stick);
  return {
    element,
    draw: (at) => parts.forEach((part) => part.draw(at)),
    move: (at) => parts.forEach((part) => part.move(at)),
  };
}

const NARROW = matchMedia("(max-width: 43.99rem)");

/** All but the prices: folded on a phone, where the map comes first, and open elsewhere. */
function furtherControls(...parts: Panel[]): HTMLElement {
  const summary = el("summary", { "data-role": "more-controls" }, "More: prevalence, capacity, model, words");
  const element = el("details", { class: "further" }, summary, ...parts.map((part) => part.element));
  const fold = (): void => void (element.open = !NARROW.matches);
  NARROW.addEventListener("change", fold);
  fold();
  return element;
}

const GIVEN =
  "Given, not estimated: intervals and the guarantee now rest on each class alone, also at the share of the data.";

function prevalenceField(app: App): Panel {
  const rate = field(
    { id: "prevalence", label: "positives in use", unit: "%", slider: true, above: 0, below: 100 },
    (value) => app.change({ prevalence: value / 100 }),
  );
  const own = el(
    "button",
    { type: "button", class: "quiet", "data-role": "prevalence-reset" },
    "As in the data",
  );
  own.addEventListener("click", () => app.change({ prevalence: null }));
  const hint = el("p", { class: "hint", "data-role": "prevalence-hint" }, GIVEN);
  const element = group("Prevalence", rate.element, own, hint);
  return {
    element,
    draw: (at) => {
      rate.set(Number((100 * at.prevalence).toPrecision(4)), 100);
      setText(rate.label, `${at.names.positive} in use`);
      const sample = at.data.n_positive / at.data.n;
      setText(own, `As in the data: ${percent(sample)}`);
      show(own, at.state.prevalence !== null);
      show(hint, at.state.prevalence !== null);
    },
    move: () => undefined,
  };
}

function capacityFields(app: App): Panel {
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
  const element = group("Capacity", possible.element, expected.element, hint);

  function move(at: Situation): void {
    const { capacity } = at.state;
    if (capacity === null) {
      setText(
        hint,
        reviews >= 0 || cases > 0 ? "Both numbers together set a limit." : "No limit on reviews.",
      );
      return;
    }
    const most = maxAbstention(at.state);
    const needed = at.surface.window(at.mu, at.nu).abstain;
    setText(
      hint,
      needed > most + 1e-12
        ? `At most ${percent(most)} of the cases: this narrows the window.`
        : `At most ${percent(most)} of the cases: more than needed here.`,
    );
  }

  return {
    element,
    draw: (at) => {
      const { capacity } = at.state;
      if (capacity !== null) ({ reviews, cases } = capacity);
      // both numbers and no limit: the limit was taken away elsewhere
      else if (reviews >= 0 && cases > 0) [reviews, cases] = [NaN, NaN];
      possible.set(reviews);
      expected.set(cases);
    },
    move,
  };
}

const WORDS = { positive: "positive is called", negative: "negative is called", unit: "costs are in" } as const;

function classWords(app: App): Panel {
  const word = (id: keyof typeof WORDS): { element: HTMLElement; input: HTMLInputElement } => {
    const input = el("input", {
      type: "text",
      id: `name-${id}`,
      "data-role": `name-${id}`,
      maxlength: id === "unit" ? LONGEST_UNIT : 40,
      autocomplete: "off",
    });
    input.addEventListener("input", () => app.change({ [id]: input.value.trim() }));
    return {
      element: el("div", { class: "field" }, el("label", { for: `name-${id}` }, WORDS[id]), input),
      input,
    };
  };
  const [positive, negative, unit] = [word("positive"), word("negative"), word("unit")];
  const element = group("Words", positive.element, negative.element, unit.element);
  const write = (input: HTMLInputElement, value: string, usual: string): void => {
    input.placeholder = usual;
    if (document.activeElement !== input) input.value = value;
  };
  return {
    element,
    draw: (at) => {
      write(positive.input, at.state.positive, at.names.positive);
      write(negative.input, at.state.negative, at.names.negative);
      write(unit.input, at.state.unit, "any unit");
    },
    move: () => undefined,
  };
}
