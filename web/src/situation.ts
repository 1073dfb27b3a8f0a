/** Everything the panels show at one state; what a step does not need is never computed. */
import type { Curves } from "./curves";
import type { ModelData, ReportData } from "./data";
import type { Envelope } from "./math/envelope";
import type { Hull } from "./math/hull";
import { certifiedCost } from "./math/certificate";
import type { HonestPoint } from "./math/honest";
import { cheapestModel, type Prepared, type PreparedModel } from "./math/models";
import type { Surface, Window } from "./math/surface";
import type { Trivial } from "./math/trivial";
import { money, normalForm, type Costs } from "./math/units";
import { general, perThousand, stepOf } from "./numbers";
import { maxAbstention, type PageState } from "./state";
import { cut } from "./view/dom";
import type { Theme } from "./view/palette";

/** What one model does at the costs of the page. */
export interface Outcome {
  window: Window;
  /** Whether the limit on reviews makes the window narrower than it would be. */
  limited: boolean;
  /** Honest cost and interval; null where there is none, as for a limited window. */
  honest: HonestPoint | null;
  /** Expected cost per case (a miss costs 1), honest where that exists. */
  cost: number;
  /** What the true cost stays below; null where there is no certificate. */
  certified: number | null;
}

export class Situation {
  readonly mu: number;
  readonly nu: number;
  readonly costs: Costs;
  readonly k: number;
  readonly names: { positive: string; negative: string };
  private readonly outcomes: (Outcome | undefined)[];

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
    this.k = state.model ?? this.cheapest();
    this.names = {
      positive: cut(state.positive || classWord(data.source.positive, "positive"), 24),
      negative: cut(state.negative || classWord(data.source.negative, "negative"), 24),
    };
  }

  /** Index of the cheapest model, under the limit on reviews if there is one. */
  cheapest(): number {
    if (this.state.capacity === null) return cheapestModel(this.prepared.models, this.mu, this.nu);
    const costs = this.data.models.map((_, k) => this.outcome(k).window.cost);
    return costs.indexOf(Math.min(...costs));
  }

  outcome(k: number): Outcome {
    return (this.outcomes[k] ??= this.judge(this.prepared.models[k]));
  }

  private judge({ surface, honest, margins, capacity }: PreparedModel): Outcome {
    const { mu, nu } = this;
    const free = surface.window(mu, nu);
    const limit = maxAbstention(this.state);
    const limited = free.abstain > limit + 1e-12;
    const window = limited ? capacity.cheapest(mu, nu, limit) : free;
    const judged = limited || honest === null ? null : honest.at(mu, nu);
    return {
      window,
      limited,
      honest: judged,
      cost: judged?.cost ?? window.cost,
      certified: margins === null ? null : certifiedCost(window, mu, nu, margins),
    };
  }

  get here(): Outcome {
    return this.outcome(this.k);
  }
  get window(): Window {
    return this.here.window;
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
  get trivial(): Trivial {
    return this.prepared.trivial.at(this.mu, this.nu);
  }
  get level(): string {
    return `${general(100 * this.data.confidence_level)}\u00a0%`;
  }

  /** Last digit worth showing of a cost: two digits of the width of its interval. */
  step(outcome: Outcome): number {
    const { honest, cost } = outcome;
    return stepOf(money(honest === null ? cost : honest.high - honest.low, this.costs));
  }

  /** A cost per case (a miss costs 1) as one per 1000 cases in the reader's unit. */
  per1000(cost: number, step: number): string {
    return perThousand(money(cost, this.costs), step);
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

/** The label of the data where it is a word; "1" or "true" says less than "positive". */
function classWord(label: string, otherwise: string): string {
  return /^[-+.\d]*$|^(true|false|yes|no|pos|neg)$/i.test(label) ? otherwise : label;
}
