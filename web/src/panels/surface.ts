/** The surface of costs in 3-D, or as contours where there is no WebGL. */
import { contours } from "d3-contour";
import type { App } from "../app";
import { costGrid, mapValues } from "../math/costMap";
import { general } from "../numbers";
import type { Situation } from "../situation";
import { contourPath } from "../view/contourPath";
import { attr, el, setText, show, svg } from "../view/dom";
import { amount } from "../view/format";
import { FALSE_ALARM, REVIEW } from "../view/axisNames";
import { Frame } from "../view/frame";
import { SEQUENTIAL, step } from "../view/palette";
import type { Panel } from "../view/panel";
import { project, Relief, type Turn } from "../view/relief";
import { standalone } from "../view/saving";

const SIDE = 65;
const START: Turn = { yaw: 0.62, pitch: 0.56 };
const LEVELS = 12;

export interface SurfacePanel extends Panel {
  /** Build the picture; the rest of the page is painted first. */
  start(): void;
}

export function surfacePanel(app: App): SurfacePanel {
  const frame = new Frame("surface", "Surface", "");
  const canvas = el("canvas", { "aria-hidden": "true" });
  const drawing = svg("svg", { "aria-hidden": "true" });
  const stage = el(
    "div",
    { class: "surface-stage", id: "chart-surface", tabindex: 0, role: "img", "data-role": "surface-stage" },
    canvas,
    drawing,
  );
  const reset = el("button", { type: "button", class: "quiet", "data-role": "surface-reset" }, "Turn back");
  frame.body.append(el("div", { class: "chart" }, stage), reset);
  const filled = svg("g");
  const edges = svg("path", { class: "faint" });
  const [names, tops] = [0, 1].map(() => [0, 1, 2].map(() => svg("text", { class: "haloed" })));
  const stem = svg("line", { class: "here-line", "stroke-dasharray": "2 3" });
  const dot = svg("circle", { class: "here-dot", r: 6 });
  drawing.append(filled, edges, ...names, ...tops, stem, dot);

  let relief: Relief | null = null;
  let started = false;
  let turn = { ...START };
  let now = app.situation();
  let [width, height, most] = [0, 0, 1];
  let key = "";
  let asked = false;

  function start(): void {
    started = true;
    relief = Relief.make(canvas);
    stage.classList.toggle("contours", relief === null);
    stage.dataset["drawn"] = relief === null ? "contours" : "webgl";
    show(reset, relief !== null);
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      relief = null;
      stage.classList.add("contours");
      stage.dataset["drawn"] = "contours";
      key = "";
      app.redraw(panel);
    });
    new ResizeObserver(() => app.redraw(panel)).observe(stage.parentElement!);
  }

  function draw(at: Situation): void {
    now = at;
    if (!started) return;
    width = stage.parentElement!.clientWidth;
    height = Math.round(Math.min(420, Math.max(250, 0.66 * width)));
    if (width === 0) return;
    stage.style.height = `${height}px`;
    attr(drawing, { width, height });
    const { muMax, nuMax } = app.domain;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const next = [at.prepared.prevalence, at.k, muMax, nuMax, relief === null, width, height].join("|");
    if (next !== key) {
      key = next;
      const values = mapValues("cost", costGrid(SIDE, SIDE, muMax, nuMax), at.surfaces, at.k);
      most = Math.max(...values);
      if (relief === null) drawContours(values);
      else {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        canvas.style.height = `${height}px`;
        relief.load(
          Float32Array.from(values, (value) => value / (most || 1)),
          SIDE,
        );
      }
    }
    setText(
      frame.about,
      relief === null
        ? `cost of ${at.modelName}; contours, for want of WebGL`
        : `cost of ${at.modelName}; drag or use the arrow keys to turn`,
    );
    stage.setAttribute(
      "aria-label",
      `Surface of the cost of ${at.modelName} over all costs, from 0 to ${amount(1000 * at.costs.fn * most)} per 1000 cases`,
    );
    filled.setAttribute("visibility", relief === null ? "visible" : "hidden");
    render();
  }

  function move(at: Situation): void {
    now = at;
    if (started && width > 0) {
      mark();
      frame.refresh();
    }
  }

  /** Where a point of the view stands on the stage. */
  function at3(x: number, y: number, z: number): [number, number] {
    if (relief !== null) return project(x, y, z, turn, width, height);
    return [40 + x * (width - 56), height - 40 - y * (height - 64)];
  }

  function render(): void {
    relief?.draw(turn, width, height);
    frameLines();
    mark();
  }

  function mark(): void {
    const { muMax, nuMax } = app.domain;
    const [mu, nu] = [Math.min(now.mu, muMax), Math.min(now.nu, nuMax)];
    const [x, y] = [mu / muMax, nu / nuMax];
    const z = now.surface.cost(mu, nu) / (most || 1);
    const [px, py] = at3(x, y, z);
    const [bx, by] = at3(x, y, 0);
    attr(dot, { cx: px, cy: py });
    attr(stem, { x1: px, y1: py, x2: bx, y2: by });
    show(stem, relief !== null);
  }

  /** The edges of the floor that face the reader, the upright at their left, and their names. */
  function frameLines(): void {
    const { muMax, nuMax } = app.domain;
    if (relief === null) {
      attr(edges, { d: "" });
      label(names[0], width - 16, height - 6, "end", FALSE_ALARM);
      label(names[1], 4, 12, "start", REVIEW);
      label(names[2], 0, 0, "start", "");
      label(tops[0], width - 16, height - 24, "end", general(muMax, 3));
      label(tops[1], 34, 34, "end", general(nuMax, 3));
      label(tops[2], 0, 0, "start", "");
      return;
    }
    const corners: [number, number][] = [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ];
    const seen = corners.map(([x, y]) => at3(x, y, 0));
    const front = seen.reduce((best, at, k) => (at[1] > seen[best][1] ? k : best), 0);
    const sides = [(front + 3) % 4, (front + 1) % 4];
    const path = sides.map((k) => `M${seen[front].join()}L${seen[k].join()}`).join("");
    const left = sides.reduce((best, k) => (seen[k][0] < seen[best][0] ? k : best), sides[0]);
    const top = at3(...corners[left], 1);
    attr(edges, { d: `${path}M${seen[left].join()}L${top.join()}` });
    for (const k of sides) {
      // the edge from the front corner to corner k runs along mu or along nu
      const axis = corners[k][0] !== corners[front][0] ? 0 : 1;
      const outward = seen[k][0] < seen[front][0] ? -1 : 1;
      const middle = [
        (seen[k][0] + seen[front][0]) / 2 + 14 * outward,
        (seen[k][1] + seen[front][1]) / 2 + 18,
      ];
      label(
        names[axis],
        middle[0],
        middle[1],
        outward < 0 ? "end" : "start",
        axis === 0 ? "a false alarm" : "a review",
      );
      const far = corners[k][axis] === 1 ? seen[k] : seen[front];
      label(
        tops[axis],
        far[0] + (far === seen[front] ? 0 : 8 * outward),
        far[1] + 15,
        far === seen[front] ? "middle" : outward < 0 ? "end" : "start",
        general(axis === 0 ? muMax : nuMax, 3),
      );
    }
    label(names[2], top[0] - 4, top[1] - 18, "start", "cost per 1000");
    label(tops[2], top[0] - 4, top[1] - 4, "start", amount(1000 * now.costs.fn * most));
  }

  function label(node: SVGTextElement, x: number, y: number, anchor: string, text: string): void {
    attr(node, {
      x: Math.min(width - 4, Math.max(4, x)),
      y: Math.min(height - 3, Math.max(11, y)),
      "text-anchor": anchor,
    });
    setText(node, text);
  }

  function drawContours(values: Float64Array): void {
    const top = most || 1;
    const levels = Array.from({ length: LEVELS }, (_, k) => (top * k) / LEVELS);
    filled.replaceChildren();
    for (const shape of contours().size([SIDE, SIDE]).thresholds(levels)(Array.from(values))) {
      const from = step((shape.value + top / LEVELS / 2) / top);
      const [r, g, b] = SEQUENTIAL.slice(from, from + 3);
      const path = contourPath(shape.coordinates, (x, y) =>
        at3((x - 0.5) / (SIDE - 1), (y - 0.5) / (SIDE - 1), 0),
      );
      filled.append(svg("path", { d: path, fill: `rgb(${r},${g},${b})` }));
    }
  }

  function turnBy(yaw: number, pitch: number): void {
    turn = { yaw: turn.yaw + yaw, pitch: Math.min(1.45, Math.max(0.05, turn.pitch + pitch)) };
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      render();
    });
  }

  let last: [number, number] | null = null;
  stage.addEventListener("pointerdown", (event) => {
    last = [event.clientX, event.clientY];
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    if (last === null || relief === null) return;
    turnBy((event.clientX - last[0]) / 140, (event.clientY - last[1]) / 180);
    last = [event.clientX, event.clientY];
  });
  for (const end of ["pointerup", "pointercancel"] as const) stage.addEventListener(end, () => (last = null));
  stage.addEventListener("keydown", (event) => {
    const across = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const up = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if ((across === 0 && up === 0) || relief === null) return;
    event.preventDefault();
    const size = event.shiftKey ? 0.35 : 0.07;
    turnBy(across * size, up * size);
  });
  reset.addEventListener("click", () => turnBy(START.yaw - turn.yaw, START.pitch - turn.pitch));

  frame.picture(() => {
    // the picture of a WebGL canvas is gone after the frame: draw and read in one go
    render();
    const raster = relief === null ? null : { canvas, x: 0, y: 0, width, height };
    return standalone(drawing, "Surface of costs", raster);
  });
  frame.numbers(() => {
    const grid = costGrid(11, 11, app.domain.muMax, app.domain.nuMax);
    const values = mapValues("cost", grid, now.surfaces, now.k);
    return {
      columns: ["review \\ false alarm", ...Array.from(grid.mus, (mu) => general(mu, 3))],
      rows: Array.from(grid.nus, (nu, r) => [
        general(nu, 3),
        ...Array.from(grid.mus, (_, c) => amount(1000 * now.costs.fn * values[r * grid.mus.length + c])),
      ]),
    };
  });
  const panel: SurfacePanel = { element: frame.section, draw, move, start };
  return panel;
}
