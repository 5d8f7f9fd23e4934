// The devices of a page: those that are always there, and those the file declares.
import type { Four } from "../../kernel/spatial.ts";
import type { DeviceHost } from "../../store/hosts.ts";
import type { DeviceData } from "../../wire/messages.ts";
import { FrameLoop } from "../frame-loop.ts";
import { type Device, TWIST_AXES } from "./device.ts";
import { GamepadDevice } from "./gamepad.ts";
import { KeyboardDevice } from "./keyboard.ts";
import { Mapping } from "./mapping.ts";
import { MouseDevice } from "./mouse.ts";
import { Rumble } from "./rumble.ts";
import { SlidersDevice } from "./sliders.ts";
import { SpaceMouseDevice } from "./spacemouse.ts";
import { TrackerDevice } from "./tracker.ts";

export class Devices {
  readonly keyboard: KeyboardDevice;
  readonly mouse: MouseDevice;
  readonly gamepad = new GamepadDevice();
  readonly spacemouse = new SpaceMouseDevice();
  readonly rumble = new Rumble();
  mappings: Mapping[] = [];
  /** Those of the file that a page cannot read. */
  foreign: readonly DeviceData[] = [];
  private last: number | null = null;
  private bound: string | null = null;
  private readonly endings: (() => void)[];
  private isStarted = false;
  private readonly wake = (): void => {
    if (this.isStarted) this.loop.wake();
  };
  private readonly loop = new FrameLoop((seconds) => {
    // it has slept: no time has passed for what is pressed now
    if (seconds === 0) this.last = null;
    return this.tick() || this.isBusy;
  });

  constructor(
    private readonly studio: DeviceHost,
    target: EventTarget | null,
    private readonly facing?: () => Four,
  ) {
    this.keyboard = new KeyboardDevice(target);
    this.mouse = new MouseDevice(target);
    // what was allowed once needs no click again
    void this.spacemouse.connect(false).catch(() => undefined);
    this.bind(studio.snapshot?.devices ?? []);
    this.endings = [
      studio.on("snapshot", (snapshot) => this.bind(snapshot.devices)),
      // what it lets one feel
      studio.on("simulation", this.wake),
      // at once: in a headset, a window may get no frames
      studio.on("trackers", () => this.followTrackers()),
    ];
  }

  /** Reads devices from now on, frame by frame, while one of them is used. */
  start(): void {
    this.isStarted = true;
    this.loop.wake();
  }

  /** Whether devices are read at present. */
  get isAwake(): boolean {
    return this.loop.isAwake;
  }

  /** Whether something is still held, felt or has to be asked how it stands, as gamepads have. */
  private get isBusy(): boolean {
    const { mappings, gamepad, studio } = this;
    return (
      gamepad.isConnected || studio.simulation.isRunning || mappings.some(({ isUsed }) => isUsed)
    );
  }

  /** Reads everything once; call it once per frame. now: [s]. */
  tick(now: number = this.studio.clock()): boolean {
    const dt = this.last === null ? 0 : Math.min(0.1, now - this.last);
    this.last = now;
    this.rumble.tick(this.studio.simulation);
    return this.mappings.map((mapping) => mapping.apply(dt)).some(Boolean);
  }

  /** The sliders and button boxes that the file declares. */
  get boxes(): SlidersDevice[] {
    return this.mappings.map((one) => one.device).filter((one) => one instanceof SlidersDevice);
  }

  dispose(): void {
    this.loop.stop();
    for (const end of this.endings) end();
    for (const mapping of this.mappings) mapping.letGo();
    for (const device of [this.keyboard, this.mouse, this.gamepad, this.spacemouse])
      device.dispose();
  }

  /** Frames move as their trackers do; those of trackers that are lost stay where they are. */
  private followTrackers(): void {
    for (const mapping of this.mappings)
      if (mapping.device instanceof TrackerDevice && !mapping.apply(0)) mapping.letGo();
  }

  private bind(declared: readonly DeviceData[]): void {
    // a snapshot that changes nothing about devices must not interrupt them
    const model = this.studio.model?.data;
    const key = JSON.stringify([declared, model?.joints.map((joint) => joint.name)]);
    if (key === this.bound) return;
    this.bound = key;
    for (const mapping of this.mappings) mapping.letGo();
    const standard: Device[] = [this.keyboard, this.gamepad, this.spacemouse];
    const mappings: Mapping[] = [];
    const foreign: DeviceData[] = [];
    for (const data of declared) {
      const device = [...standard, this.mouse].find((one) => one.type === data.type);
      if (device !== undefined) mappings.push(new Mapping(this.studio, device, data, this.facing));
      else if (data.type === "tracker" && data.port)
        mappings.push(
          new Mapping(this.studio, new TrackerDevice(data.name, this.studio.trackers), data),
        );
      else if (data.type === "sliders" || data.type === "buttons")
        mappings.push(new Mapping(this.studio, this.box(data, data.type), data, this.facing));
      else foreign.push(data);
    }
    this.foreign = foreign;
    this.mouse.isDeclared = declared.some((data) => data.type === "mouse");
    // those that the file does not speak of move what is selected
    for (const device of standard)
      if (!declared.some((data) => data.type === device.type))
        mappings.push(new Mapping(this.studio, device, null, this.facing));
    this.mappings = mappings;
    for (const { device } of mappings) device.stirred = this.wake;
  }

  /** A box with one axis per joint or parameter it moves, or six for a frame or link. */
  private box(data: DeviceData, type: "sliders" | "buttons"): SlidersDevice {
    const model = this.studio.model?.data;
    const single = new Set([...(model?.joints ?? []), ...(model?.parameters ?? [])].map(nameOf));
    const axes = data.moves.filter((name) => single.has(name));
    const kind = type === "buttons" ? "incremental" : data.mode;
    return new SlidersDevice(data.name, axes.length ? axes : TWIST_AXES, 0, kind, type);
  }
}

const nameOf = (one: { name: string }): string => one.name;
