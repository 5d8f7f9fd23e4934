// Files made by the studio, brought to the browser's downloads.
import type { RequestHost } from "../../store/hosts.ts";
import type { FileLink } from "../../wire/messages.ts";
import type { AppOf } from "../state/app.svelte.ts";

export async function runExport(
  app: AppOf<RequestHost>,
  format: string,
  motion: string | null = null,
): Promise<boolean> {
  const made = await app.ask("Creating the file", app.studio.exportFile(format, motion));
  if (!made) return false;
  fetchFile(app, made);
  for (const note of made.notes) app.toasts.say(`${made.name}: ${note}`, "warning");
  return true;
}

/** Fetches a file that the studio has made. */
export function fetchFile(app: AppOf, { link, name }: FileLink): void {
  const anchor = document.createElement("a");
  anchor.href = link;
  anchor.download = name;
  anchor.click();
  app.toasts.say(`Downloaded ${name}`);
}

/** A title of a format as it stands alone: with a capital letter. */
export function formatTitle(title: string): string {
  return title.slice(0, 1).toUpperCase() + title.slice(1);
}
