/** 100 cases as dots in the order of their scores: what is done with them, between the thresholds, and what goes wrong. */
import { sharesOf100 } from "../comparison/numbers";
import { thresholdText } from "../numbers";
import type { Situation } from "../situation";
import { el, setText, show } from "../view/dom";

interface Side {
  dots: number;
  /** How many of them are wrong, those first that lie next to the person. */
  wrong: number;
  name: string;
  where: string;
  errors: string;
}

export function caseDots(): { element: HTMLElement; move(at: Situation): void } {
  const sides = (["negative", "nothing", "positive"] as const).map((kind) => {
    const [name, where, errors] = [el("strong"), el("span"), el("span", { class: "errors" })];
    const dots = el("div", { class: `row said-${kind}` });
    return { element: el("div", { class: "side" }, dots, el("p", {}, name, " ", where, " ", errors)), dots, name, where, errors };
  });
  const element = el("div", { class: "dots", role: "img", "data-role": "dots" }, ...sides.map(({ element: side }) => side));
  let drawn = "";
  return {
    element,
    move(at) {
      show(element, at.answer !== null);
      if (at.answer === null) return;
      const found = sidesOf(at);
      const key = JSON.stringify(found);
      if (key === drawn) return;
      drawn = key;
      found.forEach((side, k) => {
        const { element: box, dots, name, where, errors } = sides[k];
        show(box, side.dots > 0 || side.where !== "");
        box.style.flexGrow = String(side.dots);
        fill(dots, side, k === 0);
        setText(name, side.name);
        setText(where, side.where);
        setText(errors, side.errors);
      });
      const [negative, sent, positive] = found;
      const called = [positive, sent, negative].map(({ name }) => name).join(", ");
      const wrong = [negative, positive].map(({ errors }) => errors).filter((text) => text !== "");
      element.setAttribute("aria-label", `Of 100 cases: ${called}${wrong.length ? `; ${wrong.join(", ")}` : ""}`);
    },
  };
}

function fill(row: HTMLElement, { dots, wrong }: Side, atEnd: boolean): void {
  while (row.childElementCount > dots) row.lastElementChild!.remove();
  while (row.childElementCount < dots) row.append(el("span"));
  [...row.children].forEach((dot, k) => (dot.className = (atEnd ? dots - 1 - k : k) < wrong ? "mistake" : ""));
}

/** Called negative, sent to a person, called positive. */
function sidesOf(at: Situation): [Side, Side, Side] {
  const { rule, facts } = at.answer!;
  const [negative, positive, sent] = sharesOf100([facts.called_negative, facts.called_positive, facts.abstained]);
  const threshold = rule.model !== null;
  const single = facts.kind === "threshold";
  const from = threshold && facts.calls_positive ? `from ${thresholdText(facts.upper)} up` : "";
  const upTo = !threshold || !facts.calls_negative ? "" : single ? `below ${thresholdText(facts.upper)}` : `up to ${thresholdText(facts.lower)}`;
  // never more errors than dots, and none that the share does not round to
  const errors = (share: number, dots: number): number => Math.min(Math.round(100 * share), dots);
  const [missed, alarms] = [errors(facts.missed, negative), errors(facts.alarms, positive)];
  return [
    { dots: negative, wrong: missed, name: `${negative} called ${at.names.negative}`, where: upTo, errors: missed ? `${missed} missed` : "" },
    { dots: sent, wrong: 0, name: `${sent} sent to a person`, where: "", errors: "" },
    { dots: positive, wrong: alarms, name: `${positive} called ${at.names.positive}`, where: from, errors: alarms ? `${alarms} false alarm${alarms > 1 ? "s" : ""}` : "" },
  ];
}
