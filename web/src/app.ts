/** The one place where the state changes: panels ask for changes here and are drawn from here. */
import type { CommonState, Kind, View } from "./kind";
import { Past } from "./past";
import { SAVED } from "./savedPage";
import type { Theme } from "./view/palette";
import type { Panel } from "./view/panel";
import { onPaper } from "./view/paper";
import { chooseTheme, currentTheme } from "./view/theme";

/** Wait before the address follows the state. */
const SETTLE = 250;

type Work = "move" | "draw";

export class App<
  S extends CommonState = CommonState,
  A extends object = object,
  K extends Kind<S, A> = Kind<S, A>,
> {
  readonly start: S;
  /** What was chosen before, for undo and redo. */
  readonly past: Past<S>;
  private state: S;
  private now: { state: S; theme: Theme; rests: boolean; at: A; view: View | null } | null = null;
  /** Whether some time has passed since the last change. */
  private rests = true;
  /** What panels out of sight have missed. */
  private readonly panels: { panel: Panel<A>; missed: Work | null }[] = [];
  private pending: Work | null = null;
  /** What the panels show, while changes wait for the next frame, and what has changed. */
  private left: { at: A; parts: Set<string> } | null = null;
  private settling = 0;

  constructor(readonly kind: K) {
    this.start = kind.start;
    // a page that was saved with its costs starts with them
    const saved = document.querySelector<HTMLMetaElement>(`meta[name="${SAVED}"]`)?.content ?? "";
    this.state = kind.read(location.hash.length > 1 ? location.hash : saved);
    this.past = new Past(this.state, (state) => kind.write(state));
    chooseTheme(this.state.theme);
    kind.moves(this.at(), this.at(), []);
    addEventListener("hashchange", () => this.change(kind.read(location.hash.length > 1 ? location.hash : saved)));
  }

  get current(): S {
    return this.state;
  }

  /** What the page shows now; computed once for each state. */
  at(): A {
    return this.known().at;
  }

  /** The same as every kind of page says it. */
  view(): View {
    const known = this.known();
    return (known.view ??= this.kind.view(known.at));
  }

  private known() {
    const { state, rests } = this;
    const theme = currentTheme();
    if (this.now?.state !== state || this.now.theme !== theme || this.now.rests !== rests)
      this.now = { state, theme, rests, at: this.kind.at(state, theme, rests), view: null };
    return this.now;
  }

  /** Put a panel on the page and draw it. */
  add(panel: Panel<A>, parent: HTMLElement): void {
    parent.append(panel.element);
    this.adopt(panel);
  }

  /** Draw a panel that is on the page already whenever something changes and it can be seen. */
  adopt(panel: Panel<A>): void {
    this.panels.push({ panel, missed: "draw" });
    this.look();
  }

  redraw(panel: Panel<A>): void {
    if (!inSight(panel)) return;
    panel.draw(this.at());
    panel.move?.(this.at());
  }

  /** Draw what came into sight; panels in a closed section or behind a tab have waited for this. */
  look(): void {
    for (const entry of this.panels) {
      const { panel, missed } = entry;
      if (missed === null || !inSight(panel)) continue;
      entry.missed = null;
      if (missed === "draw") panel.draw(this.at());
      panel.move?.(this.at());
    }
  }

  /** Change the state; the page follows in the next frame, once however many changes there are. */
  change(part: Partial<S>): void {
    this.left ??= { at: this.at(), parts: new Set() };
    for (const key of Object.keys(part)) this.left.parts.add(key);
    this.state = this.kind.changed(this.state, part);
    this.rests = false;
    chooseTheme(this.state.theme);
    this.schedule("move");
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => this.remember(), SETTLE);
  }

  /** Go back to what was chosen before, or forward again; false if there is nothing. */
  travel(way: "undo" | "redo"): boolean {
    this.past.rest(this.state);
    const state = this.past[way]();
    if (state !== null) this.change(state);
    return state !== null;
  }

  /** Draw everything again, as after a change of colours. */
  drawAll(): void {
    this.schedule("draw");
  }

  /** The same without waiting for a frame. */
  drawNow(): void {
    this.pending = "draw";
    this.run();
  }

  private schedule(work: Work): void {
    if (this.pending === null) requestAnimationFrame(() => this.run());
    if (this.pending !== "draw") this.pending = work;
  }

  private run(): void {
    const start = performance.now();
    if (this.pending === null) return;
    const { left } = this;
    // looked at even if everything is drawn anyway: the view follows the costs
    const moved = left === null || this.kind.moves(left.at, this.at(), [...left.parts]);
    const work = moved ? this.pending : "draw";
    this.pending = this.left = null;
    for (const entry of this.panels) if (entry.missed !== "draw") entry.missed = work;
    this.look();
    document.documentElement.dataset["rests"] = String(this.rests);
    performance.measure(work === "draw" ? "demur-draw" : "demur-drag", { start, end: performance.now() });
  }

  /** The state as the part of an address after "#"; empty where the page starts. */
  get fragment(): string {
    return this.kind.write(this.state);
  }

  private remember(): void {
    this.rests = true;
    this.schedule("move");
    this.past.rest(this.state);
    const { fragment } = this;
    if (fragment === location.hash.slice(1)) return;
    try {
      history.replaceState(null, "", fragment === "" ? location.pathname + location.search : `#${fragment}`);
    } catch {
      // a sandboxed frame may not write its address; the page works without
      return;
    }
  }
}

function inSight({ element }: Panel<never>): boolean {
  return onPaper() || element.closest("[hidden], details:not([open])") === null;
}
