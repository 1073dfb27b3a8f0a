/** The reader's words for the classes, folded. */
import type { Situation } from "../situation";
import type { TwoApp } from "../twoClasses";
import { el } from "../view/dom";
import type { Panel } from "../view/panel";
import { textField } from "./headline";

export function classWords(app: TwoApp): Panel {
  const positive = textField("name-positive", "positive is called", 40, (text) => app.change({ positive: text }));
  const negative = textField("name-negative", "negative is called", 40, (text) => app.change({ negative: text }));
  const element = el("details", { class: "fold words-of-classes" }, el("summary", { "data-role": "words" }, "Words"), el("div", {}, positive.element, negative.element));
  return {
    element,
    draw: ({ state, names }: Situation) => {
      positive.set(state.positive, names.positive);
      negative.set(state.negative, names.negative);
    },
  };
}
