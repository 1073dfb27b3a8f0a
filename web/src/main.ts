/** The page: the answer first, then the charts, and the surface when there is time. */
import { App } from "./app";
import { DataError, readReport } from "./data";
import { comparePanel } from "./panels/compare";
import { confusionPanel } from "./panels/confusion";
import { controlsPanel } from "./panels/controls";
import { costCurvePanel } from "./panels/costCurve";
import { costMapPanel } from "./panels/costMap";
import { header } from "./panels/header";
import { headlinePanel } from "./panels/headline";
import { methods } from "./panels/methods";
import { modelsPanel } from "./panels/models";
import { responsePanel } from "./panels/response";
import { rocPanel } from "./panels/roc";
import { scoresPanel } from "./panels/scores";
import { SurfacePanel } from "./panels/surface";
import { el } from "./view/dom";
import { whenIdle } from "./view/idle";
import { watchTheme } from "./view/theme";

function begin(root: HTMLElement): void {
  const app = new App(readReport(document.getElementById("demur-data")?.textContent ?? ""));
  const charts = el("div", { class: "charts" });
  const board = el("div", { class: "board" });
  const pair = el("div", { class: "pair" });
  const models = el("div", { class: "wide" });
  const compare = el("div", { class: "wide" });
  root.replaceChildren();
  app.add(header(app), root);
  app.add(headlinePanel(app), root);
  root.append(board, pair, models, compare, methods(app.data));
  app.add(controlsPanel(app), board);
  board.append(charts);
  watchTheme(() => app.drawAll());

  // the answer and the controls are painted before the rest is built
  requestAnimationFrame(() =>
    setTimeout(() => {
      const surface = new SurfacePanel(app);
      app.add(costMapPanel(app), charts);
      app.add(surface, charts);
      app.add(scoresPanel(app), charts);
      app.add(costCurvePanel(app), charts);
      app.add(rocPanel(app), charts);
      app.add(confusionPanel(), pair);
      app.add(responsePanel(app), pair);
      app.add(modelsPanel(app), models);
      app.add(comparePanel(app), compare);
      whenIdle(() => {
        surface.start();
        document.documentElement.dataset["ready"] = "true";
      });
    }),
  );
}

const root = document.getElementById("demur-app") ?? document.body;
try {
  begin(root);
} catch (error) {
  if (!(error instanceof DataError)) throw error;
  root.replaceChildren(el("p", { class: "sentence" }, error.message));
}
