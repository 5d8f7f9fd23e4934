// The devices of a page: those that are always there, and those the file declares.
import type { Studio } from "../../store/studio.ts";
import type { DeviceData } from "../../wire/messages.ts";
import type { Device } from "./device.ts";
import { GamepadDevice } from "./gamepad.ts";
import { KeyboardDevice } from "./keyboard.ts";
import { Mapping } from "./mapping.ts";
import { SlidersDevice } from "./sliders.ts";
import { SpaceMouseDevice } from "./spacemouse.ts";

export class Devices {
  readonly keyboard: KeyboardDevice;
  readonly gamepad = new GamepadDevice();
  readonly spacemouse = new SpaceMouseDevice();
  mappings: Mapping[] = [];
  private last: number | null = null;
  private bound: string | null = null;
  private readonly unsubscribe: () => void;

  constructor(
    private readonly studio: Studio,
    target: EventTarget | null,
    private readonly heading: () => number = () => 0,
  ) {
    this.keyboard = new KeyboardDevice(target);
    this.bind(studio.snapshot?.devices ?? []);
    this.unsubscribe = studio.on("snapshot", (snapshot) => this.bind(snapshot.devices));
  }

  /** Reads everything once; call it once per frame. now: [s]. */
  tick(now: number = this.studio.clock()): boolean {
    const dt = this.last === null ? 0 : Math.min(0.1, now - this.last);
    this.last = now;
    return this.mappings.map((mapping) => mapping.apply(dt)).some(Boolean);
  }

  /** The sliders and button boxes that the file declares. */
  get boxes(): SlidersDevice[] {
    return this.mappings.map((one) => one.device).filter((one) => one instanceof SlidersDevice);
  }

  dispose(): void {
    this.unsubscribe();
    for (const mapping of this.mappings) mapping.letGo();
    for (const device of [this.keyboard, this.gamepad, this.spacemouse]) device.dispose();
  }

  private bind(declared: readonly DeviceData[]): void {
    // a snapshot that changes nothing about devices must not interrupt them
    const key = JSON.stringify(declared);
    if (key === this.bound) return;
    this.bound = key;
    for (const mapping of this.mappings) mapping.letGo();
    const standard: Device[] = [this.keyboard, this.gamepad, this.spacemouse];
    const mappings: Mapping[] = [];
    for (const data of declared) {
      const device = standard.find((one) => one.type === data.type);
      if (device !== undefined) mappings.push(new Mapping(this.studio, device, data, this.heading));
      else if (data.type === "sliders" || data.type === "buttons")
        mappings.push(new Mapping(this.studio, new SlidersDevice(data.name, data.moves), data));
    }
    // those that the file does not speak of move what is selected
    for (const device of standard)
      if (!declared.some((data) => data.type === device.type))
        mappings.push(new Mapping(this.studio, device, null, this.heading));
    this.mappings = mappings;
  }
}
