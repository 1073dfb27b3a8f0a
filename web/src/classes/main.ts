/** The page of many classes: the answer first, the costs beside it, then the pictures. */
import { DataError } from "../data";
import { el } from "../view/dom";
import { followHost } from "../view/host";
import { watchPaper } from "../view/paper";
import { describePictures } from "../view/picture";
import { applyTheme, watchTheme } from "../view/theme";
import { ClassApp } from "./app";
import { readClassReport } from "./data";
import { blocksPanel } from "../panels/blocks";
import { classConfusion, mistakesPanel } from "./panels/confusion";
import { captionOf, paperLine } from "./panels/caption";
import { classHeader } from "./panels/header";
import { classHeadline } from "./panels/headline";
import { matrixPanel } from "./panels/matrix";
import { classMethods } from "./panels/methods";
import { classPolicyFile } from "./policy";
import { reviewPanel } from "./panels/review";
import { rulesPanel, weightsPanel } from "./panels/rules";
import { readState } from "./state";
import { simplexPanel } from "./panels/simplex";

function begin(root: HTMLElement): void {
  applyTheme();
  const sent = root.innerHTML;
  const app = new ClassApp(readClassReport(document.getElementById("demur-data")?.textContent ?? ""));
  const { data } = app;
  // wide tables stand one below the other
  const wide = data.classes.length > 5;
  const pair = el("div", { class: wide ? "stack" : "class-pair" });
  const charts = el("div", { class: "class-pair" });
  const rules = el("div", { class: "wide" });
  const blocks = el("div", { class: "wide" });
  root.className = "page";
  root.replaceChildren(classHeader(app, sent));
  app.add(classHeadline(app), root);
  app.add(paperLine(), root);
  root.append(pair, charts, rules, blocks, classMethods(data));
  app.add(matrixPanel(app), pair);
  app.add(classConfusion(), pair);
  watchTheme(() => app.drawAll());
  app.follow(
    followHost(
      (fragment) => app.change(readState(fragment, data)),
      () => {
        const { answers, answer, prices, sentences } = app.view();
        const policy = classPolicyFile(answers, answer, prices);
        return { costs: prices, policy, headline: sentences.join(" ") };
      },
    ),
  );
  describePictures(() => captionOf(app.view()));
  watchPaper(() => {
    applyTheme();
    app.drawNow();
  });

  // the answer is painted before the rest is built
  requestAnimationFrame(() =>
    setTimeout(() => {
      app.add(mistakesPanel(), charts);
      app.add(weightsPanel(), charts);
      if (data.abstain_costs !== null && data.levels.length > 1) app.add(reviewPanel(app), charts);
      if (data.classes.length === 3) app.add(simplexPanel(app), charts);
      app.add(rulesPanel(app), rules);
      if (data.comparison.answer.by_block) app.add(blocksPanel(data.comparison.answer, data.confidence_level), blocks);
      document.documentElement.dataset["ready"] = "true";
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
