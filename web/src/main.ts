/** The page: the answer first, then the charts. */
import { App } from "./app";
import { DataError, readReport } from "./data";
import { blocksPanel } from "./panels/blocks";
import { calibrationPanel } from "./panels/calibration";
import { capacityPanel } from "./panels/capacity";
import { comparePanel } from "./panels/compare";
import { confusionPanel } from "./panels/confusion";
import { controlsPanel } from "./panels/controls";
import { costCurvePanel } from "./panels/costCurve";
import { costMapPanel } from "./panels/costMap";
import { groupsPanel } from "./panels/groups";
import { header } from "./panels/header";
import { followNotebook } from "./panels/notebook";
import { headlinePanel } from "./panels/headline";
import { methods } from "./panels/methods";
import { modelsPanel } from "./panels/models";
import { netBenefitPanel } from "./panels/netBenefit";
import { precisionRecallPanel } from "./panels/precisionRecall";
import { promisesPanel } from "./panels/promises";
import { responsePanel } from "./panels/response";
import { riskCoveragePanel } from "./panels/riskCoverage";
import { rocPanel } from "./panels/roc";
import { scenarioPanel } from "./panels/scenarios";
import { scoresPanel } from "./panels/scores";
import { thresholdsPanel } from "./panels/thresholds";
import { SurfacePanel } from "./panels/surface";
import { todayPanel } from "./panels/today";
import { el } from "./view/dom";
import { whenIdle } from "./view/idle";
import { captionOf, paperLine } from "./panels/caption";
import type { Panel } from "./view/panel";
import { watchPaper } from "./view/paper";
import { describePictures } from "./view/picture";
import { tabs } from "./view/tabs";
import { applyTheme, watchTheme } from "./view/theme";

function begin(root: HTMLElement): void {
  const sent = root.innerHTML;
  const app = new App(readReport(document.getElementById("demur-data")?.textContent ?? ""));
  const charts = el("div", { class: "charts" });
  const board = el("div", { class: "board" });
  const own = el("div", { class: "pair" });
  const pair = el("div", { class: "pair" });
  const models = el("div", { class: "wide" });
  const blocks = el("div", { class: "wide" });
  const groups = el("div", { class: "wide" });
  const compare = el("div", { class: "wide" });
  root.replaceChildren();
  app.add(header(app, sent), root);
  app.add(headlinePanel(app), root);
  app.add(paperLine(), root);
  root.append(board, own, pair, models, blocks, groups, compare, methods(app.data));
  app.add(controlsPanel(app), board);
  board.append(charts);
  watchTheme(() => app.drawAll());
  followNotebook(app);
  describePictures(() => captionOf(app.situation()));
  watchPaper(() => {
    applyTheme();
    app.drawNow();
  });

  // the answer and the controls are painted before the rest is built
  requestAnimationFrame(() =>
    setTimeout(() => {
      charts.append(slot(app, "prices", "Costs at all prices", [["Map", costMapPanel(app)], ["Surface", new SurfacePanel(app)]]));
      charts.lastElementChild!.classList.add("whole");
      app.add(scoresPanel(app), charts);
      charts.append(
        slot(app, "rule", "What the rule rests on", [
          ["Thresholds", thresholdsPanel(app)],
          ["Promised precision", promisesPanel(app)],
        ]),
        slot(app, "curves", "Curves over prices", [
          ["Cost curve", costCurvePanel(app)],
          ["Net benefit", netBenefitPanel(app)],
        ]),
        slot(app, "ranking", "How well scores rank and tell", [
          ["ROC", rocPanel(app)],
          ["Precision and recall", precisionRecallPanel(app)],
          ["Calibration", calibrationPanel(app)],
        ]),
      );
      if (app.data.amounts === null) app.add(todayPanel(app), own);
      app.add(scenarioPanel(app), own);
      app.add(confusionPanel(), pair);
      pair.append(
        slot(app, "abstaining", "What abstaining buys", [
          ["Response", responsePanel(app)],
          ["Capacity", capacityPanel(app)],
          ["Risk and coverage", riskCoveragePanel(app)],
        ]),
      );
      app.add(modelsPanel(app), models);
      const answer = app.data.comparison?.answer;
      if (answer?.by_block) app.add(blocksPanel(answer, app.data.confidence_level), blocks);
      if (app.data.groups) app.add(groupsPanel(app.data.groups), groups);
      app.add(comparePanel(app), compare);
      whenIdle(() => {
        document.documentElement.dataset["ready"] = "true";
      });
    }),
  );
}

/** Panels that share a place; those behind a tab are drawn when they are looked at. */
function slot(app: App, id: string, label: string, panels: readonly (readonly [name: string, panel: Panel])[]): HTMLElement {
  const entries = panels.map(([name, panel]) => ({ name, element: panel.element, shown: () => app.redraw(panel) }));
  const element = tabs(id, label, entries);
  for (const [, panel] of panels) app.adopt(panel);
  return element;
}

const root = document.getElementById("demur-app") ?? document.body;
try {
  begin(root);
} catch (error) {
  if (!(error instanceof DataError)) throw error;
  root.replaceChildren(el("p", { class: "sentence" }, error.message));
}
