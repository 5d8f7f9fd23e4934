import { beforeAll, beforeEach, expect, it } from "vitest";

import { readPort } from "../../../src/store/simulation/hardware.ts";
import { Studio } from "../../../src/store/studio.ts";
import { clientsText, ratesText } from "../../../src/ui/scene/hardware/hardware.ts";
import type { Simulation, TrafficData, WireData } from "../../../src/wire/messages.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";
import { FakeSocket, FakeStore } from "../../wire/fake-socket.ts";

let given: Fixtures;
let socket: FakeSocket;
let studio: Studio;
beforeAll(async () => {
  given = await fixtures("five-bar");
});
beforeEach(() => {
  studio = new Studio({
    kernels: given.kernels,
    connection: {
      url: "ws://here",
      store: new FakeStore(),
      makeSocket: (url) => (socket = new FakeSocket(url)),
    },
  });
  socket.welcome();
  socket.say(snapshotOf(given.models["five-bar"].data));
});

function wire(word: string): WireData {
  return { word, kind: word.split(":")[0]!, robot: "", endpoint: `/dev/${word}`, facts: [] };
}
function state(phase: Simulation["phase"], ...words: string[]): void {
  const more = { settings: {}, remarks: [], objects: [], owner: 1, plan: null, unknown: "" };
  const lists = { signals: [], sensors: [], nodes: [], log: null, doing: "", devices: [] };
  socket.say({
    ...{ kind: "simulation", phase, reason: "" },
    ...{ ...more, ...lists, wires: words.map(wire) },
  });
}
function traffic(time: number, received: number): TrafficData {
  const bytes = { bytes_received: 0, bytes_sent: 0, errors: 0 };
  const last = [{ time, from_robot: false, words: `packet ${received}`, data: "ff" }];
  return { clients: null, time, received, sent: received, ...bytes, last };
}
const asked = () => socket.orders.at(-1)!;
function answer(): void {
  socket.say({ kind: "done", request: asked().request, result: null });
}

it("starts the simulation with the first wire, and adds others to it", async () => {
  const { hardware } = studio.simulation;
  let work = hardware.switchOn("feetech", null);
  expect(asked()).toMatchObject({
    kind: "start_simulation",
    run: true,
    settings: { wires: ["feetech"] },
  });
  state("running", "feetech");
  answer();
  await work;
  expect(hardware.of("feetech")[0]!.endpoint).toBe("/dev/feetech");
  work = hardware.switchOn("rosbridge", 9091);
  expect(asked()).toMatchObject({
    kind: "set_simulation",
    settings: { wires: ["feetech", "rosbridge:9091"] },
  });
  state("running", "feetech", "rosbridge:9091");
  answer();
  await work;
  work = hardware.switchOff("feetech");
  expect(asked()).toMatchObject({
    kind: "set_simulation",
    settings: { wires: ["rosbridge:9091"] },
  });
  state("running", "rosbridge:9091");
  answer();
  await work;
  state("off");
  expect(studio.simulation.settings.wires).toEqual([]);
});

it("keeps what was on where another one is refused", async () => {
  state("running", "feetech");
  const { hardware } = studio.simulation;
  const work = hardware.switchOn("rosbridge", null);
  const message = "rosbridge: cannot listen on 127.0.0.1:9090: address already in use";
  socket.say({ kind: "refused", request: asked().request, message, conflict: null });
  await work;
  expect(hardware.error).toBe(message);
  expect(studio.simulation.settings.wires).toEqual(["feetech"]);
});

it("takes over what is on when a page is loaded again", () => {
  state("running", "feetech", "rosbridge:9091");
  expect(studio.simulation.settings.wires).toEqual(["feetech", "rosbridge:9091"]);
});

it("shows rates, and holds packets to be read while they go on", () => {
  state("running", "feetech");
  const { hardware } = studio.simulation;
  const hear = (time: number, received: number): void =>
    socket.say({ kind: "traffic", wires: [traffic(time, received)] });
  for (let i = 0; i <= 8; ++i) hear(0.25 * i, 10 * i);
  expect(hardware.rates[0]).toEqual({ received: 40, sent: 40 });
  expect(ratesText(hardware.rates[0])).toBe("40 in, 40 out per second");
  expect(clientsText(hardware.traffic[0]!, hardware.rates[0])).toBe("a program is sending data");
  hardware.pause(true);
  hear(2.25, 80);
  expect(hardware.traffic[0]!.last[0]!.words).toBe("packet 80");
  hear(5, 80);
  hear(6.5, 80);
  expect(hardware.rates[0]!.received).toBe(0);
  hardware.pause(false);
  expect(hardware.traffic[0]!.time).toBe(6.5);
  // another wire in its place begins again
  state("running", "dynamixel");
  expect(hardware.traffic).toEqual([]);
});

it("reads ports", () => {
  expect(readPort(" ")).toBe(null);
  expect(readPort("9090")).toBe(9090);
  expect([readPort("70000"), readPort("-1"), readPort("x")]).toEqual([NaN, NaN, NaN]);
});
