// Things that buttons, menus and keys do alike.
import type { ModelHost, TextHost } from "../../store/hosts.ts";
import { Conflict } from "../../wire/answers.ts";
import type { AppOf } from "../state/app.svelte.ts";

/** Saves to the file it came from, or asks for a name. */
export function saveNow(app: AppOf<ModelHost & TextHost>): void {
  const file = app.studio.snapshot?.file;
  if (!file) app.dialog = "save";
  else void saveAs(app, file);
}

/**
 * Saves to a file of the project folder; false when that failed. Where it would overwrite what
 * others wrote, the user is asked; `overwrite` names what may be replaced.
 */
export async function saveAs(
  app: AppOf<TextHost>,
  file: string,
  overwrite: string | null = null,
): Promise<boolean> {
  // what is typed and collides is not in the text that would be saved
  await app.studio.draft.settled();
  if (app.studio.draft.conflict) {
    app.dialog = "conflict";
    return false;
  }
  const saving = app.studio.save(file, overwrite).then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof Conflict)) throw error;
      app.unsaved = error.data;
      app.dialog = "conflict";
      return false;
    },
  );
  const done = await app.ask("Saving", saving);
  if (done) app.toasts.say(`Saved ${file}`);
  return done === true;
}

/** Lets the user choose a file; null when none was. */
export function chooseFile(accept: string): Promise<File | null> {
  return new Promise((resolve) => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = accept;
    input.addEventListener("change", () => resolve(input.files?.[0] ?? null));
    input.addEventListener("cancel", () => resolve(null));
    input.click();
  });
}

/** Offers a blob as a file. */
export function download(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export async function takePicture(app: AppOf<ModelHost>): Promise<void> {
  if (!app.viewer) return;
  const blob = await app.ask("Picture", app.viewer.screenshot());
  if (blob) download(`${app.studio.snapshot?.model.name ?? "mechanism"}.png`, blob);
}

export async function copy(app: AppOf, text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    app.toasts.say(`${what} copied`);
  } catch {
    app.toasts.say("The browser does not allow copying here; select the text instead", "warning");
  }
}
