/** What the numbers mean, and what the page can and cannot say. */
import { general } from "../../numbers";
import { el } from "../../view/dom";
import { count } from "../../view/format";
import { designSentences } from "../../panels/methods";
import { readRows, type ClassReportData } from "../data";

export function classMethods(data: ClassReportData): HTMLElement {
  const { folds, repeats, confidence_level: level, software, made, seed, rows, levels } = data;
  const text = (...parts: string[]): HTMLElement => el("p", {}, parts.join(" "));
  const factors = levels.map(({ factor }) => general(factor)).join(", ");
  return el(
    "section",
    { class: "methods", "data-panel": "methods" },
    el(
      "details",
      { id: "methods" },
      el("summary", {}, el("h2", {}, "How this was computed")),
      el(
        "div",
        { class: "text" },
        el("h3", {}, "Honest costs"),
        text(
          data.design?.period != null
            ? "Every rule was chosen on the blocks of time before and decided the cases of the next one."
            : `Every rule was chosen on ${folds - 1} of ${folds} folds and decided the cases of the other one; ${repeats > 1 ? `the mean of ${repeats} such splits.` : "one such split."}`,
          "The table of these decisions is all a cost needs: shares by true class and answer times prices.",
          "With hindsight means: the rule chosen on all cases, scored on the same cases. It is too low, and never called cost here.",
        ),
        el("h3", {}, "Costs you edit"),
        text(
          "Weights cannot be chosen again in a page: that takes all folds. The page holds the rules chosen for",
          data.abstain_costs === null ? "the costs of the file." : `${factors} times the price of a review in the file and its other costs.`,
          "At your costs it takes the rules chosen for the nearest ratio of review to mistake, prices their decisions anew and shows the cheapest.",
          rows === null
            ? "Rules of expected costs are priced like the others."
            : "Rules of expected costs choose nothing from the cases: they are made for your costs, on the probabilities the page holds.",
          "This is the measured cost: it has no verdict, and leaves out that the best of several rules looks better than it is.",
          "Report.answer_at says more about the same rules, and the copied command chooses new ones.",
        ),
        el("h3", {}, "Intervals"),
        ...designSentences(data.design).map((sentence) => text(sentence)),
        text(
          `${general(100 * level)} %, for the true cost of the rule in use. That of a measured cost: from below by the rule chosen on all cases,`,
          "from above by the held-out decisions, with added errors spread over the classes. Differences to other rules of a model have intervals",
          "in the opening sentence only, where all cases were at hand.",
        ),
        el("h3", {}, "Where from"),
        text(`demur ${software.demur}, ${made}, seed ${seed}.`),
      ),
    ),
    el("p", { class: "footer", "data-role": "embedded" }, classesEmbedded(data)),
  );
}

/** Say what the page holds of the cases: each of them where they are few, else counts. */
export function classesEmbedded(data: ClassReportData): string {
  const { n, models } = data;
  const held = readRows(data);
  const rest = "no names and no other columns of the data. It works without a network.";
  if (held !== null) {
    const weights = held.sizes === null ? "" : ", weights";
    return `This page contains the probabilities${weights} and classes of ${count(held.codes.length)} cases, ${rest}`;
  }
  const cells = models.some(({ simplex }) => simplex !== null) ? " and by class and probabilities in small triangles" : "";
  return `This page contains counts of ${count(n)} cases by class and decision${cells}, no list of cases, ${rest}`;
}
