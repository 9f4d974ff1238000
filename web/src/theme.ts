/** Light or dark: the system's choice, or the one made here. */

const KEY = "graph-memory.theme";
export type Theme = "light" | "dark";

export function currentTheme(): Theme {
  const chosen = localStorage.getItem(KEY);
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = currentTheme();
}

export function switchTheme(): Theme {
  localStorage.setItem(KEY, currentTheme() === "dark" ? "light" : "dark");
  applyTheme();
  window.dispatchEvent(new Event("theme"));
  return currentTheme();
}

/** Whether a person asked for less motion. */
export const prefersStillness = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Return the value of a colour of the style sheet. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
