// Imports point downwards only, as docs/architecture.md says.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const LAYERS = ["page", "ui", "xr", "view", "interact", "store", "shapes", "kernel", "wire"];
const SRC = resolve(import.meta.dirname, "../src");

const files = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return files(path);
    return /\.(ts|svelte)$/.test(name) ? [path] : [];
  });

const layerOf = (path: string): number => LAYERS.indexOf(relative(SRC, path).split(/[\\/]/)[0]);

test("imports point downwards", () => {
  const wrong: string[] = [];
  let seen = 0;
  for (const file of files(SRC)) {
    const from = layerOf(file);
    if (from < 0) continue; // main.ts puts everything together
    for (const [, target] of readFileSync(file, "utf8").matchAll(/from "(\.[^"]+)"/g)) {
      const to = layerOf(resolve(file, "..", target));
      if (to < 0) continue;
      seen += 1;
      if (to < from) wrong.push(`${relative(SRC, file)} imports ${target}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(seen).toBeGreaterThan(100);
});

test("nothing below the panels knows their framework", () => {
  const knows = files(SRC)
    .filter((file) => layerOf(file) > LAYERS.indexOf("ui"))
    .filter((file) => /from "svelte/.test(readFileSync(file, "utf8")));
  expect(knows).toEqual([]);
});

/** Files of the page by their path, with their text. */
const texts = files(SRC).map((file) => ({
  path: relative(SRC, file).replaceAll("\\", "/"),
  text: readFileSync(file, "utf8"),
}));

/** What stands for the store as a whole. */
const WHOLE = /\b(Studio|StudioHost|ViewHost|WholeView|SessionOwner)\b/;

/** Who may name it, and why. */
const NAME_THE_WHOLE: Record<string, string> = {
  "main.ts": "makes the store",
  "page/main.ts": "makes the store",
  "ui/state/app.svelte.ts": "gives each panel the subjects it names",
  "ui/state/live.svelte.ts": "makes them reactive",
  "ui/stage/Stage.svelte": "makes the view, the devices and the headset",
  "ui/headset/attach.ts": "makes the headset",
  "view/viewer.ts": "gives each part of the view the subjects it names",
  "view/part.ts": "says what the viewer has for its parts",
  "view/parts.ts": "makes the parts",
  "xr/session/headset.ts": "makes a visit",
  "xr/session/visit.ts": "gives each part of a visit the subjects it names",
  "xr/panels/panels.ts": "makes the panels in space",
  "xr/panels/sheets.ts": "gives each panel in space the subjects it names",
};

test("parts receive the subjects of the store that they name, not the whole", () => {
  const code = (text: string): string => text.replace(/\/\*.*?\*\/|\/\/[^\n]*|"[^"\n]*"/gs, "");
  const name = texts
    .filter(({ path }) => !path.startsWith("store/"))
    .filter(({ text }) => WHOLE.test(code(text)))
    .map(({ path }) => path);
  expect(name.sort()).toEqual(Object.keys(NAME_THE_WHOLE).sort());
});

test("nobody reaches the store through what it has made", () => {
  const made =
    /\b(avatar|designs|headset|maps|paths|people|robot|scene|simulation|viewer|workspace)[?!]?\.studio\b/;
  const reach = texts
    .filter(({ path }) => !path.startsWith("store/"))
    .filter(({ text }) => made.test(text))
    .map(({ path }) => path);
  expect(reach).toEqual([]);
});

test("only where the page is put together is the whole studio known", () => {
  const roots = ["main.ts", "page/main.ts"];
  const knows = files(SRC)
    .filter((file) => /from "[./]+(store\/)?studio\.ts"/.test(readFileSync(file, "utf8")))
    .map((file) => relative(SRC, file).replaceAll("\\", "/"));
  expect(knows.sort()).toEqual(roots);
});
