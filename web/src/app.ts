/** The one place where the state changes: panels ask for changes here and are drawn from here. */
import { Curves } from "./curves";
import type { ModelData, ReportData } from "./data";
import { Domain } from "./domain";
import { prepare, prepareScores, type Prepared } from "./math/models";
import { scoreLevel, type ScoreLevel } from "./math/scoreLevel";
import { boxAround } from "./math/box";
import { normalForm, sameSurcharge, surchargeOf } from "./math/units";
import { Situation } from "./situation";
import { SAVED } from "./savedPage";
import { initialState, readFragment, withBox, writeFragment, type PageState } from "./state";
import { Hover } from "./view/hover";
import type { Panel } from "./view/panel";
import { onPaper } from "./view/paper";
import { chooseTheme, currentTheme } from "./view/theme";
import { Past } from "./past";

/** Wait before the address follows the state. */
const SETTLE = 250;

export class App {
  readonly hover = new Hover();
  readonly domain: Domain;
  readonly start: PageState;
  /** What was chosen before, for undo and redo. */
  readonly past: Past;
  private state: PageState;
  private prepared: Prepared;
  /** Made when a limit first asks for it. */
  private scores: ScoreLevel | null | undefined;
  private preparedScores: Prepared | null = null;
  private now: Situation | null = null;
  private readonly curves: Curves;
  private readonly panels: Panel[] = [];
  private pending: "move" | "draw" | null = null;
  private settling = 0;

  constructor(readonly data: ReportData) {
    this.domain = new Domain(data.amounts !== null);
    this.start = { ...initialState(data), compare: firstPair(data) };
    this.state = this.read();
    this.past = new Past(this.state, (state) => writeFragment(state, this.start));
    this.obey();
    this.prepared = prepare(data, this.state.prevalence, surchargeOf(this.state.costs));
    this.curves = new Curves(data);
    this.follow();
    addEventListener("hashchange", () => this.change(this.read()));
  }

  /** The state of the address; without a pair in it, the two best models are compared. */
  private read(): PageState {
    // a page that was saved with its costs starts with them
    const saved = document.querySelector<HTMLMetaElement>(`meta[name="${SAVED}"]`)?.content ?? "";
    const fragment = location.hash.length > 1 ? location.hash : `#${saved}`;
    const found = readFragment(fragment, this.data);
    return /[#&]compare=/.test(fragment) ? found : { ...found, compare: this.start.compare };
  }

  get current(): PageState {
    return this.state;
  }

  /** What the page shows now; computed once for each state. */
  situation(): Situation {
    const { now, state, prepared } = this;
    const theme = currentTheme();
    if (now?.state !== state || now.prepared !== prepared || now.theme !== theme)
      this.now = new Situation(this.data, state, prepared, this.curves, theme, () => this.byScore());
    return this.now!;
  }

  /** Every score as a block of its own, at the prevalence of the state; null without the cases. */
  private byScore(): Prepared | null {
    this.scores ??= scoreLevel(this.data);
    if (this.scores && !this.fits(this.preparedScores))
      this.preparedScores = prepareScores(this.scores, this.state.prevalence, surchargeOf(this.state.costs));
    return this.preparedScores;
  }

  /** Whether something was prepared for the prevalence and the reviewer of the state. */
  private fits(prepared: Prepared | null): boolean {
    const { prevalence, costs } = this.state;
    return prepared?.prevalence === prevalence && sameSurcharge(prepared.extra, surchargeOf(costs));
  }

  /** Put a panel on the page and draw it. */
  add(panel: Panel, parent: HTMLElement): void {
    parent.append(panel.element);
    this.adopt(panel);
  }

  /** Draw a panel that is on the page already, now and whenever something changes. */
  adopt(panel: Panel): void {
    this.panels.push(panel);
    this.redraw(panel);
  }

  redraw(panel: Panel): void {
    const at = this.situation();
    panel.draw(at);
    panel.move(at);
  }

  /** Change the state; the page follows in the next frame, once however many changes there are. */
  change(part: Partial<PageState>): void {
    const before = this.situation().k;
    const { prepared } = this;
    this.state = changed(this.state, part);
    this.obey();
    if (!this.fits(this.prepared))
      this.prepared = prepare(this.data, this.state.prevalence, surchargeOf(this.state.costs));
    const stands = !this.follow() && this.prepared === prepared;
    const moved =
      stands && this.state.box === null && Object.keys(part).every((key) => key === "costs") && this.situation().k === before;
    this.schedule(moved ? "move" : "draw");
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => this.remember(), SETTLE);
  }

  /** Colours and zoom are as the state says. */
  private obey(): void {
    chooseTheme(this.state.theme);
    this.domain.zoomed = this.state.zoomed;
  }

  /** Go back to what was chosen before, or forward again; false if there is nothing. */
  travel(way: "undo" | "redo"): boolean {
    this.past.rest(this.state);
    const state = this.past[way]();
    if (state !== null) this.change(state);
    return state !== null;
  }

  /** Keep what the page shows to compare with it. */
  pin(): void {
    this.change({ pinned: writeFragment({ ...this.state, pinned: "" }, this.start) || "start" });
  }

  /** What was pinned; null if nothing was. */
  pinned(): Situation | null {
    const { pinned, theme, unit, positive, negative } = this.state;
    if (pinned === "") return null;
    const found = { ...readFragment(pinned, this.data), pinned: "", theme, unit, positive, negative };
    const extra = surchargeOf(found.costs);
    const prepared = prepare(this.data, found.prevalence, extra);
    return new Situation(this.data, found, prepared, this.curves, currentTheme(), () =>
      prepareScores(scoreLevel(this.data), found.prevalence, extra),
    );
  }

  /** Show what was pinned, and pin what was shown. */
  swapPinned(): void {
    const pinned = writeFragment({ ...this.state, pinned: "" }, this.start) || "start";
    // one step of its own, however soon after the last
    this.past.rest(this.state);
    this.change({ ...readFragment(this.state.pinned, this.data), compare: this.state.compare, theme: this.state.theme, pinned });
  }

  /** Keep the cost point in view; true if the view changed. */
  follow(): boolean {
    const { mu, nu } = this.situation();
    return this.domain.follow(mu, nu);
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

  private schedule(what: "move" | "draw"): void {
    if (this.pending === null) requestAnimationFrame(() => this.run());
    if (this.pending !== "draw") this.pending = what;
  }

  private run(): void {
    const began = performance.now();
    const what = this.pending;
    if (what === null) return;
    this.pending = null;
    const at = this.situation();
    for (const panel of this.panels) {
      // what waits behind a tab is drawn when it is looked at
      if (!onPaper() && panel.element.parentElement?.hidden === true) continue;
      if (what === "draw") panel.draw(at);
      panel.move(at);
    }
    performance.measure(what === "draw" ? "demur-draw" : "demur-drag", {
      start: began,
      end: performance.now(),
    });
  }

  /** The state as the part of an address after "#"; empty where the page starts. */
  get fragment(): string {
    return writeFragment(this.state, this.start);
  }

  private remember(): void {
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

/** A box drawn anew takes the cost point to its middle; a point that moves takes its box along. */
function changed(state: PageState, part: Partial<PageState>): PageState {
  const next = { ...state, ...part };
  if ("box" in part) return withBox(next);
  if (state.box === null || part.costs === undefined) return next;
  return { ...next, box: boxAround(state.box, normalForm(part.costs), state.costs, part.costs) };
}

/** The two models of the smallest mean cost. */
function firstPair({ models }: ReportData): [number, number] | null {
  const order = models
    .map((_, k) => k)
    .sort((a, b) => meanCost(models[a]) - meanCost(models[b]));
  return order.length > 1 ? [order[0], order[1]] : null;
}

/** Mean cost over all prices, honest where that exists. */
function meanCost({ volume }: ModelData): number {
  return volume.honest ?? volume.hindsight;
}
