/** Elements without markup: every text of the data reaches the page as a text node. */

type Child = Node | string | null;
type Attributes = Record<string, string | number>;

const SVG = "http://www.w3.org/2000/svg";

function fill(node: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  for (const child of children) if (child !== null) node.append(child);
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  fill(node, attributes, children);
  return node;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const node = document.createElementNS(SVG, tag);
  fill(node, attributes, children);
  return node;
}

export function attr(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
}

/** Write a text only when it differs: an unchanged text costs no layout. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** A name of any length: cut for the eye, whole in the title. */
export function setName(node: HTMLElement, name: string, longest = 40): void {
  const shown = cut(name, longest);
  setText(node, shown);
  if (shown === name) node.removeAttribute("title");
  else node.title = cut(name, 2000);
}

/** Short words that stay in one line. */
export function unbroken(text: string): string {
  return text.length <= 24 ? text.replaceAll(" ", "\u00a0") : text;
}

/** A name cut to `longest` characters. */
export function cut(name: string, longest = 40): string {
  const letters = Array.from(name.slice(0, 4 * longest + 4));
  return letters.length <= longest && name.length <= 4 * longest
    ? name
    : letters.slice(0, longest - 1).join("") + "…";
}

export function show(node: HTMLElement | SVGElement, visible: boolean): void {
  if (node instanceof HTMLElement) node.hidden = !visible;
  else node.setAttribute("visibility", visible ? "visible" : "hidden");
}

export function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in window) window.requestIdleCallback(() => work(), { timeout: 500 });
  else setTimeout(work, 50);
}
