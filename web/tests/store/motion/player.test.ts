import { beforeAll, describe, expect, it } from "vitest";

import { farthest, samplePath } from "../../../src/store/motion/timed-path.ts";
import { Studio } from "../../../src/store/studio.ts";
import { placeOf, poseAt } from "../../../src/kernel/spatial.ts";
import type { MotionData } from "../../../src/wire/messages.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";

let given: Fixtures;
let now = 0;
beforeAll(async () => {
  given = await fixtures("five-bar", "stewart", "so101");
});
function studioOf(name: string): Studio {
  const studio = new Studio({ kernels: given.kernels, clock: () => now });
  studio.takeSnapshot(snapshotOf(given.models[name].data));
  return studio;
}
function record(studio: Studio, ticks: number): MotionData {
  const site = studio.model!.siteCount - 1;
  const at = placeOf(poseAt(studio.poses, site));
  studio.startRecording("drag");
  const grab = studio.grab({ site, kind: "point" });
  for (let i = 1; i <= ticks; ++i) {
    const step = (0.1 * studio.model!.size * i) / ticks;
    grab.move({ position: [at[0] - step, at[1] + step, at[2]] });
    studio.tick((now += 1 / 60));
  }
  grab.release("keep");
  return studio.stopRecording()!;
}

describe.each(["five-bar", "stewart"])("%s", (name) => {
  it("records a drag and plays it back, loops closed in between", () => {
    const studio = studioOf(name);
    const start = studio.q.slice();
    const motion = record(studio, 30);
    const end = studio.q.slice();
    expect(motion.times).toHaveLength(31);
    expect(motion.times.at(-1)).toBeCloseTo(0.5, 6);
    const { player } = studio;
    expect(player.motion).toBe(motion);
    expect(player.duration).toBeCloseTo(0.5, 6);
    player.rewind();
    expect(farthest(studio.model!, studio.q, start)).toBeLessThan(1e-12);
    player.play();
    for (let i = 0; i < 200 && player.playing; ++i) {
      studio.tick((now += 0.007));
      expect(studio.model!.loopGap(studio.q)).toBeLessThan(1e-8);
    }
    expect(player.playing).toBe(false);
    expect(player.time).toBe(player.duration);
    expect(farthest(studio.model!, studio.q, end)).toBeLessThan(1e-12);
  });
});

it("scrubs, steps, loops, changes rate and goes backwards", () => {
  const studio = studioOf("five-bar");
  const motion = record(studio, 10);
  const { player } = studio;
  player.seek(motion.times[4]);
  player.step(1);
  expect(player.time).toBeCloseTo(motion.times[5], 9);
  player.step(-2);
  expect(player.time).toBeCloseTo(motion.times[3], 9);
  player.seek((motion.times[3] + motion.times[4]) / 2);
  player.step(-1);
  expect(player.time).toBeCloseTo(motion.times[3], 9);
  player.step(-99);
  expect(player.time).toBe(0);
  player.setRate(2);
  player.play();
  player.advance((now += 1));
  player.advance((now += 0.05));
  expect(player.time).toBeCloseTo(0.1, 9);
  player.setRate(-1);
  player.advance((now += 0.04));
  expect(player.time).toBeCloseTo(0.06, 9);
  player.setLoop(true);
  player.advance((now += 0.1));
  expect(player.playing).toBe(true);
  expect(player.time).toBeCloseTo(player.duration - 0.04, 9);
  player.seek(99);
  expect(player.time).toBe(player.duration);
});

it("stops when the mechanism is grabbed", () => {
  const studio = studioOf("five-bar");
  record(studio, 10);
  studio.player.rewind();
  studio.player.play();
  studio.tick((now += 0.01));
  studio.grab({ site: 1, kind: "point" });
  expect(studio.player.playing).toBe(false);
});

it("plays motions that name some joints only: the others follow", () => {
  const studio = studioOf("five-bar");
  const { joints } = studio.model!.data;
  const motor = joints.find((joint) => joint.variables[0]?.motor)!;
  const other = joints.filter((joint) => joint.variables[0]?.motor)[1];
  const [a, b] = [studio.q[motor.q], studio.q[other.q]];
  studio.player.load({
    name: "turn", joints: [motor.name, other.name], times: [0, 1], values: [[a, b], [a + 0.2, b]],
    interpolation: "linear", note: null,
  }); // prettier-ignore
  studio.player.seek(0.5);
  expect(studio.q[motor.q]).toBeCloseTo(a + 0.1, 9);
  expect(studio.q[other.q]).toBeCloseTo(b, 9);
  expect(studio.model!.loopGap(studio.q)).toBeLessThan(1e-9);
  expect(() =>
    studio.player.load({
      name: "x", joints: ["nobody"], times: [0], values: [[0]], interpolation: "linear", note: null,
    }),
  ).toThrow("joint 'nobody', which this mechanism lacks"); // prettier-ignore
});

it("passes smoothly through waypoints set by hand", () => {
  const studio = studioOf("so101");
  const { model, player } = studio;
  const start = studio.q.slice();
  player.addWaypoint("wave");
  studio.setVariable(1, 0, studio.q[1] + 0.3);
  const middle = studio.q.slice();
  player.addWaypoint("wave", 2);
  studio.setVariable(0, 0, studio.q[0] + 0.4);
  const motion = player.addWaypoint("wave", 2);
  expect(motion.times).toEqual([0, 2, 4]);
  expect(motion.interpolation).toBe("cubic");
  player.seek(2);
  expect(farthest(model!, studio.q, middle)).toBeLessThan(1e-12);
  // cubic: the speed is the same on both sides of a waypoint
  const path = { times: motion.times, poses: motion.values.map((row) => Float64Array.from(row)) };
  const at = (t: number): Float64Array => samplePath(model!, path, t, "cubic");
  const h = 1e-5;
  const before = model!.difference(at(2 - h), at(2));
  const after = model!.difference(at(2), at(2 + h));
  before.forEach((value, i) => expect((value - after[i]) / h).toBeCloseTo(0, 3));
  expect(player.removeWaypoint(1)!.times).toEqual([0, 4]);
  player.rewind();
  expect(farthest(model!, studio.q, start)).toBeLessThan(1e-12);
});

it("waypoints are given other times, places and poses", () => {
  const studio = studioOf("so101");
  const { player } = studio;
  const pose = (angle: number): void => {
    const q = studio.q.slice();
    q[0] = angle;
    studio.setPose(q, "set");
  };
  [0.1, 0.2, 0.3].forEach((angle) => {
    pose(angle);
    player.addWaypoint("path");
  });
  const first = (): number[] => player.motion!.values.map((row) => row[0]);
  player.retimeWaypoint(1, 0.25);
  expect(player.motion!.times).toEqual([0, 0.25, 2]);
  // later than the next one: it comes behind it
  player.retimeWaypoint(1, 3);
  expect(player.motion!.times).toEqual([0, 2, 3]);
  expect(first()).toEqual([0.1, 0.3, 0.2]);
  // never two at one time
  player.retimeWaypoint(2, 2);
  expect(player.motion!.times[2]).toBeGreaterThan(2);
  player.reorderWaypoint(2, 1);
  expect(first()).toEqual([0.1, 0.2, 0.3]);
  player.reorderWaypoint(0, -1);
  expect(first()).toEqual([0.1, 0.2, 0.3]);
  pose(-0.4);
  player.resetWaypoint(1);
  expect(first()).toEqual([0.1, -0.4, 0.3]);
  expect(player.motion!.interpolation).toBe("cubic");
  player.setInterpolation("linear");
  expect(player.motion!.interpolation).toBe("linear");
  player.removeWaypoint(1);
  player.removeWaypoint(0);
  expect(first()).toEqual([0.3]);
  expect(player.removeWaypoint(0)).toBeNull();
  expect(player.retimeWaypoint(0, 1)).toBeNull();
});

it("plays a pause as a pause", () => {
  const studio = studioOf("five-bar");
  const motion = (() => {
    const site = studio.model!.siteCount - 1;
    const at = placeOf(poseAt(studio.poses, site));
    studio.startRecording("drag");
    const grab = studio.grab({ site, kind: "point" });
    grab.move({ position: [at[0] - 0.002, at[1], at[2]] });
    studio.tick((now += 1 / 60));
    now += 3;
    grab.move({ position: [at[0] - 0.02, at[1] + 0.01, at[2]] });
    studio.tick(now);
    grab.release("keep");
    now += 2;
    return studio.stopRecording()!;
  })();
  const { player } = studio;
  expect(player.duration).toBeCloseTo(5 + 1 / 60, 6);
  const [early, late] = [player.poseAt(0.1)!, player.poseAt(2.9)!];
  expect(farthest(studio.model!, early, late)).toBeLessThan(1e-9);
  expect(farthest(studio.model!, player.poseAt(3.1)!, player.poseAt(5)!)).toBeLessThan(1e-9);
  expect(farthest(studio.model!, late, player.poseAt(3.1)!)).toBeGreaterThan(1e-3);
  expect(motion.times.every((t, i) => i === 0 || t > motion.times[i - 1])).toBe(true);
});

it("the playhead shows the pose that it stands on, or that it does not", () => {
  const studio = studioOf("five-bar");
  const start = studio.q.slice();
  const motion = record(studio, 10);
  const { player } = studio;
  // after a recording the mechanism is at its end, and so is the playhead
  expect(player.time).toBe(player.duration);
  expect(player.isThere).toBe(true);
  player.load(motion);
  expect(player.time).toBe(0);
  expect(farthest(studio.model!, studio.q, start)).toBeLessThan(1e-9);
  expect(player.isThere).toBe(true);
  studio.setVariable(0, 0, studio.q[0] + 0.05);
  expect(player.isThere).toBe(false);
  player.seek(0);
  expect(player.isThere).toBe(true);
});
