/** What the numbers mean, and what the page can and cannot say. */
import { general } from "../../numbers";
import { designSentences, intervalSentences, methodsOf } from "../../panels/methods";
import type { Panel } from "../../view/panel";
import type { ClassReportData } from "../data";

export function classMethods(data: ClassReportData): Panel<object> {
  const { folds, repeats, software, made, seed, rows, levels } = data;
  const factors = levels.map(({ factor }) => general(factor)).join(", ");
  return methodsOf([
    [
      "Honest costs",
      data.design?.period != null
        ? "Every rule was chosen on the blocks of time before and decided the cases of the next one."
        : `Every rule was chosen on ${folds - 1} of ${folds} folds and decided the cases of the other one; ${repeats > 1 ? `the mean of ${repeats} such splits.` : "one such split."}`,
      "The table of these decisions is all a cost needs: shares by true class and answer times prices.",
      "With hindsight means: the rule chosen on all cases, scored on the same cases. It is too low, and never called cost here.",
    ],
    [
      "Costs you edit",
      `Weights cannot be chosen again in a page: that takes all folds. The page holds the rules chosen for ${data.abstain_costs === null ? "the costs of the file." : `${factors} times the price of a review in the file and its other costs.`}`,
      "At your costs it takes the rules chosen for the nearest ratio of review to mistake, prices their decisions anew and shows the cheapest.",
      rows === null
        ? "Rules of expected costs are priced like the others."
        : "Rules of expected costs choose nothing from the cases: they are made for your costs, on the probabilities the page holds.",
      "This is the measured cost: it has no verdict, and leaves out that the best of several rules looks better than it is. Report.answer_at says more about the same rules, and the copied command chooses new ones.",
    ],
    [
      "Intervals",
      ...designSentences(data.design),
      ...intervalSentences({ ...data, inference: data }),
      "Against rules of models, intervals of differences stand in the opening sentence only; with importance weights, those of measured costs too.",
    ],
    ["Where from", `demur ${software.demur}, ${made}, seed ${seed}.`],
  ]);
}
