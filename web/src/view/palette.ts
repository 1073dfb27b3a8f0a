/** Colours of the page: Okabe-Ito for models, even steps of lightness for costs. */

/** Two of them are darker on white, where thin lines need a contrast of 3 to 1. */
const MODELS = {
  light: ["#009e73", "#d55e00", "#2f8fc7", "#c2669a", "#0072b2", "#b87f00"],
  dark: ["#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#0072b2", "#e69f00"],
} as const;
const DASHES = ["", "7 3", "2 2.5", "9 3 2 3", "12 2 2 2 2 2"] as const;
const INK = { light: "#1b1e23", dark: "#eceef1" } as const;

export type Theme = keyof typeof INK;

/** Where a rule without a model is cheapest. */
export const WITHOUT_MODEL = "#8a8f96";
export type Rgb = readonly [number, number, number];

/** Colour of model k: six of the Okabe-Ito set and the ink; with the dash, 35 looks. */
export function modelColour(k: number, theme: Theme): string {
  const set = MODELS[theme];
  return set[k % (set.length + 1)] ?? INK[theme];
}

export function modelDash(k: number): string {
  return DASHES[k % DASHES.length] ?? "";
}

export function parseHex(colour: string): Rgb {
  const value = Number.parseInt(colour.slice(1, 7), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function toByte(linear: number): number {
  const value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * Math.max(linear, 0) ** (1 / 2.4) - 0.055;
  return Math.round(255 * Math.min(1, Math.max(0, value)));
}

/** sRGB of an OKLCH colour (Ottosson 2020), the space in which equal steps look equal. */
function oklch(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    toByte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    toByte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    toByte(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

const STEPS = 256;

function table(colour: (t: number) => Rgb): Uint8ClampedArray {
  const bytes = new Uint8ClampedArray(4 * STEPS);
  for (let k = 0; k < STEPS; k++) bytes.set([...colour(k / (STEPS - 1)), 255], 4 * k);
  return bytes;
}

/** Light = cheap: lightness falls evenly while the hue turns from ivory over teal to navy. */
export const SEQUENTIAL = table((t) =>
  oklch(0.975 - 0.66 * t, 0.022 + 0.078 * Math.sin(Math.PI * Math.min(1, 0.1 + 0.8 * t)), 110 + 155 * t),
);

/** Blue (first cheaper) over white (equal) to orange (second cheaper). */
export const DIVERGING = table((t) => {
  const side = Math.abs(2 * t - 1);
  return t < 0.5
    ? oklch(0.985 - 0.44 * side, 0.14 * side, 245)
    : oklch(0.985 - 0.26 * side, 0.165 * side, 70);
});

/** Byte offset of share t in a colour table. */
export function step(t: number): number {
  return 4 * Math.round((STEPS - 1) * Math.min(1, Math.max(0, t)));
}
