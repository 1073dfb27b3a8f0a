/** Three classes: every case is a point of a triangle, and the rule divides it. */
import { attr, cut, el, setText, svg } from "../../view/dom";
import { modelColour } from "../../view/palette";
import { Frame } from "../../view/frame";
import { standalone } from "../../view/picture";
import { styled } from "../../view/legends";
import { count } from "../../view/format";
import type { Panel } from "../../view/panel";
import type { ClassApp, ClassSituation } from "../manyClasses";
import { regions, scoresOf, type Point } from "../regions";

const SIDE = 460;
const HEIGHT = (SIDE * Math.sqrt(3)) / 2;
const LEFT = 60;
const TOP = 34;

/** Position of a point of the triangle: the first class on top, the second left, the third right. */
function place([first, second, third]: readonly number[]): [number, number] {
  const all = first + second + third;
  return [LEFT + (SIDE * (first / 2 + third)) / all, TOP + HEIGHT * (1 - first / all)];
}

export function simplexPanel(app: ClassApp): Panel<ClassSituation> {
  const frame = new Frame("simplex", "Where the rule decides", "each corner is a class the model is sure of; areas: the answer; dots: true classes");
  const drawing = svg("svg", { class: "simplex", viewBox: `0 0 ${SIDE + 2 * LEFT} ${HEIGHT + TOP + 40}`, role: "img", id: "chart-simplex" });
  const [areas, dots, names] = [svg("g"), svg("g"), svg("g")];
  drawing.append(areas, dots, names);
  const key = el("ul", { class: "dot-key", "data-role": "simplex-key" });
  const note = el("p", { class: "reading" });
  frame.body.append(el("div", { class: "chart" }, drawing), key, note);
  let now: ClassSituation | null = null;

  function draw(at: ClassSituation): void {
    now = at;
    const { data, answer, theme } = at;
    const model = answer.rule.model ?? at.rules.find((rule) => rule.model !== null)?.model ?? 0;
    const { simplex, name } = data.models[model];
    const colour = (k: number): string => (k < 3 ? modelColour(k, theme) : "var(--abstain)");
    const scores = answer.rule.model === null ? [] : scoresOf(answer.rule);
    areas.replaceChildren(
      ...regions(scores).flatMap((polygon, k) =>
        polygon.length < 3 ? [] : [svg("polygon", { points: path(polygon), fill: colour(k), "fill-opacity": 0.16, stroke: "var(--axis)" })],
      ),
      svg("polygon", { points: path([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), fill: "none", stroke: "var(--axis)" }),
    );
    if (simplex !== null) {
      const most = Math.max(...simplex.counts.flat(), 1);
      const room = SIDE / simplex.side / 2.2;
      dots.replaceChildren(
        ...simplex.cells.flatMap((corner, at) => {
          const middle = centre(corner, simplex.side);
          const present = [0, 1, 2].filter((k) => simplex.counts[k][at] > 0);
          return present.map((k, nth) => {
            const [x, y] = place(middle);
            // classes in the same small triangle stand side by side
            const shift = (nth - (present.length - 1) / 2) * room * 0.8;
            const radius = Math.max(1.2, room * Math.sqrt(simplex.counts[k][at] / most));
            return svg("circle", { cx: x + shift, cy: y, r: radius, fill: colour(k), "fill-opacity": 0.85, stroke: "var(--ground)", "stroke-width": 0.6 });
          });
        }),
      );
    }
    names.replaceChildren(
      ...([[1, 0, 0], [0, 1, 0], [0, 0, 1]] as const).map((corner, k) => {
        const [x, y] = place(corner);
        const text = svg("text", { x, y: k === 0 ? y - 10 : y + 20, "text-anchor": "middle" }, cut(data.classes[k], 18));
        return text;
      }),
    );
    attr(drawing, { "aria-label": `Answers of the rule over the probabilities of ${cut(name)}, ${data.classes.map((one) => cut(one, 20)).join(", ")}` });
    const used = [...data.classes.map((one, k) => [one, k] as const), ...(answer.rule.abstains ? [["to a person", 3] as const] : [])];
    key.replaceChildren(
      ...used.map(([one, k]) => {
        const patch = el("span", { class: "patch" });
        patch.style.background = colour(k);
        return el("li", {}, patch, cut(one, 30));
      }),
    );
    const total = simplex === null ? 0 : simplex.counts.flat().reduce((all, value) => all + value, 0);
    setText(note, `${cut(name)}, ${count(total)} cases in small triangles; a dot's area is its number of cases. The rule is the one chosen on all cases.`);
  }
  frame.picture(() =>
    standalone(
      drawing,
      "Where the rule decides: areas are answers, dots true classes",
      null,
      [...app.kind.data.classes, ...(now!.answer.rule.abstains ? ["to a person"] : [])].map((name, k) => ({
        text: cut(name, 30),
        colour: k < 3 ? modelColour(k, now!.theme) : styled("--abstain"),
      })),
    ),
  );
  frame.numbers(() => {
    const { answer, data } = now!;
    const { simplex } = data.models[answer.rule.model ?? 0];
    const cells = simplex?.cells ?? [];
    return {
      columns: [...data.classes.map((name) => `P(${name})`), ...data.classes.map((name) => `cases of ${name}`)],
      rows: cells.map((corner, k) => [
        ...centre(corner, simplex!.side).map((value) => value.toFixed(4)),
        ...simplex!.counts.map((column) => String(column[k])),
      ]),
    };
  });
  return frame.panel((at: ClassSituation) => {
    draw(at);
    frame.refresh();
  });
}

function path(polygon: readonly (Point | readonly number[])[]): string {
  return polygon.map((point) => place(point).map((value) => value.toFixed(2)).join(",")).join(" ");
}

/** Middle of a small triangle from its lowest corner. */
function centre(corner: readonly number[], side: number): number[] {
  const left = side - corner.reduce((all, value) => all + value, 0);
  return corner.map((value) => (value + left / 3) / side);
}
