import { beforeAll, expect, it } from "vitest";

import { runnable } from "../../../src/store/motion/run-input.ts";
import { Studio } from "../../../src/store/studio.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";

/** A parallelogram: with all bars in a line it could as well become an anti-parallelogram. */
const PARALLELOGRAM = `raff: 1
name: parallelogram
joints:
  - {name: A, parent: base, start: 60 deg, motor: true}
  - {name: B, parent: A, d: 0.2, start: -60 deg}
  - {name: D, parent: base, d: 0.5, start: 60 deg}
  - {name: C, parent: B, d: 0.5, start: 60 deg, closes: {onto: D, d: 0.2}}
`;
let given: Fixtures;
let now = 0;
beforeAll(async () => {
  given = await fixtures("four-bar", "slider-crank", "five-bar", "stewart", "arm-6", PARALLELOGRAM);
});
function studioOf(name: string): Studio {
  const studio = new Studio({ kernels: given.kernels, clock: () => now });
  studio.takeSnapshot(snapshotOf(given.models[name].data));
  return studio;
}
/** Pictures of a while [s]; every one has closed loops and no leap. */
function pass(studio: Studio, seconds: number, dt = 1 / 30): void {
  for (let t = 0; t < seconds - 1e-9; t += dt) {
    studio.tick((now += dt));
    expect(studio.model!.loopGap(studio.q)).toBeLessThan(1e-8);
  }
}
const value = (studio: Studio, joint: number): number =>
  studio.q[studio.model!.data.joints[joint].q];
const indexOf = (studio: Studio, name: string): number =>
  studio.model!.data.joints.findIndex((joint) => joint.name === name);

it.each(["four-bar", "slider-crank"])("turns the crank of a %s round and round", (name) => {
  const studio = studioOf(name);
  const [{ joint, variable }] = runnable(studio.model!);
  const start = studio.q.slice();
  studio.run.set(joint, variable, { mode: "turn", speed: 2 * Math.PI });
  studio.run.start(joint, variable);
  studio.tick((now += 0.01));
  pass(studio, 2);
  expect(studio.run.isRunning).toBe(true);
  expect(value(studio, joint) - start[studio.model!.data.joints[joint].q]).toBeCloseTo(
    4 * Math.PI,
    6,
  );
  // after whole turns it is on the same branch
  const poses = studio.model!.forward(start);
  studio.poses.forEach((number, i) => expect(number).toBeCloseTo(poses[i], 6));
});

it("charts nothing of before a length was changed", () => {
  const studio = studioOf("slider-crank");
  studio.run.startUsual();
  pass(studio, 1);
  expect(studio.run.rows.length).toBeGreaterThan(10);
  const { name, index } = studio.model!.data.parameters.find((one) => one.name === "rod")!;
  expect(studio.setParameter(name, studio.model!.reals[index] * 1.2)).toBe(true);
  expect(studio.run.rows).toHaveLength(0);
  expect(studio.run.isRunning).toBe(true);
  pass(studio, 0.2);
  for (const { q } of studio.run.rows) expect(studio.model!.loopGap(q)).toBeLessThan(1e-8);
});

it("takes another speed while it runs, pauses, continues and stops", () => {
  const studio = studioOf("four-bar");
  const [{ joint, variable }] = runnable(studio.model!);
  studio.run.set(joint, variable, { mode: "turn", speed: 1 });
  studio.run.start(joint, variable);
  studio.tick((now += 0.01));
  const from = value(studio, joint);
  pass(studio, 1);
  expect(value(studio, joint) - from).toBeCloseTo(1, 6);
  studio.run.set(joint, variable, { speed: -2 });
  pass(studio, 1);
  expect(value(studio, joint) - from).toBeCloseTo(-1, 6);
  studio.run.toggle();
  const rests = studio.q;
  pass(studio, 0.5);
  expect(studio.q).toBe(rests);
  studio.run.toggle();
  studio.tick((now += 0.01));
  pass(studio, 0.5);
  expect(value(studio, joint) - from).toBeCloseTo(-2, 6);
  studio.run.stopAll();
  expect(studio.run.isOn).toBe(false);
});

it("stops at a dead point and says so; a sweep turns round there", () => {
  const studio = studioOf("four-bar");
  // the rocker cannot turn round
  const rocker = studio.model!.data.joints.findIndex(
    (joint) => !joint.is_cut && joint.parent === 0 && !joint.variables[0]?.motor,
  );
  studio.run.set(rocker, 0, { mode: "turn", speed: 2 });
  studio.run.start(rocker, 0);
  studio.tick((now += 0.01));
  pass(studio, 4);
  expect(studio.run.isOn).toBe(false);
  expect(studio.run.note).toMatch(/stopped at .*°: a dead point/);
  expect(studio.status!.words).toBe(studio.run.note);
  const end = value(studio, rocker);
  studio.run.set(rocker, 0, { mode: "sweep", from: end - 0.4, to: end + 0.4, speed: 1 });
  studio.run.start(rocker, 0);
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < 200; ++i) {
    studio.tick((now += 1 / 30));
    low = Math.min(low, value(studio, rocker));
    high = Math.max(high, value(studio, rocker));
  }
  expect(studio.run.isRunning).toBe(true);
  expect(studio.run.note).toMatch(/reverses at .*: a dead point/);
  expect(high).toBeCloseTo(end, 3);
  expect(low).toBeCloseTo(end - 0.4, 6);
});

it("sweeps between limits, several motors at once, others held", () => {
  const studio = studioOf("arm-6");
  const model = studio.model!;
  const [a, b] = [indexOf(studio, "waist"), indexOf(studio, "elbow")];
  for (const joint of [a, b]) {
    expect(studio.run.input(joint, 0).mode).toBe("sweep");
    studio.run.set(joint, 0, { speed: 4 });
    studio.run.start(joint, 0);
  }
  const others = studio.q.slice();
  pass(studio, 12);
  for (const joint of [a, b]) {
    const { q, v } = model.data.joints[joint];
    const values = studio.run.rows.map((row) => row.q[q]);
    expect(Math.min(...values)).toBe(model.lower[v]);
    expect(Math.max(...values)).toBe(model.upper[v]);
  }
  model.data.joints.forEach((joint, i) => {
    if (joint.nv && i !== a && i !== b) expect(studio.q[joint.q]).toBe(others[joint.q]);
  });
  // round and round ends at the limit
  studio.run.stopAll();
  studio.run.set(a, 0, { mode: "turn" });
  studio.run.start(a, 0);
  pass(studio, 3);
  expect(studio.run.isOn).toBe(false);
  expect(studio.run.note).toBe("waist stopped at 160°: its upper limit");
});

it("holds the other motors of a platform and turns round where it cannot follow", () => {
  const studio = studioOf("stewart");
  const [first, second] = runnable(studio.model!);
  studio.run.start(first.joint, first.variable);
  studio.tick((now += 0.01));
  const held = value(studio, second.joint);
  const from = value(studio, first.joint);
  pass(studio, 1);
  expect(value(studio, first.joint)).not.toBeCloseTo(from, 3);
  expect(value(studio, second.joint)).toBeCloseTo(held, 9);
});

it("passes many small steps in a slow picture, and keeps them as a motion", () => {
  const studio = studioOf("four-bar");
  const [{ joint, variable }] = runnable(studio.model!);
  studio.run.set(joint, variable, { mode: "turn", speed: 2 });
  studio.run.start(joint, variable);
  studio.tick((now += 0.2));
  for (let i = 0; i < 5; ++i) studio.tick((now += 0.2));
  expect(studio.run.time).toBeCloseTo(1, 9);
  expect(studio.run.rows.length).toBeGreaterThan(40);
  expect(studio.run.keep("turn")).toBe(true);
  expect(studio.run.isOn).toBe(false);
  expect(studio.player.motion!.name).toBe("turn");
  expect(studio.player.duration).toBeCloseTo(1, 9);
});

it("pauses when a part is grabbed, continues with other numbers, ends with another mechanism", () => {
  const studio = studioOf("four-bar");
  const [{ joint, variable }] = runnable(studio.model!);
  studio.run.start(joint, variable);
  const length = studio.model!.data.parameters.find(
    (one) => !one.formula && one.quantity === "length",
  )!;
  const old = studio.model!.parameters[length.index] ?? studio.model!.reals[length.index];
  studio.setParameter(length.name, 1.01 * old);
  expect(studio.run.isRunning).toBe(true);
  pass(studio, 0.5);
  const grab = studio.grab({ site: studio.model!.siteCount - 1, kind: "point" });
  expect(studio.run.isRunning).toBe(false);
  grab.release("keep");
  studio.takeSnapshot(snapshotOf(given.models["five-bar"].data, { version: 2 }));
  expect(studio.run.isOn).toBe(false);
});

it("stays a parallelogram across the poses where all bars are in a line", () => {
  const studio = studioOf(PARALLELOGRAM);
  studio.run.start(0, 0);
  for (let i = 0; i < 300; ++i) {
    studio.tick((now += 1 / 25));
    expect(studio.model!.loopGap(studio.q)).toBeLessThan(1e-8);
    const rocker = value(studio, indexOf(studio, "D"));
    expect(Math.cos(rocker - value(studio, 0))).toBeCloseTo(1, 5);
  }
  expect(studio.run.isRunning).toBe(true);
  expect(value(studio, 0)).toBeGreaterThan(4 * Math.PI);
});
