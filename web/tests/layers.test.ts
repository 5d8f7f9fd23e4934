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

test("only where the page is put together is the whole studio known", () => {
  const roots = ["main.ts", "page/main.ts"];
  const knows = files(SRC)
    .filter((file) => /from "[./]+(store\/)?studio\.ts"/.test(readFileSync(file, "utf8")))
    .map((file) => relative(SRC, file).replaceAll("\\", "/"));
  expect(knows.sort()).toEqual(roots);
});
