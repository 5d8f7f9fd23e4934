// Files made by the studio, brought to the browser's downloads.
import type { RequestHost } from "../store/hosts.ts";
import type { FileLink } from "../wire/messages.ts";
import type { AppOf } from "./state/app.svelte.ts";

export async function runExport(
  app: AppOf<RequestHost>,
  format: string,
  motion: string | null = null,
): Promise<boolean> {
  const made = await app.ask("Creating the file", app.studio.exportFile(format, motion));
  if (!made) return false;
  fetchFile(app, made);
  return true;
}

/** Fetches a file that the studio has made. */
export function fetchFile(app: AppOf<RequestHost>, { link, name }: FileLink): void {
  const anchor = document.createElement("a");
  anchor.href = link;
  anchor.download = name;
  anchor.click();
  app.toasts.say(`${name} is ready`);
}
