/** Promised precision: the widest windows whose decisions keep a precision with confidence. */
import type { App } from "../app";
import type { Situation } from "../situation";
import { percent } from "../numbers";
import { el, setText, show } from "../view/dom";
import { threshold } from "../view/format";
import { shown } from "../view/saving";
import { Frame } from "../view/frame";
import type { Panel } from "../view/panel";

export function promisesPanel(_: App): Panel {
  const frame = new Frame("promises", "Promised precision");
  const heads = ["", "", "", "", ""].map(() => el("th", { scope: "col" }));
  const body = el("tbody");
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body);
  const scroll = el("div", { class: "scroll across", tabindex: 0, role: "region", "aria-label": "Promised precision" }, table);
  const note = el("p", { class: "reading" });
  frame.body.append(scroll, note);
  let now: Situation | null = null;

  function draw(at: Situation): void {
    now = at;
    const promises = at.model.evidence?.promises ?? [];
    const { positive, negative } = at.names;
    ["right at least", `${negative} up to`, `${positive} from`, "decided", "right on these cases"].forEach((text, k) => setText(heads[k], text));
    setText(frame.about, `${at.modelName}: each kind of decision is right so often, with ${at.level} confidence`);
    body.replaceChildren(
      ...promises.map(({ precision, lower, upper, decided, positive: up, negative: down }) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, percent(precision)),
          ...[
            lower === -Infinity ? "never" : threshold(lower),
            upper === Infinity ? "never" : threshold(upper),
            percent(decided),
            [down, up].map((share) => (share === null ? "–" : percent(share))).join(" and "),
          ].map((text) => el("td", {}, text)),
        ),
      ),
    );
    show(scroll, promises.length > 0);
    setText(
      note,
      promises.length === 0
        ? "Only for whole, independent cases of both classes, at the share of positives in the data."
        : `Costs play no part; at the share of positives in the data. "never": these ${at.data.n.toLocaleString("en")} cases prove no such threshold.`,
    );
  }

  frame.numbers(
    () => ({
      columns: ["promised", "lower", "upper", "decided", "right_negative", "right_positive"],
      rows: (now?.model.evidence?.promises ?? []).map(({ precision, lower, upper, decided, positive, negative }) => [
        ...[precision, shown(lower, threshold), shown(upper, threshold), decided],
        negative ?? NaN,
        positive ?? NaN,
      ]),
    }),
    true,
  );
  return { element: frame.section, draw, move: () => undefined };
}
