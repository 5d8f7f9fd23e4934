import { expect, it } from "vitest";
import { planText, runText } from "../../../src/view/forces/plan-words.ts";

it("says what a plan hits and how near a run came", () => {
  const mm = (x: number): string => `${(1000 * x).toFixed(0)} mm`;
  const plan = { distance: -0.02, link: "wrist", object: "post", start: 1.82, end: 2.1 };
  expect(planText(plan, mm)).toBe("As planned, wrist hits post at 1.8 s, 20 mm deep.");
  expect(planText({ ...plan, distance: 0.03, start: null, end: null }, mm)).toContain(
    "30 mm to post",
  );
  expect(planText({ ...plan, distance: null, start: null, end: null }, mm)).toContain(
    "free of collisions",
  );
  expect(runText(-0.01, "post", mm)).toEqual({
    text: "This run hit post, 10 mm deep.",
    isClear: false,
  });
  expect(runText(0.03, "wall", mm).isClear).toBe(true);
  expect(runText(Infinity, "", mm).text).toBe("This run is free of collisions so far.");
});
