import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { PageModel } from "../../../src/kernel/page-model.ts";
import { PathPlan } from "../../../src/store/path/plan.ts";
import { keepsTorques, TIMING } from "../../../src/store/path/request.ts";
import { hasSwing, swingOf, swungTo } from "../../../src/store/path/swing.ts";
import { Studio } from "../../../src/store/studio.ts";
import type { PathData, PathSpec, PieceOf } from "../../../src/wire/messages.ts";
import type { Piece } from "../../../src/wire/piece-frame.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";

let given: Fixtures;
let studio: Studio;
beforeAll(async () => {
  given = await fixtures("five-bar", "five-bar-spatial", "lynx6");
});
beforeEach(() => take("five-bar"));

function take(name: string): void {
  studio = new Studio({ kernels: given.kernels, clock: () => 0 });
  studio.takeSnapshot(snapshotOf(given.models[name].data));
}

type PlanPiece = Piece<PieceOf<"path_plan">>;

function piece(
  head: PieceOf<"path_plan">,
  numbers: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>,
): PlanPiece {
  return { request: 1, head, data: new DataView(numbers.buffer) };
}

/** What a studio would send: a path of some poses, the given ones out of reach. */
function sent(q: Float64Array[], missed: number[] = []): [PlanPiece[], PathData] {
  const count = q.length;
  const model = studio.model!;
  const points = new Float32Array(7 * count);
  for (let i = 0; i < count; ++i) {
    points[3 * count + i] = 0.01 * i;
    points[4 * count + i] = 0.1 * i;
    points[6 * count + i] = missed.includes(i) ? 0 : 1;
  }
  const poses = new Float64Array(count * model.nq);
  q.forEach((row, i) => poses.set(missed.includes(i) ? row.map(() => NaN) : row, i * model.nq));
  const runs: [number, number][] = [];
  for (let i = 0; i < count; ++i)
    if (!missed.includes(i)) {
      if (runs.length && runs.at(-1)![1] === i - 1) runs.at(-1)![1] = i;
      else runs.push([i, i]);
    }
  const answer: PathData = {
    frame: "handle",
    name: "segment",
    length: 1,
    duration: 1,
    speed: 1,
    closed: false,
    gap: null,
    choices: 1,
    closing: [],
    scale: 1,
    collisions: [],
    too_fast: {},
    on_surface: false,
    count,
    reached: count - missed.length,
    runs,
    gaps: missed.map((i) => ({ first: i, last: i, reason: "out of reach" })),
    reasons: {},
    crossings: [],
    timing: { run: null, duration: 1, too_fast: {}, problem: null },
  };
  return [
    [
      piece({ kind: "points", count }, points),
      piece({ kind: "poses", count, nq: model.nq }, poses),
      piece({ kind: "rates", count, nv: model.nv }, new Float32Array(2 * count * model.nv)),
    ],
    answer,
  ];
}

/** Lets the studio answer every plan with these poses. */
function answering(q: Float64Array[], missed: number[] = []) {
  const asks: PathSpec[] = [];
  const waiting: (() => void)[] = [];
  vi.spyOn(studio, "ask").mockImplementation((_, asked, onPiece) => {
    if ("path" in asked) asks.push(asked.path as PathSpec);
    const [pieces, path] = sent(q, missed);
    const promise = new Promise<never>((resolve) =>
      waiting.push(() => {
        for (const one of pieces) onPiece?.(one as never);
        resolve({ path, problem: null } as never);
      }),
    );
    return { promise, cancel: () => undefined };
  });
  const flush = async (): Promise<void> => {
    waiting.splice(0).forEach((go) => go());
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { asks, flush };
}

const poses = (count: number): Float64Array[] =>
  Array.from({ length: count }, () => Float64Array.from(studio.q));
const SEGMENT = { kind: "segment" as const, points: [[0, 0.3, 0], [0.1, 0.3, 0]] as [number, number, number][] }; // prettier-ignore

describe("planning", () => {
  it("asks for one path at a time, and for the newest request next", async () => {
    const { asks, flush } = answering(poses(5));
    for (const x of [0.1, 0.2, 0.3, 0.4])
      studio.paths.setCurve({ ...SEGMENT, points: [[0, 0.3, 0], [x, 0.3, 0]] }); // prettier-ignore
    expect(asks.length).toBe(1);
    await flush();
    expect(asks.length).toBe(2);
    expect((asks[1].curve as typeof SEGMENT).points[1][0]).toBe(0.4);
    await flush();
    expect(studio.paths.busy).toBe(false);
    expect(studio.paths.plan?.count).toBe(5);
    expect(asks.length).toBe(2);
  });

  it("is stale when numbers change, and goes with the mechanism", async () => {
    const { flush } = answering(poses(5));
    studio.paths.setCurve(SEGMENT);
    await flush();
    studio.setParameter("crank", 0.14);
    expect(studio.paths.stale).toBe(true);
    studio.takeSnapshot(snapshotOf(given.models.lynx6.data, { version: 2 }));
    expect(studio.paths.plan).toBeNull();
    expect(studio.paths.curve).toBeNull();
  });

  it("says what is wrong with a curve and keeps the path before", async () => {
    const { flush } = answering(poses(5));
    studio.paths.setCurve(SEGMENT);
    await flush();
    const problem = { message: "unknown name", field: "x", offset: 3 };
    vi.spyOn(studio, "ask").mockReturnValue({
      promise: Promise.resolve({ path: null, problem }) as never,
      cancel: () => undefined,
    });
    studio.paths.setCurve(SEGMENT);
    await flush();
    expect(studio.paths.problem).toEqual(problem);
    expect(studio.paths.plan?.count).toBe(5);
  });
});

describe("time laws", () => {
  it("keep the motors' torques only where the file gives some", async () => {
    const { asks, flush } = answering(poses(5));
    const timing = () => asks.at(-1)!.timing!;
    studio.paths.setCurve(SEGMENT);
    studio.paths.setTiming({ law: "optimal" });
    await flush();
    expect(timing()).not.toHaveProperty("efforts");
    expect(Object.keys(timing().accelerations!)).toEqual(["A", "E"]);
    await flush();
    studio.paths.setTiming({ torques: true });
    await flush();
    expect(timing()).toMatchObject({ efforts: "motors", accelerations: {} });
    expect(Object.keys(timing().accelerations!)).toEqual([]);
    studio.paths.setTiming({ law: "smooth" });
    await flush();
    expect(timing()).not.toHaveProperty("efforts");
    const spatial = new PageModel(given.kernels, given.models["five-bar-spatial"].data);
    expect(keepsTorques(spatial, { ...TIMING, law: "optimal", torques: true })).toBe(false);
    spatial.free();
  });
});

describe("going along", () => {
  it("skips what is out of reach, in the direction of travel", async () => {
    const { flush } = answering(poses(10), [3, 4, 5]);
    studio.paths.setCurve(SEGMENT);
    await flush();
    const { walk } = studio.paths;
    walk.scrub(2);
    expect(walk.at).toBe(2);
    walk.scrub(4);
    expect(walk.at).toBe(6);
    walk.scrub(4);
    expect(walk.at).toBe(2);
    // who drags the mechanism leaves the path
    studio.setPose(studio.q, "drag");
    expect(walk.at).toBeNull();
  });

  it("plays over gaps to the end", async () => {
    const { flush } = answering(poses(10), [3, 4, 5]);
    studio.paths.setCurve(SEGMENT);
    await flush();
    const { walk } = studio.paths;
    walk.play();
    const seen: number[] = [];
    for (let now = 0; walk.playing && now < 5; now += 0.05) {
      walk.tick(now);
      seen.push(walk.at!);
    }
    expect(walk.playing).toBe(false);
    expect(walk.at).toBe(9);
    expect(new Set(seen)).toEqual(new Set([0, 1, 2, 6, 7, 8, 9]));
  });

  it("makes a motion of the stretch it stands on", async () => {
    const { flush } = answering(poses(10), [3, 4, 5]);
    studio.paths.setCurve(SEGMENT);
    await flush();
    studio.paths.walk.scrub(1);
    const motion = studio.paths.walk.motion("path1")!;
    expect(motion.times.length).toBe(3);
    expect(motion.times[0]).toBe(0);
    studio.paths.walk.scrub(8);
    expect(studio.paths.walk.motion("path1")!.values.length).toBe(4);
  });

  it("leaves a gripper as it is set", async () => {
    take("lynx6");
    const { flush } = answering(poses(4));
    studio.paths.setCurve(SEGMENT);
    await flush();
    const gripper = studio.model!.data.joints.find((joint) => joint.name === "gripper")!.q;
    const q = studio.q.slice();
    q[gripper] = 0.005;
    studio.setPose(q, "slider");
    studio.paths.walk.scrub(2);
    expect(studio.q[gripper]).toBe(0.005);
  });
});

describe("the swing of the spatial five-bar", () => {
  beforeEach(() => take("five-bar-spatial"));

  it("goes round with the motors held and the loops closed", () => {
    const model = studio.model!;
    const site = model.siteCount - 1;
    const swing = swingOf(model, studio.q, site)!;
    expect(swing.angles[0]).toBeLessThan(-3);
    expect(swing.angles.at(-1)).toBeGreaterThan(3);
    const place = (q: Float64Array) =>
      Array.from(model.forward(q).slice(7 * site + 4, 7 * site + 7));
    const [before, after] = [place(studio.q), place(swungTo(model, swing, 1))];
    const q = swungTo(model, swing, 1);
    expect(model.loopGap(q)).toBeLessThan(1e-9);
    for (const joint of model.data.joints.filter((one) => one.variables.some((v) => v.motor)))
      expect(q[joint.q]).toBeCloseTo(studio.q[joint.q], 9);
    // on a circle of radius r a turn of 1 rad moves by 2 r sin(1/2); here r is the rods' height
    const chord = Math.hypot(...after.map((x, k) => x - before[k]));
    const half = Math.hypot(...place(swungTo(model, swing, 0.5)).map((x, k) => x - before[k]));
    expect(chord / half).toBeCloseTo(Math.sin(0.5) / Math.sin(0.25), 3);
  });

  it("other mechanisms have none", () => {
    const swings = (): boolean => hasSwing(studio.model!, studio.q, studio.model!.siteCount - 1);
    expect(swings()).toBe(true);
    for (const name of ["five-bar", "lynx6"]) {
      take(name);
      expect(swings()).toBe(false);
    }
  });
});

it("a plan knows its stretches", () => {
  const [pieces, answer] = sent(poses(8), [0, 4]);
  const plan = new PathPlan();
  for (const one of pieces) plan.take(one);
  plan.finish(answer);
  expect(plan.nearest(0)).toBe(1);
  expect(plan.nearest(4, -1)).toBe(3);
  expect(plan.runOf(4)).toBe(-1);
  expect(plan.longest).toBe(0);
  expect(plan.reason(4)).toBe("out of reach");
  expect(plan.reason(5)).toBe("");
});
