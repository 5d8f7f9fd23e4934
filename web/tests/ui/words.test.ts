import { Text } from "@codemirror/state";
import { expect, it } from "vitest";
import { COMMANDS } from "../../src/ui/commands/commands.ts";
import { diagnostics } from "../../src/ui/editor/problems.ts";
import { groupBy } from "../../src/ui/group.ts";
import { PATHS } from "../../src/ui/icons/paths.ts";
import { chord } from "../../src/ui/commands/keys.ts";
import { freshName } from "../../src/ui/names.ts";
import { objectIcon, objectShapes } from "../../src/ui/scene/objects/objects.ts";

const press = (key: string, more: object = {}) =>
  chord({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more });

it("key presses have one name each, and no two commands share one", () => {
  expect(press("z", { ctrlKey: true })).toBe("Mod+Z");
  expect(press("Z", { ctrlKey: true, shiftKey: true })).toBe("Mod+Shift+Z");
  expect(press("?", { shiftKey: true })).toBe("?");
  expect(press(" ")).toBe("Space");
  const keys = COMMANDS.flatMap((command) => command.keys);
  expect(new Set(keys).size).toBe(keys.length);
});

it("new names are not taken", () => {
  expect(freshName("J", ["J1", "J3"])).toBe("J2");
});

it("groups keep their order", () => {
  expect([...groupBy(["a1", "b1", "a2"], (word) => word[0])]).toEqual([
    ["a", ["a1", "a2"]],
    ["b", ["b1"]],
  ]);
});

it("problems are marked at their word, also beyond the text's end", () => {
  const document = Text.of(["raff: 1", "jionts: []"]);
  const found = diagnostics(document, [
    { line: 2, column: 1, message: "unknown key" },
    { line: 99, column: 80, message: "beyond" },
    { line: 0, column: 0, message: "nowhere" },
  ]);
  expect(found.map(({ from, to }) => [from, to])).toEqual([
    [0, 4],
    [8, 14],
    [18, 18],
  ]);
});

it("shapes have icons that exist", () => {
  for (const { icon, shape } of objectShapes(1)) {
    expect(icon in PATHS).toBe(true);
    expect(objectIcon(shape)).toBe(icon);
  }
  expect(objectIcon("part.stl")).toBe("mesh");
});
