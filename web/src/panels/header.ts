/** The first line: what the page is about, its colours, and the ways to take the decision elsewhere. */
import type { App } from "../app";
import { designWords, type ReportData } from "../data";
import { asCommand, asPython, type Choice as Chosen } from "../copy";
import { policyFile, whyNoPolicy } from "../policy";
import { percent } from "../numbers";
import { choice } from "../view/choice";
import { cut, el, setText, show } from "../view/dom";
import { count } from "../view/format";
import type { Panel } from "../view/panel";
import { saveBlob } from "../view/saving";
import { savedPage } from "../savedPage";
import { skipLinks } from "../view/skipLinks";
import type { ThemeChoice } from "../view/theme";

/** `sent` is what the page held before it was filled. */
export function header(app: App, sent: string): Panel {
  const { n, n_positive, models, design } = app.data;
  const facts = [
    cut(titleOf(app.data), 60),
    designWords(`${count(n)} cases`, design),
    `${percent(n_positive / n)} positive`,
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
    (chosen) => app.change({ theme: chosen }),
  );
  const said = el("span", { class: "said", role: "status", "data-role": "said" });
  const text = el("textarea", {
    class: "copied",
    id: "copied-text",
    "data-role": "copied-text",
    rows: 6,
    readonly: "",
    "aria-label": "Text to copy",
  });
  show(text, false);

  async function copy(what: string, words: string): Promise<void> {
    const done = await toClipboard(words);
    show(text, !done);
    if (!done) {
      text.value = words;
      text.select();
    }
    setText(said, done ? `Copied ${what}.` : "Copying is not allowed here: take the text below.");
  }

  const button = (title: string, role: string, act: () => void): HTMLButtonElement => {
    const node = el("button", { type: "button", class: "quiet", "data-role": role }, title);
    node.addEventListener("click", act);
    return node;
  };
  const undo = button("Undo", "undo", () => void app.travel("undo"));
  const redo = button("Redo", "redo", () => void app.travel("redo"));
  const enable = (): void => {
    undo.disabled = !app.past.mayUndo;
    redo.disabled = !app.past.mayRedo;
  };
  app.past.listen(enable);
  enable();
  addEventListener("keydown", (event) => {
    const way = wayOf(event);
    if (way !== null && app.travel(way)) event.preventDefault();
  });
  const tools = el(
    "div",
    { class: "tools" },
    theme.element,
    undo,
    redo,
    button("Copy as Python", "copy-python", () => void copy("as Python", asPython(app.data, chosen(app)))),
    button("Copy as command", "copy-command", () => void copy("as a command", asCommand(app.data, chosen(app)))),
    button("Copy link", "copy-link", () => void copy("the link to this page with these costs", linkTo(app))),
    button("Save page", "save-page", () => setText(said, savePage(app, sent))),
    button("Save policy", "save-policy", () => setText(said, savePolicy(app))),
    button("Start again", "start-again", () => app.change(app.start)),
    said,
  );
  const element = el(
    "header",
    { class: "top", id: "panel-header", "data-panel": "header" },
    skipLinks([
      ["Skip to the costs", "#panel-controls input"],
      ["Skip to the map", "#cost-point"],
      ["Skip to the models", "#panel-models .scroll"],
    ]),
    el("h1", {}, "demur"),
    el("p", { class: "facts", title: cut(titleOf(app.data), 500) }, facts),
    tools,
    text,
  );
  return { element, draw: (at) => theme.set(at.state.theme), move: () => undefined };
}

/** The file, and the group where the cases are part of it. */
function titleOf({ source: { name, group, part } }: ReportData): string {
  return group === null ? name : `${name}, ${group} = ${part ?? ""}`;
}

/** Which way a key goes; inside a text the browser undoes what was typed. */
function wayOf(event: KeyboardEvent): "undo" | "redo" | null {
  const typing = event.target instanceof HTMLInputElement && /^(number|text)$/.test(event.target.type);
  if (typing || event.target instanceof HTMLTextAreaElement || !(event.ctrlKey || event.metaKey) || event.altKey) return null;
  const key = event.key.toLowerCase();
  if (key === "y" || (key === "z" && event.shiftKey)) return "redo";
  return key === "z" ? "undo" : null;
}

/** The address of the page with what the reader set. */
function linkTo(app: App): string {
  return `${location.href.split("#")[0]}#${app.fragment}`;
}

/** Save the page itself, so that it starts with these costs. */
function savePage(app: App, sent: string): string {
  const page = savedPage(sent, app.situation().headline(true).join(" "), app.fragment);
  saveBlob(new Blob([page], { type: "text/html" }), "demur-report.html");
  return "Saved demur-report.html, which starts with these costs.";
}

/** Whether the text reached the clipboard; a frame has none, and asking for it is reported as an error. */
async function toClipboard(words: string): Promise<boolean> {
  if (window.self !== window.top) return false;
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch {
    return false;
  }
}

/** The rule on show: the answer among all models, or of the one the reader holds on to. */
function chosen(app: App): Chosen {
  const { data, costs, state, limits, box } = app.situation();
  const models = state.model === null ? data.models : [data.models[state.model]];
  return {
    models: models.map(({ name }) => name),
    costs,
    prevalence: state.prevalence,
    limits,
    box,
  };
}

/** Save the policy of the rule on show, or say why there is none. */
function savePolicy(app: App): string {
  const at = app.situation();
  const reason = whyNoPolicy(at);
  if (reason !== null) return reason;
  saveBlob(new Blob([policyFile(at)], { type: "application/json" }), "policy.json");
  return "Saved policy.json.";
}
