/** The answer in one line at the top of the window, while its sentences are out of sight. */
import { el, setText, show } from "../view/dom";

type Short = readonly [rule: string, cost: string];

/** `headline` is what the line stands for. */
export function stickyAnswer(headline: HTMLElement): { element: HTMLElement; draw(short: Short | null): void } {
  const [rule, cost] = [el("strong"), el("span")];
  // for the eye alone: a screen reader has the headline
  const element = el("div", { class: "sticky", "data-role": "sticky", "aria-hidden": "true" }, el("p", {}, rule, " ", cost));
  new IntersectionObserver(([entry]) => element.classList.toggle("on", !entry.isIntersecting)).observe(headline);
  return {
    element,
    draw(short) {
      show(element, short !== null);
      setText(rule, short?.[0] ?? "");
      setText(cost, short?.[1] ?? "");
    },
  };
}
