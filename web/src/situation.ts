/** Everything the panels show at one state; what a step does not need is never computed. */
import { answerOf, headlineSentences, limitSentences, whyNoAnswer, type Answer } from "./answer";
import { bestOf, rivals, type Candidates, type ClassNames } from "./comparison/choice";
import type { Candidate } from "./comparison/candidates";
import { costOf, ratesOf, type Estimate } from "./comparison/estimates";
import { isMade } from "./comparison/facts";
import { bracketed, money as moneyText, moneyStep } from "./comparison/numbers";
import type { Curves } from "./curves";
import type { ModelData, ReportData } from "./data";
import type { Envelope } from "./math/envelope";
import type { Hull } from "./math/hull";
import { middleOf, type Box } from "./math/box";
import { candidatesAt, candidatesOver, type Prepared } from "./math/models";
import type { Surface, Window } from "./math/surface";
import { money, moneyBetween, normalForm, type Costs } from "./math/units";
import { general } from "./numbers";
import type { RuleLimits } from "./math/windowSearch";
import { limitsOf, type PageState } from "./state";
import { cut } from "./view/dom";
import { amount } from "./view/format";
import type { Theme } from "./view/palette";

/** Labels that say less than "positive" and "negative". */
const NO_WORD = /^([-+.\d]*|true|false|yes|no|pos|neg)$/i;

/** What one model does at the costs of the page; costs per case, a miss costs 1. */
export interface Outcome {
  /** Null where the limits allow none. */
  window: Window | null;
  /** Honest cost of the window; null where there is none. */
  honest: Estimate | null;
  /** Honest cost of the single threshold; null where there is none. */
  never: Estimate | null;
  /** Share of the cases sent to a person, honest where that exists. */
  abstained: number;
}

/** The rule the charts show: of the answer, or of the model held on to. */
export interface Shown {
  k: number;
  window: Window;
  /** Null where the cases allow no honest cost, or no rule of a model keeps the limits. */
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
  /** What every rule must keep; null without limits. */
  readonly limits: RuleLimits | null;
  /** Ranges of the relative costs that rules are chosen for; null where they are numbers. */
  readonly box: Box | null;
  /** Whether limits or ranges chose the window, which may then cut inside a block. */
  readonly searched: boolean;
  /** What rules are chosen and judged with: under limits and for ranges every score is a block of its own. */
  readonly judgedBy: Prepared;
  /** Whether the search under limits was over all scores. */
  readonly exact: boolean;
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
    /** `prepared` with every score as a block; null where the page does not hold the cases. */
    readonly scores: () => Prepared | null = () => null,
  ) {
    this.limits = limitsOf(data, state);
    this.box = state.box;
    this.searched = this.limits !== null || this.box !== null;
    const fine = data.amounts === null && this.searched ? scores() : null;
    this.exact = prepared.exact && (!this.searched || data.amounts !== null || fine !== null);
    this.judgedBy = fine ?? prepared;
    this.costs = state.costs;
    ({ mu: this.mu, nu: this.nu } = state.box === null ? normalForm(state.costs) : middleOf(state.box));
    this.outcomes = new Array<Outcome | undefined>(data.models.length);
    this.classes = classWords(data, state);
    this.names = { positive: cut(this.classes.positive, 24), negative: cut(this.classes.negative, 24) };
  }

  /** All rules; null where the cases allow no honest cost. */
  get candidates(): Candidates | null {
    const { judgedBy, box, limits, prepared } = this;
    if (this.rules === undefined)
      this.rules = box === null ? candidatesAt(judgedBy, this.mu, this.nu, limits) : candidatesOver(judgedBy, box, limits, prepared);
    return this.rules;
  }

  /** The best rule, or that of the model the reader holds on to; null also where none keeps the limits. */
  get answer(): Answer | null {
    if (this.answered === undefined) {
      const asked = { costs: this.costs, names: this.classes, held: this.state.model, limits: this.limits, box: this.box, exact: this.exact };
      const { data, judgedBy, candidates } = this;
      this.answered = candidates && answerOf(data, judgedBy, candidates, asked);
    }
    return this.answered;
  }

  get shown(): Shown {
    return (this.display ??= this.show());
  }

  private show(): Shown {
    const rule = this.answer && this.ruleOfModel(this.answer.rule);
    if (rule?.model != null && rule.window !== null) return { k: rule.model, window: rule.window, rule };
    const windows = this.prepared.models.map(({ surface }) => surface.window(this.mu, this.nu));
    const costs = windows.map(({ cost }) => cost);
    const k = this.state.model ?? costs.indexOf(Math.min(...costs));
    return { k, window: windows[k], rule: null };
  }

  /** The rule itself, or the best one of a model where the answer needs none. */
  private ruleOfModel(rule: Candidate): Candidate | null {
    return rule.model === null ? (rivals(rule, this.candidates!).runner_up ?? null) : rule;
  }

  /** The whole headline, sentence by sentence. */
  headline(costsGiven: boolean): string[] {
    const reason = whyNoAnswer(this.data, this.prepared);
    if (reason !== null) return [reason];
    const facts = this.answer?.facts;
    if (facts === undefined) return ["No rule keeps the limits: loosen one of them.", ...limitSentences(this.limits, this.box, this.exact)];
    // the answer of the report keeps limits that the page may not know
    const condition = this.data.comparison?.answer?.condition ?? "";
    const kept = isMade(facts) ? (condition === "" ? [] : [condition]) : limitSentences(this.limits, this.box, this.exact);
    return [...headlineSentences(facts, this.costs, costsGiven), ...kept];
  }

  outcome(k: number): Outcome {
    return (this.outcomes[k] ??= this.judge(k));
  }

  private judge(k: number): Outcome {
    const { mu, nu, candidates } = this;
    if (candidates === null) {
      const window = this.prepared.models[k].surface.window(mu, nu);
      return { window, honest: null, never: null, abstained: window.abstain };
    }
    const own = candidates.models[k];
    const threshold = own.find(({ kind }) => kind === "threshold");
    // where a review has no price the threshold is all there is
    const best = own.find(({ kind }) => kind === "window") ?? threshold;
    const never = threshold === undefined ? null : costOf(threshold, candidates.question);
    if (best === undefined) return { window: null, honest: null, never, abstained: NaN };
    const shares = ratesOf(best.honest, this.prepared.prevalence);
    const honest = best === threshold ? never : costOf(best, candidates.question);
    return { window: best.window, honest, never, abstained: shares[2] + shares[5] };
  }

  /** The cheapest rule of one model; null where the cases allow no honest cost. */
  bestRule(k: number): Candidate | null {
    return this.candidates && bestOf(this.candidates.models[k], this.candidates.question, this.candidates.range);
  }

  /** Cost of the cheaper rule of a model, honest where that exists; NaN where none keeps the limits. */
  bestCost(k: number): number {
    const { window, honest, never } = this.outcome(k);
    if (honest === null && never === null) return window?.cost ?? NaN;
    return Math.min(honest?.cost ?? Infinity, never?.cost ?? Infinity);
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
  /** The same with a cut between any two scores; null where the page does not hold the cases. */
  get fineSurface(): Surface | null {
    return this.curves.fine(this.k, this.prepared);
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
    const [low, high] = interval.map((end) => this.money(end));
    return moneyStep(low, high, this.money(cost));
  }

  /** A cost per case (a miss costs 1) in the reader's unit. */
  money(cost: number): number {
    return money(cost, this.costs, this.prevalence);
  }

  /** A cost per case as a rounded one per 1000 cases, for charts. */
  amount(cost: number): string {
    return amount(1000 * this.money(cost));
  }

  /** A difference of two costs per case, the same way. */
  amountBetween(difference: number): string {
    return amount(1000 * moneyBetween(difference, this.costs));
  }

  /** A cost per case (a miss costs 1) as one per 1000 cases in the reader's unit. */
  per1000(cost: number, step = this.step(cost)): string {
    return moneyText(this.money(cost), step);
  }

  /** An honest cost with its interval, if there is one. */
  withInterval({ cost, interval }: Estimate): string {
    const step = this.step(cost, interval);
    const ends = interval.map((end) => this.money(end));
    return `${this.per1000(cost, step)}${bracketed(ends, step)}`;
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
