/** The page: the answer, the prices it rests on, the evidence, what the page contains. */
import { App } from "./app";
import { readClassReport } from "./classes/data";
import { ManyClasses, type ClassSituation } from "./classes/manyClasses";
import { confusionPanel as classConfusion, mistakesPanel } from "./classes/panels/confusion";
import { matrixPanel } from "./classes/panels/matrix";
import { classMethods } from "./classes/panels/methods";
import { reviewPanel } from "./classes/panels/review";
import { rulesPanel, weightsPanel } from "./classes/panels/rules";
import { simplexPanel } from "./classes/panels/simplex";
import type { ClassState } from "./classes/state";
import { DataError, readReport } from "./data";
import type { CommonState, Kind } from "./kind";
import { blocksPanel } from "./panels/blocks";
import { calibrationPanel } from "./panels/calibration";
import { comparePanel } from "./panels/compare";
import { confusionPanel } from "./panels/confusion";
import { controlsPanel } from "./panels/controls";
import { costCurvePanel } from "./panels/costCurve";
import { costMapPanel } from "./panels/costMap";
import { evidence, type EvidenceTab } from "./panels/evidence";
import { groupsPanel } from "./panels/groups";
import { header } from "./panels/header";
import { headlinePanel } from "./panels/headline";
import { methodsPanel } from "./panels/methods";
import { modelsPanel } from "./panels/models";
import { netBenefitPanel } from "./panels/netBenefit";
import { followNotebook } from "./panels/notebook";
import { precisionRecallPanel } from "./panels/precisionRecall";
import { riskCoveragePanel } from "./panels/riskCoverage";
import { rocPanel } from "./panels/roc";
import { scoresPanel } from "./panels/scores";
import { todayPanel } from "./panels/today";
import { classWords } from "./panels/words";
import type { Situation } from "./situation";
import type { PageState } from "./state";
import { TwoClasses } from "./twoClasses";
import { el, setText, whenIdle } from "./view/dom";
import type { Panel } from "./view/panel";
import { watchPaper } from "./view/paper";
import { describePictures } from "./view/picture";
import { applyTheme, watchTheme } from "./view/theme";

/** What the two kinds of page fill the same page with. */
interface Content<A> {
  /** Where the keyboard may go at once. */
  skips: readonly (readonly [text: string, selector: string])[];
  /** Fields for words, beside the answer. */
  words: Panel<A> | null;
  /** Costs, and what stands beside them. */
  board: readonly Panel<A>[];
  /** Made once the answer has been painted. */
  tabs(): EvidenceTab<A>[];
}

function begin<S extends CommonState, A extends object, K extends Kind<S, A>>(root: HTMLElement, app: App<S, A, K>, { skips, words, board, tabs }: Content<A>): void {
  const sent = root.innerHTML;
  const any = app as unknown as App;
  const [place, rest] = [el("div", { class: "board" }), el("div")];
  root.replaceChildren();
  app.add(header(any, sent, skips), root);
  app.add(headlinePanel(any, words as Panel<object> | null), root);
  if (words !== null) app.adopt(words);
  const paper = el("p", { class: "paper-line", "data-role": "paper-line" });
  const write = (): void => setText(paper, app.view().caption.join(" "));
  app.add({ element: paper, draw: write, move: write }, root);
  root.append(place, rest, el("footer", { class: "footer" }, el("p", { "data-role": "embedded" }, app.kind.embedded), el("p", {}, app.kind.less)));
  for (const panel of board) app.add(panel, place);
  // folded parts are drawn when they are opened
  root.addEventListener("toggle", () => app.look(), true);
  watchTheme(() => app.drawAll());
  followNotebook(any);
  describePictures(() => app.view().caption);
  watchPaper(() => {
    applyTheme();
    app.drawNow();
  });

  // the answer and the controls are painted before the rest is built
  requestAnimationFrame(() =>
    setTimeout(() => {
      rest.replaceWith(evidence(app, tabs()));
      whenIdle(() => {
        document.documentElement.dataset["ready"] = "true";
      });
    }),
  );
}

function twoClasses(kind: TwoClasses, root: HTMLElement): void {
  const app = new App<PageState, Situation, TwoClasses>(kind);
  const { data } = kind;
  const answer = data.comparison?.answer;
  begin(root, app, {
    skips: [
      ["Skip to the costs", "#panel-controls input"],
      ["Skip to the map", "#cost-point"],
      ["Skip to the evidence", "#evidence > summary"],
    ],
    words: classWords(app),
    board: [controlsPanel(app), costMapPanel(app), ...(data.amounts === null ? [todayPanel(app)] : [])],
    tabs: () => [
      { name: "Models", panels: [modelsPanel(app), confusionPanel()] },
      { name: "Scores", panels: [scoresPanel(app)] },
      { name: "ROC and PR", panels: [rocPanel(app), precisionRecallPanel(app)] },
      { name: "Cost curve and net benefit", panels: [costCurvePanel(app), netBenefitPanel(app)] },
      { name: "Calibration", panels: [calibrationPanel(app)] },
      { name: "Risk and coverage", panels: [riskCoveragePanel(app)] },
      ...(data.groups ? [{ name: "Groups", panels: [groupsPanel(data.groups)] }] : []),
      ...(answer?.by_block ? [{ name: "Time", panels: [blocksPanel(answer, data.confidence_level)] }] : []),
      ...(data.models.length > 1 ? [{ name: "Compare", panels: [comparePanel(app)] }] : []),
      { name: "Methods", panels: [methodsPanel(data)] },
    ],
  });
}

function manyClasses(kind: ManyClasses, root: HTMLElement): void {
  const app = new App<ClassState, ClassSituation, ManyClasses>(kind);
  const { data } = kind;
  const { answer } = data.comparison;
  begin(root, app, {
    skips: [
      ["Skip to the costs", '[data-role="cost-0-1"]'],
      ["Skip to the evidence", "#evidence > summary"],
    ],
    words: null,
    board: [matrixPanel(app)],
    tabs: () => [
      { name: "Rules", panels: [rulesPanel(app)] },
      { name: "Confusion and mistakes", panels: [classConfusion(), mistakesPanel()] },
      { name: "Weights", panels: [weightsPanel()] },
      ...(data.classes.length === 3 ? [{ name: "Triangle", panels: [simplexPanel(app)] }] : []),
      ...(data.abstain_costs !== null && data.levels.length > 1 ? [{ name: "Price of a review", panels: [reviewPanel(app)] }] : []),
      ...(answer.by_block ? [{ name: "Time", panels: [blocksPanel(answer, data.confidence_level)] }] : []),
      { name: "Methods", panels: [classMethods(data)] },
    ],
  });
}

const root = document.getElementById("demur-app") ?? document.body;
try {
  const text = document.getElementById("demur-data")?.textContent ?? "";
  if (text.slice(0, 200).includes('"demur.class_report"')) manyClasses(new ManyClasses(readClassReport(text)), root);
  else twoClasses(new TwoClasses(readReport(text)), root);
} catch (error) {
  if (!(error instanceof DataError)) throw error;
  root.replaceChildren(el("p", { class: "sentence" }, error.message));
}
