/** What the colours of the map mean. */
import { percent } from "../numbers";
import type { Situation } from "../situation";
import { cut, el, setName, setText, show } from "../view/dom";
import { DIVERGING, modelColour, SEQUENTIAL, WITHOUT_MODEL } from "../view/palette";
import type { LegendEntry } from "../view/picture";
import type { MapColours } from "./mapColours";

export interface MapLegend {
  element: HTMLElement;
  draw(at: Situation, colours: MapColours): void;
  /** The same for a picture that leaves the page. */
  entries(): LegendEntry[];
  /** What the colours mean, in words. */
  title(): string;
}

/** A strip of the colours of a table. */
function strip(canvas: HTMLCanvasElement, table: Uint8ClampedArray): void {
  canvas.width = table.length / 4;
  canvas.height = 1;
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.putImageData(new ImageData(new Uint8ClampedArray(table), canvas.width, 1), 0, 0);
}

export function mapLegend(): MapLegend {
  const title = el("p");
  const bar = el("canvas", { class: "scale-bar", "aria-hidden": "true" });
  const [low, high] = [el("span"), el("span")];
  const ends = el("div", { class: "scale-ends" }, low, high);
  const key = el("ul", { class: "key" });
  const element = el("div", {}, title, bar, ends, key);

  function draw(at: Situation, { range, shares }: MapColours): void {
    const { colour, compare } = at.state;
    show(bar, colour !== "winner");
    show(ends, colour !== "winner");
    key.replaceChildren();
    strip(bar, colour === "difference" ? DIVERGING : SEQUENTIAL);
    const [first, last] = range;
    const within = at.limits === null ? "" : ", within the limits";
    switch (colour) {
      case "cost":
        say(
          `Cost${hindsight(at)} per 1000 cases, ${at.modelName}${within}`,
          at.amount(first),
          at.amount(last),
        );
        break;
      case "abstention":
        say(`Share sent to a person, ${at.modelName}${within}`, "0 %", "100 %");
        break;
      case "winner":
        say(`Cheapest rule${hindsight(at)}${within}, and its share of the map`, "", "");
        winners(at, shares);
        break;
      case "difference":
        if (compare !== null) {
          const [a, b] = compare.map((k) => cut(at.data.models[k].name, 18));
          say(
            `A minus B${hindsight(at)}${within}: ${a} minus ${b}`,
            `${a} cheaper by ${at.amountBetween(last)}`,
            `${b} cheaper`,
          );
        }
    }
  }

  /** Under limits, too, costs of the map are with hindsight. */
  function hindsight(at: Situation): string {
    return at.prepared.evidence.judged === null || at.limits !== null ? " with hindsight" : "";
  }

  function say(text: string, from: string, to: string): void {
    setText(title, text);
    setText(low, from);
    setText(high, to);
  }

  function winners(at: Situation, shares: readonly number[]): void {
    const { models } = at.data;
    const order = [...shares.keys()].sort((a, b) => shares[b] - shares[a]);
    for (const k of order.filter((k) => shares[k] > 0)) {
      const patch = el("span", { class: "patch" });
      patch.style.backgroundColor = k < models.length ? modelColour(k, at.theme) : WITHOUT_MODEL;
      const name = el("span", { class: "name" });
      setName(name, models[k]?.name ?? "no model", 24);
      key.append(el("li", {}, patch, name, el("span", {}, percent(shares[k]))));
    }
  }

  function entries(): LegendEntry[] {
    const [from, to] = [low, high].map((end) => end.textContent ?? "");
    if (!bar.hidden) return [{ text: title.textContent ?? "", strip: bar, ends: [from, to] }];
    return Array.from(key.children, (line) => ({
      text: Array.from(line.children, (part) => part.textContent).filter(Boolean).join(" "),
      colour: line.querySelector<HTMLElement>(".patch")!.style.backgroundColor,
    }));
  }

  return { element, draw, entries, title: () => title.textContent ?? "" };
}
