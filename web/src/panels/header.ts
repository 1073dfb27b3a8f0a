/** The first line: what the page is about, its colours, and the ways to take the decision elsewhere. */
import type { App } from "../app";
import { asCommand, asPython, type Choice as Chosen } from "../copy";
import { policyFile, whyNoPolicy } from "../policy";
import { percent } from "../numbers";
import { choice } from "../view/choice";
import { cut, el, setText, show } from "../view/dom";
import { count } from "../view/format";
import { saveBlob } from "../view/saving";
import { chooseTheme, type ThemeChoice } from "../view/theme";

export function header(app: App): HTMLElement {
  const { source, n, n_positive, models } = app.data;
  const facts = [
    cut(source.name, 60),
    `${count(n)} cases`,
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
    (chosen) => {
      chooseTheme(chosen);
      app.drawAll();
    },
  );
  theme.set("system");
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
    setText(said, done ? `Copied as ${what}.` : "Copying is not allowed here: take the text below.");
  }

  const button = (title: string, role: string, act: () => void): HTMLButtonElement => {
    const node = el("button", { type: "button", class: "quiet", "data-role": role }, title);
    node.addEventListener("click", act);
    return node;
  };
  const tools = el(
    "div",
    { class: "tools" },
    theme.element,
    button("Copy as Python", "copy-python", () => void copy("Python", asPython(app.data, chosen(app)))),
    button("Copy as command", "copy-command", () => void copy("a command", asCommand(app.data, chosen(app)))),
    button("Save policy", "save-policy", () => setText(said, savePolicy(app))),
    button("Start again", "start-again", () => app.change(app.start)),
    said,
  );
  return el(
    "header",
    { class: "top", id: "panel-header", "data-panel": "header" },
    el("h1", {}, "demur"),
    el("p", { class: "facts", title: cut(source.name, 500) }, facts),
    tools,
    text,
  );
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
  const { data, costs, state, limits } = app.situation();
  const models = state.model === null ? data.models : [data.models[state.model]];
  return {
    models: models.map(({ name }) => name),
    costs,
    prevalence: state.prevalence,
    limits,
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
