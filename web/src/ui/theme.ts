// Light or dark, as the user or the system wants it.
import type { Settings } from "../store/settings.ts";

/** Sets the page's theme and follows the system while that is the choice; returns the clean-up. */
export function applyTheme(theme: Settings["theme"]): () => void {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => {
    const dark = theme === "dark" || (theme === "system" && query.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    window.dispatchEvent(new Event("themechange"));
  };
  apply();
  if (theme !== "system") return () => undefined;
  query.addEventListener("change", apply);
  return () => query.removeEventListener("change", apply);
}
