/** Everything the panels show at one state; what a step does not need is never computed. */
import { answerOf, conditionWords, headlineSentences, limitSentences, madeFacts, whyNoAnswer, type Answer } from "./answer";
import { costAt, ratesOf, type Candidate } from "./comparison/candidates";
import { cheapest, cornerRules, overRanges, rivals, type Candidates, type ClassNames } from "./comparison/choice";
import { costOf, differenceOf, type Estimate } from "./comparison/estimates";
import { isMade, type Facts } from "./comparison/facts";
import { bracketed, money as moneyText, moneyStep } from "./comparison/numbers";
import { cornersOf, type Ends, type Problem } from "./comparison/problem";
import type { ModelData, ReportData } from "./data";
import type { Envelope, Hull, Curves } from "./math/envelope";
import { candidatesOf, searchesScores, type Prepared } from "./math/models";
import type { Surface, Window } from "./math/surface";
import { money, moneyBetween, normalForm, type Costs } from "./math/units";
import { general } from "./numbers";
import type { RuleLimits } from "./math/windowSearch";
import { limitsOf, objectiveOf, type PageState } from "./state";
import { cut } from "./view/dom";
import { amount } from "./view/format";
import type { Theme } from "./view/palette";

/** Labels that say less than "positive" and "negative". */
const NO_WORD = /^([-+.\d]*|true|false|yes|no|pos|neg)$/i;

/** What one model does at the costs of the page; costs per case in the reader's unit. */
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
  readonly problem: Problem;
  /** The words for the classes, whole. */
  readonly classes: ClassNames;
  /** The same, cut for charts. */
  readonly names: ClassNames;
  /** Whether limits or ranges chose the window, which may then cut inside a block. */
  readonly searched: boolean;
  private readonly outcomes: (Outcome | undefined)[];
  private rules: Candidates | null | undefined;
  private answered: Answer | null | undefined;
  private display: Shown | undefined;
  private corners: readonly Candidate[] | undefined;

  constructor(
    readonly data: ReportData,
    readonly state: PageState,
    readonly prepared: Prepared,
    readonly curves: Curves,
    readonly theme: Theme,
    /** Whether the hand rests: then there is time for intervals and the cost of the choice. */
    readonly rests = true,
  ) {
    const { costs, prevalence, ranges } = state;
    const limits = limitsOf(data, state);
    this.problem = { costs, prevalence, ranges, objective: objectiveOf(data, ranges), limits, byCase: data.amounts !== null };
    this.searched = limits !== null || ranges !== null;
    ({ mu: this.mu, nu: this.nu } = normalForm(costs));
    this.outcomes = new Array<Outcome | undefined>(data.models.length);
    this.classes = classWords(data, state);
    this.names = { positive: cut(this.classes.positive, 24), negative: cut(this.classes.negative, 24) };
  }

  get costs(): Costs {
    return this.problem.costs;
  }
  /** What every rule must keep; null without limits. */
  get limits(): RuleLimits | null {
    return this.problem.limits;
  }
  /** Whether the search was over all scores wherever that matters. */
  get exact(): boolean {
    return searchesScores(this.prepared) || (!this.searched && this.data.amounts === null);
  }

  /** All rules; null where the cases allow no honest cost. */
  get candidates(): Candidates | null {
    return (this.rules ??= candidatesOf(this.prepared, this.problem, this.rests));
  }

  /** The best rule, or that of the model the reader holds on to; null also where none keeps the limits. */
  get answer(): Answer | null {
    if (this.answered === undefined) {
      const { prepared, candidates, problem, classes: names, rests } = this;
      this.answered = candidates && answerOf(prepared, candidates, { problem, names, held: this.state.model, rests });
    }
    return this.answered;
  }

  /** The answer of the report where the page asks the same and its rule is none that charts can show. */
  get other(): Facts | null {
    const made = madeFacts(this.prepared, { problem: this.problem, held: this.state.model });
    return made?.method === undefined ? null : made;
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

  /** What the rule had to keep and was chosen for. */
  get condition(): string {
    return conditionWords(this.limits, this.problem.ranges, this.problem.objective);
  }

  /** The whole headline, sentence by sentence. */
  headline(costsGiven: boolean): string[] {
    const reason = whyNoAnswer(this.data, this.prepared);
    if (reason !== null) return [reason];
    if (this.other !== null) {
      const { decision = "", words = "", condition = "" } = this.data.comparison!.answer!;
      // what the rule is first, then examples of it
      const [rule, ...examples] = decision.split(/(?<=\.) (?=At )/);
      return [rule, ...examples, words.slice(decision.length + 1), condition].filter(Boolean);
    }
    const facts = this.answer?.facts;
    if (facts === undefined) return ["No rule keeps the limits: loosen one of them.", ...limitSentences(this.condition, this.exact)];
    // the answer of the report keeps limits that the page may not know
    const kept = this.isMade ? [this.data.comparison?.answer?.condition ?? ""].filter(Boolean) : limitSentences(this.condition, this.exact || isMade(facts));
    return [...headlineSentences(facts, this.costs, costsGiven), ...kept];
  }

  /** Whether this is the answer the report was made with. */
  get isMade(): boolean {
    const made = this.data.comparison?.answer?.facts;
    return made !== undefined && this.answer?.facts.versus === made.versus;
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
    const never = threshold === undefined ? null : this.estimate(threshold);
    if (best === undefined) return { window: null, honest: null, never, abstained: NaN };
    const shares = ratesOf(best.honest, this.prepared.prevalence);
    const honest = best === threshold ? never : this.estimate(best);
    return { window: best.window, honest, never, abstained: shares[2] + shares[5] };
  }

  private get inference() {
    const { inference } = this.candidates!;
    return this.rests ? inference : { ...inference, quantile: NaN };
  }

  /** Honest cost of a rule with its interval, which waits until the hand rests. */
  estimate(rule: Candidate): Estimate {
    return costOf(rule, this.problem, this.inference);
  }

  /** Honest difference of two rules per case, the same way. */
  difference(first: Candidate, second: Candidate): { difference: number; interval: Ends } {
    return differenceOf(first, second, this.problem, cornersOf(this.problem), this.inference);
  }

  /** The cheapest rule of one model; null where the cases allow no honest cost. */
  bestRule(k: number): Candidate | null {
    return this.candidates && cheapest(this.candidates.models[k], this.problem);
  }

  /** The largest cost of a rule over the ranges, and what it costs at most beyond rules chosen for the true costs. */
  overRanges(rule: Candidate): { worst: number; regret: number } {
    const { problem } = this;
    this.corners ??= cornerRules(this.candidates!);
    const floors = cornersOf(problem).map((corner, c) => costAt(this.corners![c], corner));
    return overRanges(rule, floors, problem);
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
  /** The same with a cut between any two scores, where the page holds the cases. */
  get fineSurface(): Surface {
    return this.prepared.models[this.k].fine;
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

  /** A cost per case on charts, where a miss costs 1, in the reader's unit. */
  money(cost: number): number {
    return money(cost, this.costs, this.prevalence);
  }

  /** The same as a rounded one per 1000 cases. */
  amount(cost: number): string {
    return amount(1000 * this.money(cost));
  }

  /** A difference of two such costs, the same way. */
  amountBetween(difference: number): string {
    return amount(1000 * moneyBetween(difference, this.costs));
  }

  /** A cost per case in the reader's unit as one per 1000 cases. */
  per1000(cost: number, step = moneyStep(0, 0, cost)): string {
    return moneyText(cost, step);
  }

  /** An honest cost with its interval, if there is one. */
  withInterval({ cost, interval }: Estimate): string {
    const step = moneyStep(interval[0], interval[1], cost);
    return `${this.per1000(cost, step)}${bracketed(interval, step)}`;
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
