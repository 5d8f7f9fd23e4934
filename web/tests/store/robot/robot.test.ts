import { beforeAll, beforeEach, expect, it } from "vitest";

import type { Heart } from "../../../src/store/robot/heart.ts";
import { Studio } from "../../../src/store/studio.ts";
import { differenceLines, rangeText, stateText } from "../../../src/ui/robot/words.ts";
import type { DrivenServo, DriveState } from "../../../src/wire/messages.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";
import { FakeSocket, FakeStore } from "../../wire/fake-socket.ts";

class FakeHeart implements Heart {
  beat: (() => void) | null = null;
  start(beat: () => void): void {
    this.beat ??= beat;
  }
  stop(): void {
    this.beat = null;
  }
}

const SERVO: DrivenServo = {
  ...{ id: 1, joint: "left", unit: "rad", lower: -1, upper: null, speed: 0.5, position: 0 },
};
let given: Fixtures;
let socket: FakeSocket;
let studio: Studio;
let heart: FakeHeart;
beforeAll(async () => {
  given = await fixtures("five-bar");
});
beforeEach(() => {
  heart = new FakeHeart();
  studio = new Studio({
    kernels: given.kernels,
    heart,
    connection: {
      url: "ws://here",
      store: new FakeStore(),
      makeSocket: (url) => (socket = new FakeSocket(url)),
    },
  });
  socket.welcome();
  socket.say(snapshotOf(given.models["five-bar"].data));
});

function state(phase: DriveState["phase"], more: Partial<DriveState> = {}): void {
  socket.say({
    ...{ kind: "drive_state", phase, reason: "", owner: studio.welcome!.client, task: "" },
    ...{ bus: "feetech", port: "/dev/ttyUSB0", baud: 1e6, measures: true, servos: [SERVO] },
    ...{ speed: 0.25, torque: 1, on_stop: "hold", twin: false, marked: [], zeros: [] },
    ...more,
  });
}
function frame(time: number, q: number[], more: object = {}): void {
  const [goals, positions] = [[0.5], [0.4]];
  socket.say({ kind: "drive_frame", time, q, goals, positions, loads: [0], twin: [], ...more });
}

it("sends heartbeats while its motors are on, and only from the page that drives", () => {
  state("off");
  expect(heart.beat).toBe(null);
  state("on");
  heart.beat!();
  expect(socket.of("drive_beat")).toHaveLength(1);
  state("stopped", { reason: "by the user" });
  expect(heart.beat).toBe(null);
  state("on", { owner: 99 });
  expect(heart.beat).toBe(null);
});

it("stops at once, without waiting for an answer", () => {
  studio.robot.stop();
  expect(socket.of("drive_stop")).toHaveLength(0); // nothing is connected
  state("on", { task: "follow" });
  void studio.robot.limit(0.5, 1); // is not answered
  studio.robot.stop();
  expect(socket.of("drive_stop")).toMatchObject([{ reason: "by the user" }]);
});

it("shows the measured pose as a phantom, or as the mechanism while a hand leads it", () => {
  const before = Array.from(studio.q);
  const there = before.map((x) => x + 0.01);
  state("on", { task: "follow" });
  frame(0.1, there);
  expect(studio.robot.phantom).toEqual(there);
  expect(Array.from(studio.q)).toEqual(before);
  state("off", { task: "teach" });
  frame(0.2, there);
  expect(studio.robot.phantom).toBe(null);
  expect(Array.from(studio.q)).toEqual(there);
});

it("puts what was taught into the player", async () => {
  state("off", { task: "teach" });
  const work = studio.robot.finish();
  const { joints } = studio.model!.data;
  const motion = {
    ...{ name: "taught", joints: [joints[0]!.name], times: [0, 1], values: [[0.1], [0.2]] },
    ...{ interpolation: "linear", note: null },
  } as const;
  const { request } = socket.of("finish_task").at(-1)!;
  socket.say({ kind: "done", request, result: { motion } });
  await work;
  expect(studio.player.motion?.name).toBe("taught");
});

it("says why an order was refused, and forgets the robot with the connection", async () => {
  const choice = { bus: "feetech", port: "COM9", speed: 0.2, torque: 1, on_stop: "hold" } as const;
  const work = studio.robot.connect(choice);
  expect(socket.of("connect_robot").at(-1)).toMatchObject({ port: "COM9" });
  const { request } = socket.of("connect_robot").at(-1)!;
  socket.say({ kind: "refused", request, message: "port 'COM9' cannot be opened", conflict: null });
  await work;
  expect(studio.robot.error).toBe("port 'COM9' cannot be opened");
  state("on");
  socket.drop();
  expect(studio.robot.phase).toBe("none");
  expect(heart.beat).toBe(null);
});

it("keeps the differences of the last seconds", () => {
  state("on");
  for (let t = 0; t <= 20; ++t) frame(t, [], { twin: [0.3] });
  const { history } = studio.robot;
  expect(history.times[0]).toBe(5);
  const [lag] = differenceLines([SERVO], history.lag, "rad", "mm");
  expect(lag!.values[0]).toBeCloseTo((0.1 * 180) / Math.PI);
  expect(history.twin[0]![0]).toBeCloseTo(0.1);
  expect(differenceLines([SERVO], history.lag, "m", "mm")).toEqual([]);
});

it("describes it in words", () => {
  expect(rangeText(SERVO, "mm")).toBe("−57.3° to no limit");
  state("stopped", { reason: "no heartbeat for 200 ms" });
  expect(stateText(studio.robot.state)).toBe("Stopped (no heartbeat for 200 ms): the motors hold");
});
