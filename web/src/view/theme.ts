/** Light, dark or what the system asks for; paper is always light. */
import type { Theme } from "./palette";

export type ThemeChoice = "system" | "light" | "dark";

const DARK = matchMedia("(prefers-color-scheme: dark)");
const PRINT = matchMedia("print");

let choice: ThemeChoice = "system";

export function currentTheme(): Theme {
  if (PRINT.matches) return "light";
  if (choice === "system") return DARK.matches ? "dark" : "light";
  return choice;
}

function apply(): void {
  document.documentElement.dataset["theme"] = currentTheme();
}

export function chooseTheme(chosen: ThemeChoice): void {
  choice = chosen;
  apply();
}

/** What is folded on the screen is open on paper. */
function unfoldForPaper(): void {
  const methods = document.getElementById("methods");
  if (PRINT.matches && methods instanceof HTMLDetailsElement) methods.open = true;
}

/** Call `redraw` whenever the colours or the medium change from outside. */
export function watchTheme(redraw: () => void): void {
  const changed = (): void => {
    apply();
    unfoldForPaper();
    redraw();
  };
  DARK.addEventListener("change", changed);
  PRINT.addEventListener("change", changed);
}
