import { beforeAll, describe, expect, it } from "vitest";

import { PageModel } from "../../../src/kernel/page-model.ts";
import { canWatch, branchName, SingularWatch } from "../../../src/kernel/singular/singular.ts";
import { farthest } from "../../../src/store/motion/timed-path.ts";
import { type Fixtures, fixtures } from "../../fixtures.ts";

const NAMES = ["five-bar", "stewart", "so101", "delta"];
let given: Fixtures;
beforeAll(async () => {
  given = await fixtures(...NAMES);
});
const make = (name: string): PageModel => new PageModel(given.kernels, given.models[name].data);

describe.each(NAMES)("%s", (name) => {
  it("is as near to singular poses as Python finds", ({ skip }) => {
    const model = make(name);
    if (!canWatch(model)) skip();
    const watch = new SingularWatch(model, model.start(), { site: model.siteCount - 1 });
    const found = watch.measure(model.start());
    const { task, gain } = given.models[name].singular;
    expect(found.task).toBeCloseTo(task ?? Infinity, 8);
    expect(found.gain).toBeCloseTo(gain ?? Infinity, 8);
    expect(found.kind).toBe("none");
  });

  it("has closed ways to every branch of the nearest singular pose", ({ skip }) => {
    const model = make(name);
    if (!canWatch(model)) skip();
    const q = model.start();
    const watch = new SingularWatch(model, q, { site: model.siteCount - 1 });
    const outlook = watch.branchesBeyond(q, null, "task");
    expect(outlook).not.toBeNull();
    expect(outlook!.branches.length).toBeGreaterThan(0);
    expect(watch.measure(outlook!.q).task).toBeLessThan(1e-4);
    for (const branch of outlook!.branches) {
      expect(branch.name).not.toBe("");
      expect(farthest(model, branch.path[0], q)).toBeLessThan(1e-9);
      expect(farthest(model, branch.path.at(-1)!, branch.q)).toBeLessThan(1e-12);
      branch.path.forEach((pose, i) => {
        expect(model.loopGap(pose)).toBeLessThan(1e-8);
        if (i > 0) expect(farthest(model, branch.path[i - 1], pose)).toBeLessThan(0.2);
      });
    }
  });
});

it("names branches as Python does", () => {
  const model = make("five-bar");
  const [a, b] = model.data.joints.map((joint) => joint.name);
  expect(branchName(model, [0, 1, -1, 1, 0, 0, 0, 1, 9, 0])).toBe(`'${b}' bends the other way (-)`);
  expect(branchName(model, [0, 0, 1, 1, 0, 0, 0, 1, 9, 0])).toBe(`'${b}' bends back (+)`);
  expect(branchName(model, [1, 1, 1, 0, 1, 0, 0, 1, 9, 0])).toBe(
    `'${a}' and '${b}' turn in place (+)`,
  );
  expect(branchName(model, [2, 0, 1, 0, 0, 0, 1, 1, 9, 0])).toBe(
    "all joints continue as before (+)",
  );
  expect(branchName(model, [4, 1, -1, 0, 1, 0, 1, 1, 9, 0])).toBe(
    `'${a}' turns the other way while '${b}' continues (-)`,
  );
});
