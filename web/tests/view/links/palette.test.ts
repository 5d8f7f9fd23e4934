import { describe, expect, it } from "vitest";
import {
  fileColor,
  fillOf,
  mixed,
  PALETTES,
  branchColor,
} from "../../../src/view/links/palette.ts";

const look = { role: "bar", branch: 1, tone: 1, color: null } as const;

describe("fillOf", () => {
  it("goes by the file, then by role, then by limb", () => {
    expect(fillOf({ ...look, color: "#F80" }, PALETTES.light)).toBe("#ff8800");
    expect(fillOf({ ...look, color: "teal" }, PALETTES.light)).toBe("#3f8f8f");
    expect(fillOf({ ...look, role: "motor" }, PALETTES.dark)).toBe(PALETTES.dark.motor);
    expect(fillOf(look, PALETTES.light)).toBe("#4c8dc4");
    expect(fillOf({ ...look, branch: 9 }, PALETTES.light)).toBe("#4c8dc4");
    expect(fillOf({ ...look, branch: 0 }, PALETTES.light)).toBe(PALETTES.light.platform);
  });

  it("is lighter on every second link", () => {
    expect(fillOf({ ...look, tone: 0 }, PALETTES.light)).toBe(mixed("#4c8dc4", "#ffffff", 0.3));
  });

  it("does not believe in unknown colours", () => {
    expect(fileColor("no-such-colour")).toBeNull();
    expect(fillOf({ ...look, color: "no-such-colour" }, PALETTES.light)).toBe("#4c8dc4");
  });
});

describe("branchColor", () => {
  it("distinguishes neighbouring branches", () => {
    for (const palette of Object.values(PALETTES))
      expect(new Set([0, 1, 2, 3].map((branch) => branchColor(branch, palette))).size).toBe(4);
  });
});
