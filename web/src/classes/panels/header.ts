/** The first line: what the page is about, its colours, and the ways to take the answer elsewhere. */
import { choice } from "../../view/choice";
import { cut, el, setText, show } from "../../view/dom";
import { count } from "../../view/format";
import { saveBlob, saveCsv } from "../../view/saving";
import { skipLinks } from "../../view/skipLinks";
import { savedPage } from "../../savedPage";
import { chooseTheme, type ThemeChoice } from "../../view/theme";
import type { ClassApp } from "../app";
import { classCommand, classPython, costSheet } from "../copy";
import { designWords } from "../../data";
import { titleOf } from "../data";
import { classPolicyFile } from "../policy";

/** @param sent what the main element held before the script filled it */
export function classHeader(app: ClassApp, sent: string): HTMLElement {
  const { n, classes, models, design } = app.data;
  const facts = [
    cut(titleOf(app.data), 60),
    designWords(`${count(n)} cases`, design),
    `${classes.length} classes`,
    models.length === 1 ? "1 model" : `${models.length} models`,
  ].join(" · ");
  const theme = choice<ThemeChoice>(
    "theme",
    "Colours",
    [
      ["system", "system"],
      ["light", "light"],
      ["dark", "dark"],
    ],
    (chosen) => {
      chooseTheme(chosen);
      app.drawAll();
    },
  );
  theme.set("system");
  const said = el("span", { class: "said", role: "status", "data-role": "said" });
  const text = el("textarea", {
    class: "copied",
    "data-role": "copied-text",
    rows: 6,
    readonly: "",
    "aria-label": "Text to copy",
  });
  show(text, false);

  async function copy(what: string, words: string): Promise<void> {
    let done = false;
    if (window.self === window.top) {
      try {
        await navigator.clipboard.writeText(words);
        done = true;
      } catch {
        done = false;
      }
    }
    show(text, !done);
    if (!done) {
      text.value = words;
      text.select();
    }
    setText(said, done ? `Copied ${what}.` : "Copying is not allowed here: take the text below.");
  }

  function savePolicy(): string {
    const { answers, answer, prices } = app.view();
    const file = classPolicyFile(answers, answer, prices);
    if (file === null) return "The answer is a rule without a model, which needs no policy. Choose a rule in the table.";
    saveBlob(new Blob([file], { type: "application/json" }), "policy.json");
    return "Saved policy.json.";
  }

  const button = (title: string, role: string, act: () => void): HTMLButtonElement => {
    const node = el("button", { type: "button", class: "quiet", "data-role": role }, title);
    node.addEventListener("click", act);
    return node;
  };
  return el(
    "header",
    { class: "top", "data-panel": "header" },
    skipLinks([
      ["Skip to the answer", '[data-role="decision"]'],
      ["Skip to the costs", '[data-role="cost-0-1"]'],
      ["Skip to the rules", "#panel-rules input"],
    ]),
    el("h1", {}, "demur"),
    el("p", { class: "facts", title: cut(titleOf(app.data), 500) }, facts),
    el(
      "div",
      { class: "tools" },
      theme.element,
      button("Copy as Python", "copy-python", () => void copy("as Python", classPython(app.data, app.prices))),
      button("Copy as command", "copy-command", () => void copy("a command; it reads costs.csv", classCommand(app.data))),
      button("Save costs.csv", "save-costs", () => saveCsv(costSheet(app.data, app.prices), "costs")),
      button("Save policy", "save-policy", () => setText(said, savePolicy())),
      button("Copy link", "copy-link", () => void copy("the link with these costs", location.href)),
      button("Save page", "save-page", () => {
        const file = savedPage(sent, app.view().sentences.join(" "), app.fragment);
        saveBlob(new Blob([file], { type: "text/html" }), "report.html");
        setText(said, "Saved report.html, which starts with these costs.");
      }),
      button("Start again", "start-again", () => app.change(app.start)),
      said,
    ),
    text,
  );
}
