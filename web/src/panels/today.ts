/** The reader's own rule: what it costs, what changing saves, at which costs it would be right. */
import type { TwoApp } from "../twoClasses";
import { money, moneyStep } from "../comparison/numbers";
import { todayFacts, type TodayFacts } from "../comparison/today";
import { inBrackets } from "../comparison/words";
import { rightCosts, type FixedRule } from "../math/fixedRule";
import { moneyOffsets, unitOf } from "../math/units";
import { general, grouped } from "../numbers";
import type { Situation } from "../situation";
import { cut, el, setText, show } from "../view/dom";
import { Frame } from "../view/frame";
import { button } from "../view/menu";
import type { Panel } from "../view/panel";
import { field } from "./field";

export function todayPanel(app: TwoApp): Panel {
  const frame = new Frame("today", "Your rule today");
  const { models } = app.kind.data;
  const picker = el("select", { id: "today-model", "data-role": "today-model", "aria-label": "Model of your rule" });
  models.forEach(({ name }, k) => picker.append(el("option", { value: k }, cut(name, 40))));
  // thresholds while they are typed: the state has them once they make a rule
  let [lower, upper] = [NaN, NaN];
  const wrong = el("p", { class: "wrong", role: "status", "data-role": "today-wrong" });
  const options = { gain: true, empty: NaN } as const;
  const from = field({ id: "today-upper", label: "positive from", ...options }, (value) => {
    upper = value;
    changed();
  });
  const upTo = field({ id: "today-lower", label: "negative up to", ...options }, (value) => {
    lower = value;
    changed();
  });
  const clear = button("Remove", "today-clear", () => {
    [lower, upper] = [NaN, NaN];
    app.change({ today: null });
  });
  const said = el("ul", { class: "words", "data-role": "today-words" });
  const hint = el("p", { class: "hint" }, "One threshold is enough: leave the lower one empty.");
  frame.body.append(
    el("div", { class: "today-fields" }, ...(models.length > 1 ? [picker] : []), from.element, upTo.element, clear),
    wrong,
    hint,
    said,
  );

  function changed(): void {
    const bottom = Number.isNaN(lower) ? upper : lower;
    const backwards = bottom > upper;
    setText(wrong, backwards ? "The lower threshold must not lie above the upper one." : "");
    const rule = Number.isNaN(upper) || backwards ? null : { model: Number(picker.value), lower: bottom, upper };
    if (!backwards) app.change({ today: rule });
  }
  picker.addEventListener("change", changed);

  function draw(at: Situation): void {
    const { today } = at.state;
    if (today !== null) [lower, upper] = [today.lower === today.upper ? NaN : today.lower, today.upper];
    // both at hand and no rule: it was taken away elsewhere
    else if (!Number.isNaN(upper) && !(lower > upper)) [lower, upper] = [NaN, NaN];
    picker.value = String(today?.model ?? at.k);
    from.set(upper);
    upTo.set(lower);
    setText(from.label, `${at.names.positive} from`);
    setText(upTo.label, `${at.names.negative} up to`);
    show(clear, today !== null);
    show(hint, today === null);
  }

  function move(at: Situation): void {
    const { today } = at.state;
    show(said, today !== null);
    if (today !== null) {
      const sentences = todayWords(at, today);
      if (sentences.some((text, k) => said.children[k]?.textContent !== text) || said.children.length !== sentences.length)
        said.replaceChildren(...sentences.map((text, k) => el("li", { class: k === 0 ? "change" : "" }, text)));
    }
  }

  return frame.panel(draw, move);
}

/** What the rule of today costs, what changing saves, and when it would be right. */
function todayWords(at: Situation, today: FixedRule): string[] {
  if (at.answer === null || at.candidates === null) return ["These cases allow no answer to compare with."];
  const facts = todayFacts(today, at.answer, at.candidates, at.prepared, at.rests);
  const right = at.data.amounts === null ? [rightWords(at, today)] : [];
  return [changeWords(at, facts), costWords(at, facts), ...right];
}

function costWords(at: Situation, { cost, shares, exact }: TodayFacts): string {
  const per1000 = (share: number): string => grouped(1000 * share, 0);
  const parts = [`${per1000(shares[2] + shares[5])} go to a person`, `${per1000(shares[3])} ${at.names.positive} cases are missed`, `${per1000(shares[1])} false alarms`];
  const rounded = exact ? "" : " At the nearest thresholds that this page holds.";
  return `Today costs ${at.withInterval(cost)} per 1000 cases, measured: ${parts.join(", ")}.${rounded}`;
}

function changeWords(at: Situation, { change }: TodayFacts): string {
  const { difference, interval } = change;
  if (difference === 0 && interval[0] === interval[1]) return "The answer above decides these cases in the same way.";
  const step = moneyStep(interval[0], interval[1], difference);
  const sign = difference <= 0 ? -1 : 1;
  const ends = inBrackets(interval.map((end) => sign * end), step, `${at.level} interval `);
  const verb = difference < 0 ? "saves" : "costs";
  return `Changing to the answer above ${verb} ${money(Math.abs(difference), step)} per 1000 cases${ends}.`;
}

/** The costs at which nothing would be cheaper than the rule of today. */
function rightWords(at: Situation, today: FixedRule): string {
  const { surface, data } = at.prepared.models[today.model];
  const found = rightCosts(today, surface, data.blocks);
  const unit = unitOf(at.costs);
  const offsets = moneyOffsets(at.costs);
  const price = ([low, high]: readonly [number, number], offset: number): string => {
    const [a, b] = [low, high].map((value) => general(value * unit + offset, 3));
    return a === b ? a : high === Infinity ? `${a} or more` : `${a} to ${b}`;
  };
  const instead = `(now ${general(at.costs.fp, 3)}${Number.isFinite(at.nu) ? ` and ${general(at.nu * unit + offsets.nu, 3)}` : ""}; a miss ${general(at.costs.fn, 3)})`;
  const alarm = `a false alarm cost ${price(found.mu, offsets.mu)}`;
  if (found.nu === null) return `It would be right if ${alarm} and a review at least ${general(found.leastReview * unit + offsets.nu, 3)} ${instead}.`;
  return `It would be right if ${alarm} and a review ${price(found.nu, offsets.nu)} ${instead}.`;
}
