/** Costs and rule go both ways between the page and a notebook around it. */
import type { App } from "../app";
import { policyFile, whyNoPolicy } from "../policy";
import { readFragment } from "../state";
import { el } from "../view/dom";
import { followHost } from "../view/host";

export function followNotebook(app: App): void {
  const changed = followHost(
    (fragment) => {
      const { costs, model } = readFragment(fragment, app.data);
      app.change({ costs, model });
    },
    () => {
      const at = app.situation();
      const { fn, fp, abstain, tp = 0, tn = 0, byClass = null, rates = null } = at.costs;
      return {
        costs: { fn, fp, tp, tn, abstain: Number.isFinite(abstain) ? abstain : null, byClass, rates },
        policy: whyNoPolicy(at) === null ? policyFile(at) : null,
        headline: at.headline(true).join(" "),
      };
    },
  );
  app.adopt({ element: el("div"), draw: changed, move: changed });
}
