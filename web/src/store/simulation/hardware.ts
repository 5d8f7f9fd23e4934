// Wires of the simulated robot: protocols by which other programs read and move it, their traffic.
import type { OfferData, Traffic, TrafficData, WireData } from "../../wire/messages.ts";
import type { EventHost, RequestHost } from "../hosts.ts";
import type { SimulationSettings } from "./settings.ts";

/** Rates are those of so much time [s]. */
const WINDOW = 1;
const LARGEST_PORT = 65535;

/** What it needs of the simulation. */
export interface HardwareHost {
  readonly studio: EventHost & Pick<RequestHost, "ask"> & { refuseIfWatching(): boolean };
  readonly isOn: boolean;
  readonly busy: boolean;
  readonly error: string | null;
  settings: SimulationSettings;
  start(run: boolean): Promise<void>;
  set(change: Partial<SimulationSettings>): Promise<void>;
}

/** Packets per second. */
export interface Rates {
  received: number;
  sent: number;
}

/** The protocol of a wire as settings name it. */
export function kindOf(word: string): string {
  return word.split(":")[0];
}

/** A port that was typed: null where nothing was, NaN where it is none. */
export function readPort(text: string): number | null {
  const typed = text.trim();
  if (typed === "") return null;
  const port = /^\d+$/.test(typed) ? Number(typed) : NaN;
  return port <= LARGEST_PORT ? port : NaN;
}

export class Hardware {
  /** All protocols, null before they were asked for. */
  offers: readonly OfferData[] | null = null;
  wires: readonly WireData[] = [];
  /** In the order of the wires; what is shown, while it is paused that of then. */
  traffic: readonly TrafficData[] = [];
  rates: readonly Rates[] = [];
  /** Whether packets stay as they are, to be read. */
  paused = false;
  /** What is being switched on or off. */
  switching: string | null = null;
  /** Why something could not be switched on, in words. */
  error: string | null = null;

  private samples: (readonly TrafficData[])[] = [];
  private isAsking = false;
  private isStale = false;

  constructor(private readonly host: HardwareHost) {}

  /** Asks which protocols the mechanism can have; of several calls the last one counts. */
  async load(): Promise<void> {
    this.isStale = true;
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      while (this.isStale) {
        this.isStale = false;
        this.offers = (await this.host.studio.ask("offers", {}).promise).offers;
      }
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
    }
    this.isAsking = false;
    this.changed();
  }

  /** Wires of a protocol: robots that are included twice have one each. */
  of(kind: string): readonly WireData[] {
    return this.wires.filter((one) => one.kind === kind);
  }

  /** Switches a protocol on, at a port; null: the usual one, or a terminal. */
  async switchOn(kind: string, port: number | null): Promise<void> {
    const others = this.host.settings.wires.filter((one) => kindOf(one) !== kind);
    await this.put(kind, [...others, port === null ? kind : `${kind}:${port}`]);
  }

  async switchOff(kind: string): Promise<void> {
    await this.put(
      kind,
      this.host.settings.wires.filter((one) => kindOf(one) !== kind),
    );
  }

  pause(paused: boolean): void {
    this.paused = paused;
    if (!paused) this.traffic = this.samples.at(-1) ?? [];
    this.changed();
  }

  /** @internal The wires that there are now. */
  took(wires: readonly WireData[]): void {
    const words = [...new Set(wires.map((one) => one.word))];
    // a page that was loaded again takes over what is on
    if (!this.host.busy && words.join() !== this.host.settings.wires.join())
      this.host.settings = { ...this.host.settings, wires: words };
    const key = ({ kind, endpoint }: WireData): string => `${kind} ${endpoint}`;
    if (wires.map(key).join() !== this.wires.map(key).join()) {
      this.samples = [];
      this.traffic = this.rates = [];
    }
    this.wires = wires;
    this.changed();
  }

  /** @internal */
  heard({ wires }: Traffic): void {
    if (wires.length !== this.wires.length) return;
    const { samples } = this;
    samples.push(wires);
    const now = wires[0]?.time ?? 0;
    while (samples.length > 2 && now - (samples[1][0]?.time ?? 0) >= WINDOW) samples.shift();
    this.rates = wires.map((one, i) => rateOf(samples[0][i], one));
    if (!this.paused) this.traffic = wires;
    this.changed();
  }

  private async put(kind: string, wires: readonly string[]): Promise<void> {
    const { host } = this;
    if (host.studio.refuseIfWatching()) return;
    const before = host.settings.wires;
    this.switching = kind;
    this.error = null;
    this.changed();
    if (host.isOn) await host.set({ wires });
    else {
      host.settings = { ...host.settings, wires };
      await host.start(true);
    }
    if (host.error !== null) {
      this.error = host.error;
      host.settings = { ...host.settings, wires: before };
    }
    this.switching = null;
    this.changed();
  }

  private changed(): void {
    this.host.studio.emit("hardware", this);
  }
}

function rateOf(from: TrafficData, to: TrafficData): Rates {
  const seconds = to.time - from.time;
  const per = (now: number, then: number): number => (seconds > 0 ? (now - then) / seconds : 0);
  return { received: per(to.received, from.received), sent: per(to.sent, from.sent) };
}
