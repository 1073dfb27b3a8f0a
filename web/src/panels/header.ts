/** The first line: what the page is about, and one menu with the ways to take the decision elsewhere. */
import type { App } from "../app";
import { capital } from "../comparison/words";
import { THEMES, type ThemeChoice } from "../kind";
import { savedPage } from "../savedPage";
import { choice } from "../view/choice";
import { cut, el, setText, show } from "../view/dom";
import { button, menu } from "../view/menu";
import type { Panel } from "../view/panel";
import { saveBlob } from "../view/saving";

/** @param sent what the main element held before it was filled */
export function header(app: App, sent: string, skips: readonly (readonly [text: string, selector: string])[]): Panel<object> {
  const { kind } = app;
  const theme = choice<ThemeChoice>("theme", "Colours", THEMES.map((name) => [name, name] as const), (chosen) => app.change({ theme: chosen }));
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
    // a comment alone says why there is nothing to copy
    const why = /^# (.+)\n?$/.exec(words);
    if (why !== null) {
      setText(said, `${capital(why[1])}.`);
      return;
    }
    const done = await toClipboard(words);
    show(text, !done);
    if (!done) {
      text.value = words;
      text.select();
    }
    setText(said, done ? `Copied ${what}.` : "Copying is not allowed here: take the text below.");
  }

  function savePage(): void {
    const page = savedPage(sent, app.view().sentences.join(" "), app.fragment);
    saveBlob(new Blob([page], { type: "text/html" }), "demur-report.html");
    setText(said, "Saved demur-report.html, which starts with these costs.");
  }

  function savePolicy(): void {
    const saved = kind.policy(app.at());
    if ("text" in saved) saveBlob(new Blob([saved.text], { type: "application/json" }), "policy.json");
    setText(said, "text" in saved ? "Saved policy.json." : saved.why);
  }

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
  const reads = kind.files.length ? "as a command; it reads costs.csv" : "as a command";
  const tools = menu(
    "Menu",
    "menu",
    button("Copy as Python", "copy-python", () => void copy("as Python", kind.python(app.at()))),
    button("Copy as command", "copy-command", () => void copy(reads, kind.command(app.at()))),
    ...kind.files.map(({ name, role, save }) => button(name, role, () => save(app.at()))),
    button("Copy link", "copy-link", () => void copy("the link to this page with these costs", `${location.href.split("#")[0]}#${app.fragment}`)),
    button("Save page", "save-page", savePage),
    button("Save policy", "save-policy", savePolicy),
    undo,
    redo,
    button("Start again", "start-again", () => app.change(app.start)),
    el("p", {}, "Colours"),
    theme.element,
  );
  tools.classList.add("tools");
  const element = el(
    "header",
    { class: "top", id: "panel-header", "data-panel": "header" },
    skipLinks(skips),
    el("h1", {}, "demur"),
    el("p", { class: "facts", title: cut(kind.title, 500) }, kind.facts),
    said,
    tools,
    text,
  );
  return { element, draw: () => theme.set(app.current.theme) };
}

/** Which way a key goes; inside a text the browser undoes what was typed. */
function wayOf(event: KeyboardEvent): "undo" | "redo" | null {
  const typing = event.target instanceof HTMLInputElement && /^(number|text)$/.test(event.target.type);
  if (typing || event.target instanceof HTMLTextAreaElement || !(event.ctrlKey || event.metaKey) || event.altKey) return null;
  const key = event.key.toLowerCase();
  if (key === "y" || (key === "z" && event.shiftKey)) return "redo";
  return key === "z" ? "undo" : null;
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

/** Addresses hold the state of the page, so the links move the focus instead. */
function skipLinks(targets: readonly (readonly [text: string, selector: string])[]): HTMLElement {
  const links = targets.map(([text, selector]) => {
    const link = el("button", { type: "button", "data-role": "skip" }, text);
    link.addEventListener("click", () => {
      const target = document.querySelector<HTMLElement>(selector);
      target?.scrollIntoView({ block: "start" });
      target?.focus();
    });
    return link;
  });
  return el("nav", { class: "skip", "aria-label": "Skip" }, ...links);
}
