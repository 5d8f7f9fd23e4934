// SpaceMouse by WebHID: reports of int16 little endian; report 1 moves, 2 turns, 3 buttons.
import { type Device, type Reading, TWIST_AXES, twistReading, withoutSlack } from "./device.ts";

/** What a cap's state is: twist in counts, buttons. */
export interface CapState {
  twist: readonly [number, number, number, number, number, number];
  buttons: readonly boolean[];
}

export const REST: CapState = { twist: [0, 0, 0, 0, 0, 0], buttons: [] };
/** Counts at full deflection. */
const FULL = 350;
const SLACK = 0.03;
/** Makers of such devices: Logitech (older ones), 3Dconnexion. */
const FILTERS = [{ vendorId: 0x256f }, { vendorId: 0x046d, usagePage: 1, usage: 8 }];

/** The state after a report; reports that are not understood change nothing. */
export function parseReport(id: number, data: DataView, before: CapState = REST): CapState {
  const number = (i: number): number => data.getInt16(2 * i, true);
  const [x, y, z, rx, ry, rz] = before.twist;
  if (id === 1 && data.byteLength >= 12)
    return { ...before, twist: [number(0), number(1), number(2), number(3), number(4), number(5)] };
  if (id === 1 && data.byteLength >= 6)
    return { ...before, twist: [number(0), number(1), number(2), rx, ry, rz] };
  if (id === 2 && data.byteLength >= 6)
    return { ...before, twist: [x, y, z, number(0), number(1), number(2)] };
  if (id === 3 && data.byteLength >= 1) {
    const count = 8 * Math.min(4, data.byteLength);
    const bit = (i: number): boolean => (data.getUint8(i >> 3) & (1 << (i & 7))) !== 0;
    return { ...before, buttons: Array.from({ length: count }, (_, i) => bit(i)) };
  }
  return before;
}

/** Counts as a twist in world axes: the cap's y points to the user and its z down. */
export function capReading(state: CapState): Reading {
  const [x, y, z, rx, ry, rz] = state.twist.map((count) => withoutSlack(count / FULL, SLACK));
  const flip = (value: number): number => (value === 0 ? 0 : -value);
  return twistReading([x, flip(y), flip(z), rx, flip(ry), flip(rz)], state.buttons);
}

/** The part of WebHID that is used. */
export interface HidDevice extends EventTarget {
  readonly opened: boolean;
  readonly productName: string;
  open(): Promise<void>;
  close(): Promise<void>;
}
export interface Hid {
  getDevices(): Promise<HidDevice[]>;
  requestDevice(options: { filters: object[] }): Promise<HidDevice[]>;
  addEventListener?(type: "disconnect", listener: (event: Event) => void): void;
  removeEventListener?(type: "disconnect", listener: (event: Event) => void): void;
}

/** The browser's WebHID, null where it has none. */
export function browserHid(): Hid | null {
  return (globalThis.navigator as { hid?: Hid } | undefined)?.hid ?? null;
}

export class SpaceMouseDevice implements Device {
  readonly type = "spacemouse";
  readonly kind = "incremental";
  readonly axisNames = TWIST_AXES;
  stirred: (() => void) | null = null;
  private state = REST;
  /** Called when one was connected or pulled out. */
  changed: (() => void) | null = null;
  private device: HidDevice | null = null;

  constructor(
    readonly name = "spacemouse",
    private readonly hid: Hid | null = browserHid(),
  ) {}

  get isConnected(): boolean {
    return this.device !== null;
  }

  /** Takes a device the user allowed before, or asks for one (only on a click); false: none. */
  async connect(mayAsk: boolean): Promise<boolean> {
    if (this.hid === null || this.device !== null) return this.device !== null;
    let [device] = await this.hid.getDevices();
    if (device === undefined && mayAsk)
      [device] = await this.hid.requestDevice({ filters: FILTERS });
    if (device === undefined) return false;
    if (!device.opened) await device.open();
    device.addEventListener("inputreport", this.onReport);
    this.hid.addEventListener?.("disconnect", this.onGone);
    this.device = device;
    this.changed?.();
    return true;
  }

  read(): Reading | null {
    const reading = capReading(this.state);
    const isResting = reading.axes.every((value) => value === 0);
    return this.device === null || (isResting && !reading.buttons.some(Boolean)) ? null : reading;
  }

  dispose(): void {
    this.device?.removeEventListener("inputreport", this.onReport);
    void this.device?.close().catch(() => undefined);
    this.device = null;
    this.state = REST;
  }

  private readonly onGone = (event: Event): void => {
    if ((event as Event & { device?: HidDevice }).device !== this.device) return;
    this.hid?.removeEventListener?.("disconnect", this.onGone);
    this.dispose();
    this.changed?.();
  };

  private readonly onReport = (event: Event): void => {
    const { reportId, data } = event as Event & { reportId: number; data: DataView };
    this.state = parseReport(reportId, data, this.state);
    this.stirred?.();
  };
}
