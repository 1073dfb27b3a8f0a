/** Costs and rule go both ways between the page and a notebook around it. */
import type { App } from "../app";
import { el } from "../view/dom";
import { followHost } from "../view/host";

export function followNotebook(app: App): void {
  const draw = followHost(
    (fragment) => app.change(app.kind.asked(fragment)),
    () => app.kind.told(app.at()),
  );
  app.adopt({ element: el("div"), draw, move: draw });
}
