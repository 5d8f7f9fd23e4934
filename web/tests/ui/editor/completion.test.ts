import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, it } from "vitest";
import { raffCompletions } from "../../../src/ui/editor/completion.ts";

const names = { links: ["base", "A", "B"], frames: ["tool"], parameters: ["crank"] };

function labels(text: string, explicit = true): string[] {
  const state = EditorState.create({ doc: text });
  const found = raffCompletions(() => names)(new CompletionContext(state, text.length, explicit));
  return found?.options.map((option) => option.label) ?? [];
}

it("offers keys that are not there yet", () => {
  const found = labels("joints:\n  - {name: A, ");
  expect(found).toContain("parent");
  expect(found).not.toContain("name");
});

it("offers names where links are named, once each", () => {
  expect(labels("joints:\n  - {name: C, parent: ")).toEqual(["base", "A", "B", "tool"]);
  expect(labels("joints:\n  - {name: C, closes: {onto: ")).toContain("B");
});

it("offers parameters where numbers stand", () => {
  expect(labels("joints:\n  - {name: C, d: cr")).toContain("crank");
  expect(labels("joints:\n  - {name: C, type: ")).toContain("prismatic");
});

it("offers whole rows at the beginning of a line", () => {
  expect(labels("joints:\n  ")).toContain("- joint");
  expect(labels("frames:\n  ")).toContain("- frame");
});

it("is silent in comments", () => {
  expect(labels("joints: # par")).toEqual([]);
});
