/** The cheapest of the rules on the page at any prices: demur.report.class_page in the browser. */
import type { Facts } from "../comparison/facts";
import { KINDS, readRows, type ClassReportData, type RuleData, type Rows } from "./data";
import {
  beyond,
  costOf,
  paid,
  priceTable,
  relativeTable,
  sharesOf,
  type ClassEstimate,
  type Prices,
  type Setting,
  type Tables,
} from "./estimates";

const TIE = 1e-12;
const UNKNOWN = [NaN, NaN];

/** One rule with its decisions; `model` is null for a rule without one. */
export interface Rule extends Tables {
  abstains: boolean;
  model: number | null;
  kind: string;
  aim: number;
  weights: number[] | null;
  abstainWeight: number | null;
  columnCosts: number[][] | null;
  order: number[];
}

export interface ClassAnswer extends ClassEstimate {
  rule: Rule;
  confusion: number[][];
  confusionCost: number[][];
  /** Shares of all cases by what the rule as written does with them. */
  called: number[];
  sent: number;
  /** Honest share sent to a person, and of wrong answers. */
  abstained: number;
  wrong: number;
  dearest: { true: number; answer: number; share: number } | null;
  versus: Facts["versus"];
  /** Multiple of the price of a review for which the rules were chosen. */
  factor: number;
  /** What a policy promises: the measured cost and its upper end, or what Python expects after the choice. */
  promise: { cost: number; limit: number };
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function abstainingKind(kind: string): boolean {
  return kind.includes("abstain") || kind.startsWith("cautious");
}

export class Answers {
  readonly setting: Setting;
  private readonly trivial: Rule[];
  /** Rules of every level, those that reviews do not change among them. */
  private readonly levels: Rule[][];
  private readonly rows: Rows | null;

  constructor(readonly data: ClassReportData) {
    // with importance weights no interval follows from sums of cases
    const quantile = data.comparison.weights === "importance" ? null : data.quantile;
    this.setting = { shares: data.shares, quantile: quantile ?? NaN, units: data.units, repeats: data.repeats };
    this.rows = readRows(data);
    this.trivial = data.trivial.map((kind, code) => this.always(kind, kind === "always abstain" ? data.classes.length : code));
    const [own, ...others] = data.levels.map(({ rules }) => rules.map((rule) => this.read(rule)));
    const fixed = own.filter(({ aim, kind }) => aim === 0 && !abstainingKind(kind));
    this.levels = [own, ...others.map((rules) => [...fixed, ...rules])];
  }

  get byCase(): boolean {
    return this.rows !== null;
  }

  private always(kind: string, answer: number): Rule {
    const { judged_sizes: sizes } = this.data;
    const table = sizes.map((cases) => Array.from({ length: sizes.length + 1 }, (_, j) => (j === answer ? cases : 0)));
    return {
      model: null,
      kind,
      aim: 0,
      weights: null,
      abstainWeight: null,
      columnCosts: null,
      honest: table,
      hindsight: table,
      products: null,
      abstains: answer === sizes.length,
      order: [0, answer],
    };
  }

  private read(rule: RuleData): Rule {
    const { classes, repeats } = this.data;
    const m = classes.length;
    const table = (counts: number[], splits: number): number[][] =>
      classes.map((_, k) => counts.slice(k * (m + 1), (k + 1) * (m + 1)).map((cases) => cases / splits));
    const honest = table(rule.honest, repeats);
    return {
      model: rule.model,
      kind: rule.kind,
      aim: rule.aim,
      weights: rule.weights,
      abstainWeight: rule.abstain_weight,
      columnCosts: rule.column_costs,
      honest,
      hindsight: rule.hindsight === null ? honest : table(rule.hindsight, 1),
      products: rule.products,
      abstains: rule.abstain_weight !== null && rule.abstain_weight > 0,
      order: [1 + KINDS.indexOf(rule.kind as (typeof KINDS)[number]), rule.aim, rule.model],
    };
  }

  /** Shares of the classes in use. */
  get shares(): number[] {
    const { shares, judged_sizes: sizes } = this.data;
    const all = sum(sizes);
    return shares ?? sizes.map((cases) => cases / all);
  }

  /** Mean price of a review in units of the mean cost of a wrong answer. */
  private ratio(prices: Prices): number {
    if (prices.abstain === null) return NaN;
    const relative = relativeTable(prices);
    const m = prices.costs.length;
    const wrong = sum(this.shares.map((share, k) => share * sum(relative[k].slice(0, m)))) / (m - 1);
    return wrong > 0 ? sum(this.shares.map((share, k) => share * relative[k][m])) / wrong : NaN;
  }

  /** The level whose multiple is nearest on a logarithmic scale. */
  level(prices: Prices): number {
    const { levels, costs, abstain_costs } = this.data;
    if (levels.length === 1) return 0;
    const ratio = this.ratio(prices) / this.ratio({ costs, abstain: abstain_costs });
    if (Number.isNaN(ratio)) return 0;
    const factors = levels.map(({ factor }) => factor);
    const distances = ratio <= 0 ? factors : factors.map((factor) => Math.abs(Math.log(ratio / factor)));
    return distances.indexOf(Math.min(...distances));
  }

  /** All rules to choose from at these prices, simplest first. */
  rules(prices: Prices, level = this.level(prices)): Rule[] {
    const may = prices.abstain !== null;
    const found = this.levels[level]
      .filter(({ kind }) => may || !abstainingKind(kind))
      .filter(({ kind, aim }) => !(this.rows !== null && aim > 0 && kind.startsWith("expected cost")))
      .map((rule) => (rule.kind.startsWith("expected cost") ? this.atPrices(rule, prices) : rule));
    const trivial = this.trivial.filter(({ abstains }) => may || !abstains);
    return [...trivial, ...found].sort((a, b) => compare(a.order, b.order));
  }

  /** The rule of expected costs for these prices. */
  private atPrices(rule: Rule, prices: Prices): Rule {
    if (this.rows === null || rule.model === null) return rule;
    const abstain = abstainingKind(rule.kind);
    const table = abstain ? priceTable(prices) : prices.costs;
    const columnCosts = table.map((row) => row.map((cost) => cost - Math.min(...row)));
    const counts = this.count(this.rows, this.rows.proba[rule.model], columnCosts);
    return { ...rule, columnCosts, honest: counts, hindsight: counts, products: null };
  }

  private count({ codes, sizes }: Rows, proba: Float64Array, costs: number[][]): number[][] {
    const m = costs.length;
    const answers = costs[0].length;
    const table = costs.map(() => new Array<number>(m + 1).fill(0));
    for (let row = 0; row < codes.length; row++) {
      let best = Infinity;
      let chosen = 0;
      for (let answer = 0; answer < answers; answer++) {
        let loss = 0;
        for (let k = 0; k < m; k++) if (costs[k][answer] !== 0) loss += costs[k][answer] * proba[row * m + k];
        if (loss < best) [best, chosen] = [loss, answer];
      }
      table[codes[row]][chosen] += sizes === null ? 1 : sizes[row];
    }
    return table;
  }

  cost(rule: Rule, prices: Prices): number {
    return paid(sharesOf(rule.honest, this.setting.shares), priceTable(prices));
  }

  /** Shares of all cases by true class and answer. */
  confusion(rule: Rule): number[][] {
    return sharesOf(rule.honest, this.setting.shares);
  }

  estimate(rule: Rule, prices: Prices): ClassEstimate {
    return costOf(rule, prices, this.setting);
  }

  /** The cheapest of some rules, the simplest of ties. */
  private best(rules: Rule[], prices: Prices): Rule | null {
    if (rules.length === 0) return null;
    const costs = rules.map((rule) => this.cost(rule, prices));
    const least = Math.min(...costs);
    return rules[costs.findIndex((cost) => cost <= least + TIE * Math.abs(least))];
  }

  /** The answer, or what surrounds a rule the reader holds on to. */
  answer(prices: Prices, held: ((rule: Rule) => boolean) | null = null, level = this.level(prices)): ClassAnswer {
    const rules = this.rules(prices, level);
    const rule = (held === null ? undefined : rules.find(held)) ?? this.best(rules, prices)!;
    const estimate = this.estimate(rule, prices);
    const confusion = sharesOf(rule.honest, this.setting.shares);
    const m = confusion.length;
    const table = priceTable(prices);
    const abstained = sum(confusion.map((row) => row[m]));
    const written = sharesOf(rule.hindsight, this.setting.shares);
    const called = written[0].map((_, j) => sum(written.map((row) => row[j])));
    const right = sum(confusion.map((row, k) => row[k]));
    return {
      ...estimate,
      rule,
      confusion,
      confusionCost: confusion.map((row, k) => row.map((share, j) => share * table[k][j])),
      called: called.slice(0, m),
      sent: called[m],
      abstained,
      wrong: sum(confusion.map((row) => sum(row.slice(0, m)))) - right,
      dearest: dearest(confusion, relativeTable(prices), estimate.cost),
      versus: this.versus(rule, rules, prices, estimate.cost),
      factor: this.data.levels[level].factor,
      promise: { cost: estimate.cost, limit: estimate.interval[1] },
    };
  }

  /** The answer the report was made with: its rule, and what Python expects it to cost. */
  made(prices: Prices): ClassAnswer {
    const { kind, model, rule, cost, interval } = this.data.comparison.answer;
    const same = (one: Rule): boolean =>
      one.kind === kind &&
      (one.model === null ? null : this.data.models[one.model].name) === model &&
      JSON.stringify(one.weights) === JSON.stringify(rule?.weights ?? null);
    return { ...this.answer(prices, same), promise: { cost, limit: interval[1] } };
  }

  private versus(rule: Rule, rules: Rule[], prices: Prices, cost: number): ClassAnswer["versus"] {
    const versus: ClassAnswer["versus"] = {};
    const trivial = this.best(rules.filter((one) => one.model === null && one !== rule), prices);
    if (trivial !== null)
      versus.trivial = {
        name: trivial.kind,
        difference: cost - this.cost(trivial, prices),
        interval: rule.model === null ? UNKNOWN : beyond(rule, trivial.order[1], prices, this.setting),
      };
    const other = this.best(rules.filter((one) => one.model !== null && one.model !== rule.model), prices);
    if (other?.model != null)
      versus.runner_up = {
        name: this.data.models[other.model].name,
        difference: cost - this.cost(other, prices),
        interval: UNKNOWN,
      };
    return versus;
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let k = 0; k < Math.min(a.length, b.length); k++) if (a[k] !== b[k]) return a[k] - b[k];
  return a.length - b.length;
}

function dearest(confusion: number[][], losses: number[][], cost: number): ClassAnswer["dearest"] {
  let [most, place]: [number, [number, number]] = [-Infinity, [0, 0]];
  confusion.forEach((row, k) =>
    row.slice(0, -1).forEach((share, j) => {
      const loss = k === j ? 0 : share * losses[k][j];
      if (loss > most) [most, place] = [loss, [k, j]];
    }),
  );
  return most <= 0 || cost <= 0 ? null : { true: place[0], answer: place[1], share: most / cost };
}
