import { beforeAll, describe, expect, it } from "vitest";

import { PageModel } from "../../src/kernel/page-model.ts";
import { placeOf, poseAt } from "../../src/kernel/spatial.ts";
import { farthest } from "../../src/store/motion/timed-path.ts";
import { Studio } from "../../src/store/studio.ts";
import { type Fixtures, fixtures, snapshotOf } from "../fixtures.ts";

let given: Fixtures;
let now = 0;
beforeAll(async () => {
  given = await fixtures("five-bar", "stewart", "so101", "four-bar", "3-rrr");
});

function studioOf(name: string): Studio {
  const studio = new Studio({ kernels: given.kernels, clock: () => now });
  studio.takeSnapshot(snapshotOf(given.models[name].data));
  return studio;
}
const last = (studio: Studio): number => studio.model!.siteCount - 1;
const place = (studio: Studio, site = last(studio)): [number, number, number] =>
  placeOf(poseAt(studio.poses, site));
const gap = (studio: Studio): number => studio.model!.loopGap(studio.q);
const tick = (studio: Studio, count = 1): void => {
  for (let i = 0; i < count; ++i) studio.tick((now += 1 / 60));
};

describe("grabbing", () => {
  it("moves a Stewart platform for 200 ticks with closed loops", () => {
    const studio = studioOf("stewart");
    const start = place(studio);
    const grab = studio.grab({ site: last(studio), kind: "point" });
    const radius = 0.15 * studio.model!.size;
    for (let i = 0; i < 200; ++i) {
      const angle = i / 20;
      grab.move({ position: [start[0] + radius * Math.sin(angle), start[1], start[2] + 0.3 * radius * Math.sin(2 * angle)] }); // prettier-ignore
      tick(studio);
      expect(gap(studio)).toBeLessThanOrEqual(1e-9);
    }
    expect(Math.abs(place(studio)[0] - start[0] - radius * Math.sin(199 / 20))).toBeLessThan(1e-6);
    expect(studio.status!.outcome).toBe("reached");
  });

  it("says how far a five-bar is out of reach, and where", () => {
    const studio = studioOf("five-bar");
    const grab = studio.grab({ site: last(studio), kind: "point" });
    grab.move({ position: [3, 4, 0] });
    tick(studio, 60);
    const status = studio.status!;
    expect(status.outcome).toBe("nearest");
    expect(status.words).toMatch(/^(out of reach|held by .*): '.*' is [\d.]+ mm away$/);
    expect(status.distance).toBeCloseTo(Math.hypot(3 - place(studio)[0], 4 - place(studio)[1]), 6);
    expect(status.at![0]).toBeCloseTo(place(studio)[0], 12);
    expect(status.target).toEqual([3, 4, 0]);
    // nothing more to be had: ticks cost nothing then
    expect(studio.tick((now += 1))).toBe(false);
  });

  it("solves two grabs and a pin together", () => {
    const studio = studioOf("so101");
    const model = studio.model!;
    const middle = 3;
    const pinned = place(studio, middle);
    studio.pin(middle);
    expect(studio.pins).toHaveLength(1);
    const first = studio.grab({ site: last(studio), kind: "point" });
    const second = studio.grab({ site: model.linkCount - 1, kind: "point", point: [0.01, 0, 0] });
    const at = place(studio);
    first.move({ position: [at[0], at[1] + 0.02, at[2] + 0.02] });
    second.move({ position: [at[0], at[1] + 0.02, at[2] - 0.02] });
    tick(studio, 20);
    place(studio, middle).forEach((value, i) => expect(value).toBeCloseTo(pinned[i], 8));
    expect(studio.status!.lacks).toHaveLength(3);
    first.release("keep");
    expect(studio.grabs).toHaveLength(1);
    second.release("keep");
    studio.unpin(0);
    expect(studio.pins).toHaveLength(0);
    expect(studio.grabs).toHaveLength(0);
  });

  it.each(["five-bar", "stewart", "so101"])("springs back without a jump: %s", (name) => {
    const studio = studioOf(name);
    const start = studio.q.slice();
    const at = place(studio);
    const step = 0.2 * studio.model!.size;
    const grab = studio.grab({ site: last(studio), kind: "point" });
    grab.move({ position: [at[0] - step, at[1] - step, at[2]] });
    tick(studio, 20);
    expect(farthest(studio.model!, start, studio.q)).toBeGreaterThan(0.02);
    grab.release("spring");
    let before = studio.q;
    const away = farthest(studio.model!, start, studio.q);
    for (let i = 0; i < 40; ++i) {
      tick(studio);
      expect(gap(studio)).toBeLessThanOrEqual(1e-9);
      expect(farthest(studio.model!, before, studio.q)).toBeLessThan(0.3 * away + 0.05);
      before = studio.q;
    }
    expect(farthest(studio.model!, start, studio.q)).toBeLessThan(1e-12);
    expect(studio.tick((now += 1))).toBe(false);
  });

  it("lets watchers look only", () => {
    const studio = studioOf("five-bar");
    studio.readOnly = true;
    const words: string[] = [];
    studio.on("notice", (notice) => words.push(notice.message));
    const grab = studio.grab({ site: last(studio), kind: "point" });
    grab.move({ position: [1, 1, 0] });
    expect(studio.tick((now += 1))).toBe(false);
    expect(words[0]).toContain("view-only");
  });
});

describe("sliders", () => {
  it("drives a motor while the other motor holds, loops closed", () => {
    const studio = studioOf("five-bar");
    const joints = studio.model!.data.joints;
    const motors = joints.flatMap((joint, i) => (joint.variables[0]?.motor ? [i] : []));
    expect(motors).toHaveLength(2);
    const [a, b] = motors;
    const held = studio.q[joints[b].q];
    const value = studio.q[joints[a].q] + 0.2;
    const report = studio.setVariable(a, 0, value);
    expect(report.outcome).toBe("reached");
    expect(studio.q[joints[a].q]).toBeCloseTo(value, 12);
    expect(studio.q[joints[b].q]).toBeCloseTo(held, 12);
    expect(gap(studio)).toBeLessThanOrEqual(1e-9);
  });

  it("drives a passive joint: motors give way and it is said", () => {
    const studio = studioOf("five-bar");
    const joints = studio.model!.data.joints;
    const passive = joints.findIndex((joint) => joint.nv === 1 && !joint.variables[0].motor);
    const value = studio.q[joints[passive].q] + 0.1;
    expect(studio.setVariable(passive, 0, value).outcome).toBe("reached");
    expect(studio.q[joints[passive].q]).toBeCloseTo(value, 12);
    expect(studio.status!.words).toContain("had to move");
    expect(gap(studio)).toBeLessThanOrEqual(1e-9);
  });

  it("holds the nearest value when the loops allow no more, and says so", () => {
    const studio = studioOf("four-bar");
    const joints = studio.model!.data.joints;
    // some joint of a four-bar cannot turn round: try them all
    const answers = joints.map((_, i) => {
      const start = studio.q.slice();
      const results = [3, -3].map((turn) => {
        studio.setPose(start, "set");
        const report = studio.setVariable(i, 0, start[joints[i].q] + turn);
        expect(gap(studio)).toBeLessThanOrEqual(1e-9);
        return { outcome: report.outcome, words: studio.status!.words };
      });
      studio.setPose(start, "set");
      return results;
    });
    const refused = answers.flat().filter((one) => one.outcome === "nearest");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0].words).toMatch(/cannot go to .*°: the loops stop it at .*°, .*° away|limit/);
  });

  it("stops at limits", () => {
    const studio = studioOf("so101");
    const joint = studio.model!.data.joints.findIndex(
      (one) => one.nv === 1 && Number.isFinite(studio.model!.upper[one.v]),
    );
    const { v, q } = studio.model!.data.joints[joint];
    expect(studio.setVariable(joint, 0, 50).outcome).toBe("nearest");
    expect(studio.q[q]).toBe(studio.model!.upper[v]);
    expect(studio.status!.words).toContain("upper limit of joint");
  });
});

describe("live numbers", () => {
  const free = (studio: Studio): { name: string; index: number } =>
    studio.model!.data.parameters.find((one) => !one.formula && one.quantity === "length")!;

  it("change a length while it is dragged", () => {
    const studio = studioOf("five-bar");
    const { name, index } = free(studio);
    const value = studio.model!.reals[index];
    const at = place(studio);
    const grab = studio.grab({ site: last(studio), kind: "point" });
    let numbers = 0;
    studio.on("numbers", () => (numbers += 1));
    for (let i = 1; i <= 20; ++i) {
      grab.move({ position: [at[0] + 0.0005 * i, at[1], at[2]] });
      expect(studio.setParameter(name, value * (1 + 0.005 * i))).toBe(true);
      tick(studio);
      expect(gap(studio)).toBeLessThanOrEqual(1e-9);
    }
    expect(numbers).toBe(20);
    expect(grab.active).toBe(true);
    expect(studio.status!.outcome).toBe("reached");
    expect(studio.pendingNumbers).toEqual([{ owner: null, key: name, value: value * 1.1 }]);
  });

  it("refuse a value that tears the loops, and say by how much", () => {
    const studio = studioOf("five-bar");
    const { name, index } = free(studio);
    const value = studio.model!.reals[index];
    const q = studio.q.slice();
    expect(studio.setParameter(name, 500)).toBe(false);
    expect(studio.status!.words).toMatch(/keeps its value: the loops would stay open by .* m/);
    expect(studio.model!.reals[index]).toBe(value);
    expect(studio.q).toEqual(q);
    expect(gap(studio)).toBeLessThanOrEqual(1e-9);
    expect(studio.pendingNumbers).toHaveLength(0);
  });
});

describe("motors and lengths", () => {
  const motors = (studio: Studio): number[] =>
    studio.model!.data.joints.flatMap((joint) =>
      joint.variables.flatMap((one, k) => (one.motor ? [studio.q[joint.q + k]] : [])),
    );
  const lengths = (studio: Studio) =>
    studio.model!.data.parameters.filter((one) => !one.formula && one.quantity === "length");

  it.each(["five-bar", "four-bar", "stewart"] as const)("of a %s: motors stay", (name) => {
    const studio = studioOf(name);
    const before = motors(studio);
    expect(before.length).toBeGreaterThan(0);
    for (const { name: key, index } of lengths(studio)) {
      const value = studio.model!.reals[index];
      for (const factor of [1.02, 0.97, 1.05, 1]) {
        expect(studio.setParameter(key, value * factor)).toBe(true);
        expect(gap(studio)).toBeLessThanOrEqual(1e-9);
        motors(studio).forEach((q, i) => expect(q).toBeCloseTo(before[i], 12));
      }
    }
  });

  it("says which of them had to move", () => {
    const studio = studioOf("3-rrr");
    const before = motors(studio);
    expect(studio.setParameter("base_radius", 0.51)).toBe(true);
    expect(studio.status).toBeNull();
    expect(studio.setParameter("base_radius", 0.54)).toBe(true);
    expect(motors(studio)).not.toEqual(before);
    expect(studio.status!.words).toBe("A1, A2, A3 had to move");
  });

  it("also when the studio sends other numbers", () => {
    const studio = studioOf("five-bar");
    const before = motors(studio);
    const data = structuredClone(given.models["five-bar"].data);
    const other = new PageModel(given.kernels, data);
    const { index } = data.parameters.find((one) => !one.formula)!;
    other.setParameter(index, other.reals[index] * 1.05);
    data.reals = btoa(String.fromCharCode(...new Uint8Array(other.reals.slice().buffer)));
    studio.takeSnapshot(snapshotOf(data, { version: 2, pose_changed: false }));
    motors(studio).forEach((q, i) => expect(q).toBeCloseTo(before[i], 12));
    expect(gap(studio)).toBeLessThan(1e-9);
  });
});

describe("how things stand", () => {
  it("is calm when all is well, and the widest gap where a loop is open", () => {
    const studio = studioOf("five-bar");
    expect(studio.condition).toEqual({ level: "calm", troubles: [], openings: [] });
    const q = studio.q.slice();
    q[0] += 0.3;
    studio.setPose(q, "set");
    const { level, troubles, openings } = studio.condition;
    expect(level).toBe("danger");
    expect(troubles[0]).toMatchObject({ kind: "open", opening: openings[0] });
    const { from, to, distance } = openings[0];
    expect(Math.hypot(...from.map((x, i) => x - to[i]))).toBeCloseTo(distance, 9);
    expect(distance).toBeGreaterThan(1e-3);
  });

  it("has problems of the text, and joints beyond their limits", () => {
    const studio = studioOf("five-bar");
    const data = given.models["five-bar"].data;
    const problems = [{ line: 1, column: 1, message: "no" }];
    studio.takeSnapshot(snapshotOf(data, { version: 2, problems }));
    expect(studio.condition.troubles).toEqual([{ kind: "problems", count: 1 }]);
    const arm = studioOf("stewart");
    const joint = arm.model!.data.joints.find(({ v }) => Number.isFinite(arm.model!.upper[v]))!;
    const q = arm.q.slice();
    q[joint.q] = arm.model!.upper[joint.v] + 0.1;
    arm.setPose(q, "set");
    expect(arm.condition.troubles.at(-1)).toMatchObject({
      ...{ kind: "beyond", limit: { joint: joint.name, side: "upper" } },
    });
  });
});

describe("snapshots", () => {
  it("keep the pose when only numbers changed, and the grab too", () => {
    const studio = studioOf("five-bar");
    const at = place(studio);
    const grab = studio.grab({ site: last(studio), kind: "point" });
    grab.move({ position: [at[0] + 0.01, at[1], at[2]] });
    tick(studio, 3);
    const { model } = studio;
    const q = studio.q.slice();
    let disturbed = 0;
    for (const event of ["model", "numbers", "pose", "status"] as const)
      studio.on(event, () => (disturbed += 1));
    const data = structuredClone(given.models["five-bar"].data);
    studio.takeSnapshot(snapshotOf(data, { version: 2, pose_changed: false }));
    expect(studio.model).toBe(model);
    expect(disturbed).toBe(0);
    expect(farthest(studio.model!, q, studio.q)).toBeLessThan(1e-9);
    expect(grab.active).toBe(true);
    grab.move({ position: at });
    tick(studio, 3);
    expect(place(studio)[0]).toBeCloseTo(at[0], 8);
  });

  it("with other numbers change the mechanism and keep its loops closed", () => {
    const studio = studioOf("five-bar");
    const data = structuredClone(given.models["five-bar"].data);
    const other = new PageModel(given.kernels, data);
    const parameter = data.parameters.find((one) => !one.formula)!;
    const value = other.reals[parameter.index] * 1.05;
    other.setParameter(parameter.index, value);
    data.reals = btoa(String.fromCharCode(...new Uint8Array(other.reals.slice().buffer)));
    let numbers = 0;
    studio.on("numbers", () => (numbers += 1));
    studio.takeSnapshot(snapshotOf(data, { version: 2, pose_changed: false }));
    expect(numbers).toBe(1);
    expect(studio.model!.reals[parameter.index]).toBe(value);
    expect(gap(studio)).toBeLessThan(1e-9);
  });

  it("of another mechanism let go of everything", () => {
    const studio = studioOf("five-bar");
    studio.pin(1);
    const grab = studio.grab({ site: last(studio), kind: "point" });
    studio.takeSnapshot(snapshotOf(given.models.stewart.data, { version: 2 }));
    expect(grab.active).toBe(false);
    expect(studio.pins).toHaveLength(0);
    expect(studio.q).toHaveLength(studio.model!.nq);
    grab.move({ position: [0, 0, 0] });
    grab.release();
    expect(studio.tick((now += 1))).toBe(false);
  });
});

it("has not connected to a studio offline: edits are refused in words, moving goes on", async () => {
  const studio = studioOf("five-bar");
  expect(studio.connection).toBe("offline");
  await expect(studio.undo()).rejects.toThrow("not connected to a studio");
  await expect(studio.ask("mobility", {}).promise).rejects.toThrow("not connected to a studio");
  studio.setParameter(studio.model!.data.parameters.find((one) => !one.formula)!.name, 0.3);
  await studio.commitNumbers("set");
  expect(studio.pendingNumbers).toHaveLength(0);
});
