/** The one place where the state of the page of many classes changes; panels are drawn from here. */
import { currentTheme } from "../view/theme";
import { SAVED } from "../savedPage";
import type { Theme } from "../view/palette";
import { Answers, type ClassAnswer, type Rule } from "./answer";
import type { ClassReportData } from "./data";
import type { Prices } from "./estimates";
import { readState, samePrices, startOf, writeState, type ClassState } from "./state";
import { classSentences } from "./words";

const SETTLE = 250;

export interface ClassPanel {
  readonly element: HTMLElement;
  draw(at: View): void;
}

/** Everything on show. */
export interface View {
  data: ClassReportData;
  answers: Answers;
  prices: Prices;
  answer: ClassAnswer;
  rules: Rule[];
  /** Whether this is the answer the report was made with, at its costs. */
  own: boolean;
  held: string | null;
  sentences: string[];
  theme: Theme;
}

export const keyOf = ({ model, kind, aim }: Rule): string => `${model ?? ""}:${kind}${aim > 0 ? `:${aim}` : ""}`;

export class ClassApp {
  readonly answers: Answers;
  readonly start: ClassState;
  private state: ClassState;
  private now: View | null = null;
  private readonly panels: ClassPanel[] = [];
  private pending = false;
  private settling = 0;

  constructor(readonly data: ClassReportData) {
    this.answers = new Answers(data);
    this.start = startOf(data);
    const saved = document.querySelector<HTMLMetaElement>(`meta[name="${SAVED}"]`)?.content ?? "";
    this.state = readState(location.hash.length > 1 ? location.hash : saved, data);
    addEventListener("hashchange", () => this.change(readState(location.hash, data)));
  }

  get prices(): Prices {
    return this.state.prices;
  }

  view(): View {
    const theme = currentTheme();
    if (this.now !== null && this.now.theme === theme) return this.now;
    const { data, answers, state } = this;
    const { prices, held } = state;
    const own = held === null && samePrices(prices, this.start.prices);
    const answer = own ? answers.made(prices) : answers.answer(prices, held === null ? null : (rule) => keyOf(rule) === held);
    const { decision } = data.comparison.answer;
    const sentences = own ? [decision, data.headline.slice(decision.length + 1)] : classSentences(data, answer);
    this.now = { data, answers, prices, answer, rules: answers.rules(prices), own, held, sentences, theme };
    return this.now;
  }

  add(panel: ClassPanel, parent: HTMLElement): void {
    parent.append(panel.element);
    this.panels.push(panel);
    panel.draw(this.view());
  }

  /** Call `changed` after every drawing. */
  follow(changed: () => void): void {
    this.panels.push({ element: document.documentElement, draw: changed });
  }

  change(part: Partial<ClassState>): void {
    this.state = { ...this.state, ...part };
    this.drawAll();
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => this.remember(), SETTLE);
  }

  drawAll(): void {
    this.now = null;
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.drawNow();
    });
  }

  /** Draw everything at once: a printer does not wait for a frame. */
  drawNow(): void {
    const began = performance.now();
    this.now = null;
    const at = this.view();
    for (const panel of this.panels) panel.draw(at);
    performance.measure("demur-draw", { start: began, end: performance.now() });
  }

  /** The state as an address has it. */
  get fragment(): string {
    return writeState(this.state, this.start);
  }

  private remember(): void {
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
