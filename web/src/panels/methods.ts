/** Methods: assumptions, conventions, versions, what is embedded, how to cite. */
import { corrects } from "../answer";
import { designWords, type DesignData, type ReportData } from "../data";
import { general } from "../numbers";
import { cut, el } from "../view/dom";
import { count } from "../view/format";
import type { Panel } from "../view/panel";

/** Titles, each with its paragraphs. */
export function methodsOf(parts: readonly (readonly [title: string, ...lines: string[]])[]): Panel<object> {
  const text = parts.flatMap(([title, ...lines]) => [el("h3", {}, title), ...lines.map((line) => el("p", {}, line))]);
  const section = el("section", { class: "panel methods", id: "panel-methods", "data-panel": "methods", "aria-label": "Methods" }, el("div", { class: "text" }, ...text));
  return { element: section, draw: () => undefined };
}

export function methodsPanel(report: ReportData): Panel<object> {
  const { source, folds, repeats } = report;
  const label = source.label === null ? "the label" : `column ${cut(source.label, 80)}`;
  return methodsOf([
    [
      "Decisions",
      "A case is called positive if its score is at least the upper threshold, negative if it is at most the lower one, and is sent to a person in between. Of several cheapest windows the page takes the one that abstains least, then the one that calls more cases positive.",
      "Costs are relative to a miss: mu is the price of a false alarm, nu that of a review, and what right answers cost is taken off first. The cheapest cost is k(mu, nu) = sum over blocks of min(P, mu N, nu (P + N)), where P and N are the shares of positives and negatives in a block of pooled scores (Friedel, Rückert, Kramer 2006). Where a reviewer errs, or reviews are priced by class, nu is the fee, or the price of the cheaper class, and the third term grows by the rest. It is exact.",
      ...(report.amounts === null
        ? []
        : [
            "Here every case has its own costs. The prices are factors on them: mu on what false alarms cost, nu on what reviews cost, relative to the factor on misses. The cheapest window is found in one pass over the sums of the scores. AUC and VACC count every case alike.",
          ]),
      "Abstaining never pays from nu = mu / (1 + mu) on, or earlier where reviewers err, whatever the model: the dashed border of the map (lemma 1 of the same paper).",
    ],
    [
      "How sure",
      folds === null
        ? "These cases are too few to judge rules on cases that did not choose them: costs are with hindsight, and too low on average."
        : `Costs are measured unless they say "with hindsight": thresholds are chosen on ${folds - 1} of ${folds} folds and judged on the one left out${(repeats ?? 1) > 1 ? `, averaged over ${repeats} splits` : ""} (seed ${report.seed}).`,
      "The answer is the rule with the smallest measured cost: for each model a window and a single threshold, and three rules without a model. A simpler one is taken where the difference is below a tenth of its standard error.",
      `The best of several rules looks better than it is. The cost in the headline is what to expect after the choice: cases are drawn with replacement 400 times, the choice is made on those drawn and its cost taken on those left out. Proven, likely or unproven says how it compares with the best rule without a model. ${corrects(report) ? "While a hand moves the prices, the page shows what the rule measured, under limits and over ranges on the first of the splits." : "This page cannot repeat that: away from the costs of the report it shows what the rule measured, without a verdict. The copied command gives the whole answer."}`,
      ...intervalSentences(report),
      ...designSentences(report.design, report.cases === null ? " Other measured costs are of a shuffled split of all cases." : ""),
      "A guarantee holds for every sample size, for every window and for the choice among all models. It needs independent cases without importance weights.",
      "A limit on reviews narrows the window, and under limits the map is with hindsight. Over ranges the rule is the one whose cost exceeds that of the best rule for the true costs by the least.",
      "AUC with its interval; VACC is the volume under the surface, the mean cost over all mu and nu between 0 and 1.",
    ],
    [
      "Assumptions",
      `${report.design?.clusters == null ? "The cases are independent" : "The clusters are independent"} and drawn like those to come; within each class the scores keep their distribution when the prevalence changes. ${report.amounts === null ? "Prices are the same for all cases of a class." : "The costs of the cases resemble those to come."} A person who reviews a case decides it rightly, or as often as the fields of the reviewer say, on easy and on hard cases alike.`,
    ],
    [
      "Data",
      `${designWords(`${cut(source.name, 200)}: ${count(source.rows ?? report.n)} rows`, report.design)}; ${label}, positive = ${cut(source.positive, 80)}, negative = ${cut(source.negative, 80)}${source.weight === null ? "" : `, weights in ${cut(source.weight, 80)}`}.`,
      source.exact || source.certified === null
        ? "Counts are exact."
        : `Scores were binned: masses are certified to within ${source.certified}.`,
      `Made ${report.made} by demur ${report.software.demur}; format ${report.schema} ${report.version}.`,
    ],
    [
      "How to cite",
      `demur ${report.software.demur}: classifiers that abstain, under uncertain costs.`,
      "Friedel, Rückert, Kramer (2006). Cost curves for abstaining classifiers. ICML workshop on ROC analysis in machine learning.",
    ],
  ]);
}

/** What clusters and times mean for the numbers. */
export function designSentences(design: DesignData | null | undefined, others = ""): string[] {
  if (design == null) return [];
  const { clusters, period } = design;
  return [
    ...(clusters === null ? [] : [`A cluster stays in one fold, and the intervals of the answer count ${count(clusters)} clusters.`]),
    ...(period === null ? [] : [`The answer is judged forward in time, from ${period.join(" to ")}: its rules were chosen on what came before.${others}`]),
  ];
}

/** How intervals are made, or why there are none away from the costs of the report. */
export function intervalSentences({ inference, confidence_level }: { inference: { quantile: number | null } | null; confidence_level: number }): string[] {
  if (inference === null) return [];
  return [
    inference.quantile === null
      ? "The intervals that this page can compute take independent cases: at other costs there are none here."
      : `Intervals, at ${general(100 * confidence_level)} %: Student's t on the losses of held-out cases, with one more case of the largest loss for the upper end, and more of them for differences, which are paired on the same cases. Where the interval of a difference contains 0, nothing is proven.`,
  ];
}

const NO_NETWORK = "no names and no other columns of the data. It works without a network.";

/** Say what the page holds of the cases: each of them where they are few, else counts or sums. */
export function embedded(report: ReportData): string {
  const { models, cases, amounts, groups } = report;
  const each = models.length === 1 ? "" : " per model";
  const more = groups ? `, what the rule does in ${count(groups.groups.length)} groups` : "";
  if (cases !== null) {
    const parts = ["scores", ...(cases.sizes === null ? [] : ["weights"]), ...(amounts === null ? [] : ["costs"])];
    const together = cases.clusters === null ? "" : ", and which of them belong together";
    return `This page contains the ${parts.join(", ")} and classes of ${count(cases.folds[0].length)} cases${together}${more}, ${NO_NETWORK}`;
  }
  const blocks = range(models.map((model) => model.blocks.positives.length), "block");
  const cells = models.flatMap(({ blocks: { positives, negatives } }) => [...positives, ...negatives]).filter((size) => size > 0);
  const least = Math.min(...cells);
  const counted = `counts of ${count(report.n)} cases by class in ${blocks} of scores${each} (${count(least)} case${least === 1 ? "" : "s"} of a class or more in each, or none)`;
  const sums = amounts?.groups ? `, sums of costs in ${range(amounts.groups.map(({ lower }) => lower.length), "group")} of scores${each}` : "";
  return `This page contains ${counted}${sums}${more}, no list of cases, ${NO_NETWORK}`;
}

function range(sizes: number[], unit: string): string {
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
  const units = high === 1 ? unit : `${unit}s`;
  return low === high ? `${count(low)} ${units}` : `${count(low)} to ${count(high)} ${units}`;
}
