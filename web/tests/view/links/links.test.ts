import { Vector3 } from "three";
import { beforeAll, describe, expect, it } from "vitest";
import { PageModel } from "../../../src/kernel/page-model.ts";
import { applyPose, poseAt } from "../../../src/kernel/spatial.ts";
import { Links } from "../../../src/view/links/links.ts";
import { Materials } from "../../../src/view/links/materials.ts";
import { MeshFiles } from "../../../src/view/links/meshes/files.ts";
import { PALETTES } from "../../../src/view/links/palette.ts";
import { fixtures } from "../../fixtures.ts";

describe("Links", () => {
  let model: PageModel;
  let links: Links;
  beforeAll(async () => {
    const { kernels, models } = await fixtures("five-bar");
    model = new PageModel(kernels, models["five-bar"].data);
    links = new Links(new Materials(), new MeshFiles(() => undefined));
    links.build(model, new Map(), PALETTES.light, true);
  });

  it("stand where the kernels say", () => {
    const poses = model.forward(model.start());
    links.update(poses);
    links.views.forEach((view, i) => {
      const at = new Vector3(0.1, 0.2, 0.3).applyMatrix4(view.group.matrix).toArray();
      applyPose(poseAt(poses, i), [0.1, 0.2, 0.3]).forEach((x, k) =>
        expect(at[k]).toBeCloseTo(x, 12),
      );
    });
  });

  it("are built again only where a number changes them", () => {
    const before = links.views.map((view) => view.solid.geometry);
    links.build(model, new Map(), PALETTES.light, false);
    expect(links.views.map((view) => view.solid.geometry)).toEqual(before);
    const coupler = model.data.numbers.find((one) => one.owner === "handle" && one.key === "d")!;
    // Not the longest number, by which all sizes go: one bar alone must follow it.
    expect(model.setNumber(coupler.index, 0.24)).toBe(true);
    links.build(model, new Map(), PALETTES.light, false);
    const changed = links.views.filter((view, i) => view.solid.geometry !== before[i]);
    expect(changed.map((view) => model.data.links[view.index])).toEqual(["B"]);
  });

  it("keep their colours apart from the theme's", () => {
    const before = links.views[1].solid.geometry;
    links.build(model, new Map(), PALETTES.dark, false);
    expect(links.views[1].solid.geometry).not.toBe(before);
  });

  it("show an outline when they are chosen, and none afterwards", () => {
    const parts = () => links.views[1].group.children.length;
    const plain = parts();
    links.views[1].emphasise("selected");
    expect(parts()).toBe(plain + 1);
    links.views[1].emphasise("none");
    expect(parts()).toBe(plain);
  });
});
