/** Everything the panels show at one state; what a step does not need is never computed. */
import { answerOf, limitedSentences, headlineSentences, whyNoAnswer, type Answer } from "./answer";
import { cheapest, rivals, type Candidates, type ClassNames } from "./comparison/choice";
import type { Candidate } from "./comparison/candidates";
import { costOf, ratesOf, type Estimate } from "./comparison/estimates";
import { money as moneyText, moneyRange, moneyStep } from "./comparison/numbers";
import type { Curves } from "./curves";
import type { ModelData, ReportData } from "./data";
import type { Envelope } from "./math/envelope";
import type { Hull } from "./math/hull";
import { candidatesAt, type Prepared } from "./math/models";
import type { Surface, Window } from "./math/surface";
import { money, normalForm, type Costs } from "./math/units";
import { general } from "./numbers";
import { maxAbstention, type PageState } from "./state";
import { cut } from "./view/dom";
import type { Theme } from "./view/palette";

/** Labels that say less than "positive" and "negative". */
const NO_WORD = /^([-+.\d]*|true|false|yes|no|pos|neg)$/i;

/** What one model does at the costs of the page; costs per case, a miss costs 1. */
export interface Outcome {
  /** The window, and whether the limit on reviews narrows it. */
  window: Window;
  limited: boolean;
  /** Honest cost of the window; null where there is none, as under a limit. */
  honest: Estimate | null;
  /** Honest cost of the single threshold. */
  never: Estimate | null;
  /** Share of the cases sent to a person, honest where that exists. */
  abstained: number;
}

/** The rule the charts show: of the answer, of the model held on to, or under the limit. */
export interface Shown {
  k: number;
  window: Window;
  limited: boolean;
  /** Null where the limit decides or the cases allow no honest cost. */
  rule: Candidate | null;
}

export class Situation {
  readonly mu: number;
  readonly nu: number;
  readonly costs: Costs;
  /** The words for the classes, whole. */
  readonly classes: ClassNames;
  /** The same, cut for charts. */
  readonly names: ClassNames;
  private readonly outcomes: (Outcome | undefined)[];
  private rules: Candidates | null | undefined;
  private answered: Answer | null | undefined;
  private display: Shown | undefined;

  constructor(
    readonly data: ReportData,
    readonly state: PageState,
    readonly prepared: Prepared,
    readonly curves: Curves,
    readonly theme: Theme,
  ) {
    this.costs = state.costs;
    ({ mu: this.mu, nu: this.nu } = normalForm(state.costs));
    this.outcomes = new Array<Outcome | undefined>(data.models.length);
    this.classes = classWords(data, state);
    this.names = { positive: cut(this.classes.positive, 24), negative: cut(this.classes.negative, 24) };
  }

  /** All rules; null where the cases allow no honest cost. */
  get candidates(): Candidates | null {
    return (this.rules ??= candidatesAt(this.prepared, this.mu, this.nu));
  }

  /** The best rule, or that of the model the reader holds on to. */
  get answer(): Answer | null {
    if (this.answered === undefined) {
      const asked = { costs: this.costs, names: this.classes, held: this.state.model };
      const { data, prepared, candidates } = this;
      this.answered = candidates && answerOf(data, prepared, candidates, asked);
    }
    return this.answered;
  }

  get shown(): Shown {
    return (this.display ??= this.show());
  }

  private show(): Shown {
    const { mu, nu } = this;
    const most = maxAbstention(this.state);
    const rule = this.answer?.rule ?? null;
    const sent = rule === null ? null : rule.kind === "always abstain" ? 1 : (rule.window?.abstain ?? 0);
    const free = rule === null ? null : this.ruleOfModel(rule);
    if (free !== null && sent! <= most + 1e-12) {
      return { k: free.model!, window: free.window!, limited: false, rule: free };
    }
    const limited = this.prepared.models.map(({ surface, capacity }) =>
      most < 1 ? capacity.cheapest(mu, nu, most) : surface.window(mu, nu),
    );
    const costs = limited.map(({ cost }) => cost);
    const k = this.state.model ?? costs.indexOf(Math.min(...costs));
    return { k, window: limited[k], limited: most < 1, rule: null };
  }

  /** The rule itself, or the best one of a model where the answer needs none. */
  private ruleOfModel(rule: Candidate): Candidate | null {
    return rule.model === null ? (rivals(rule, this.candidates!).runner_up ?? null) : rule;
  }

  /** The whole headline, sentence by sentence. */
  headline(costsGiven: boolean): string[] {
    const reason = whyNoAnswer(this.data, this.prepared);
    if (reason !== null) return [reason];
    if (this.shown.limited) {
      const { k, window } = this.shown;
      return limitedSentences(this.data, k, window, this.state.capacity!, this.costs, this.classes);
    }
    return headlineSentences(this.answer!.facts, this.costs, costsGiven);
  }

  outcome(k: number): Outcome {
    return (this.outcomes[k] ??= this.judge(k));
  }

  private judge(k: number): Outcome {
    const { mu, nu } = this;
    const { surface, capacity } = this.prepared.models[k];
    const free = surface.window(mu, nu);
    const most = maxAbstention(this.state);
    const limited = free.abstain > most + 1e-12;
    const own = this.candidates?.models[k] ?? [];
    const [threshold, window] = [own[0], own[own.length - 1]];
    const never = threshold === undefined ? null : costOf(threshold, this.candidates!.question);
    if (limited) {
      const narrow = capacity.cheapest(mu, nu, most);
      return { window: narrow, limited, honest: null, never, abstained: narrow.abstain };
    }
    if (window === undefined) return { window: free, limited, honest: null, never, abstained: free.abstain };
    const shares = ratesOf(window.honest, this.prepared.prevalence);
    const honest = window === threshold ? never : costOf(window, this.candidates!.question);
    return { window: free, limited, honest, never, abstained: shares[2] + shares[5] };
  }

  /** The cheapest rule of one model; null where the cases allow no honest cost. */
  bestRule(k: number): Candidate | null {
    return this.candidates && cheapest(this.candidates.models[k], this.candidates.question);
  }

  /** Cost of the cheaper rule of a model, honest where that exists and no limit decides. */
  bestCost(k: number): number {
    const { limited, window, honest, never } = this.outcome(k);
    return limited || honest === null || never === null ? window.cost : Math.min(honest.cost, never.cost);
  }

  get k(): number {
    return this.shown.k;
  }
  get window(): Window {
    return this.shown.window;
  }
  get model(): ModelData {
    return this.data.models[this.k];
  }
  get modelName(): string {
    return cut(this.model.name);
  }
  get surface(): Surface {
    return this.prepared.models[this.k].surface;
  }
  get surfaces(): Surface[] {
    return this.prepared.models.map(({ surface }) => surface);
  }
  get prevalence(): number {
    return this.surface.prevalence;
  }
  get hull(): Hull | null {
    return this.curves.hulls[this.k];
  }
  get envelope(): Envelope | null {
    return this.curves.envelopes[this.k];
  }
  get level(): string {
    return `${general(100 * this.data.confidence_level)}\u00a0%`;
  }

  /** Last digit worth showing of a cost: two digits of the width of its interval. */
  step(cost: number, interval: readonly number[] = [0, 0]): number {
    const [low, high] = interval.map((end) => money(end, this.costs));
    return moneyStep(low, high, money(cost, this.costs));
  }

  /** A cost per case (a miss costs 1) as one per 1000 cases in the reader's unit. */
  per1000(cost: number, step = this.step(cost)): string {
    return moneyText(money(cost, this.costs), step);
  }

  /** An honest cost with its interval. */
  withInterval({ cost, interval }: Estimate): string {
    const step = this.step(cost, interval);
    const ends = interval.map((end) => money(end, this.costs));
    return `${this.per1000(cost, step)} (${moneyRange(ends, step)})`;
  }

  /** The cut of the chosen model whose threshold is nearest to a score. */
  nearestCut(score: number): number {
    const { upper } = this.surface;
    let best = 0;
    for (let c = 1; c < upper.length; c++) {
      if (Math.abs(upper[c] - score) < Math.abs(upper[best] - score)) best = c;
    }
    return best;
  }
}

/** The labels of the data where both are words; "1" or "true" says less than "positive". */
function classWords({ source }: ReportData, { positive, negative }: PageState): ClassNames {
  const dull = [source.positive, source.negative].some((label) => NO_WORD.test(label));
  return {
    positive: positive || (dull ? "positive" : source.positive),
    negative: negative || (dull ? "negative" : source.negative),
  };
}
