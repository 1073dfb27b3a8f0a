/** Light, dark or what the system asks for; paper is always light. */
import { onPaper } from "./paper";
import type { ThemeChoice } from "../kind";
import type { Theme } from "./palette";


const DARK = matchMedia("(prefers-color-scheme: dark)");

let choice: ThemeChoice = "system";

export function currentTheme(): Theme {
  if (onPaper()) return "light";
  if (choice === "system") return DARK.matches ? "dark" : "light";
  return choice;
}

/** Colours of the style sheet, as chosen. */
export function applyTheme(): void {
  document.documentElement.dataset["theme"] = currentTheme();
}

export function chooseTheme(chosen: ThemeChoice): void {
  choice = chosen;
  applyTheme();
}

/** Call `redraw` whenever the system changes its colours. */
export function watchTheme(redraw: () => void): void {
  DARK.addEventListener("change", () => {
    applyTheme();
    redraw();
  });
}
