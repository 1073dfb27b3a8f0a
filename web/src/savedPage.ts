/** The page itself as a file that starts with the costs it was saved with. */
import { el } from "./view/dom";

/** Name of the element that holds the state a page was saved with. */
export const SAVED = "demur-start";

/**
 * The document as it was sent, with a state to start from.
 *
 * Script and style stay byte for byte what the content security policy allows.
 *
 * @param body what the main element held before the script filled it
 * @param headline the answer, for readers without JavaScript
 */
export function savedPage(body: string, headline: string, fragment: string): string {
  const copy = document.documentElement.cloneNode(true) as HTMLElement;
  for (const name of Object.keys(copy.dataset)) delete copy.dataset[name];
  const root = copy.querySelector<HTMLElement>("#demur-app")!;
  root.innerHTML = body;
  const said = root.querySelector("#demur-headline");
  if (said !== null) said.textContent = headline;
  copy.querySelector(`meta[name="${SAVED}"]`)?.remove();
  copy.querySelector("head")!.append(el("meta", { name: SAVED, content: fragment }));
  return `<!doctype html>\n${copy.outerHTML}\n`;
}
