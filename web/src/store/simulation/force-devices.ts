// Force devices of the file: switched on and off on the simulation; their tips are in its frames.
import type { ForceDeviceData } from "../../wire/messages.ts";
import type { Simulation } from "./simulation.ts";

/** Types whose hands feel forces: the studio runs them with the simulation. */
export const FORCE_TYPES: readonly string[] = ["udp", "haply", "haptic"];

export class ForceDevices {
  /** Those that are on, in the order of the frames' tips. */
  on: readonly ForceDeviceData[] = [];
  /** What is being switched on or off. */
  switching: string | null = null;
  /** Why one could not be switched on, in words, and which. */
  refused: { name: string; words: string } | null = null;

  constructor(private readonly simulation: Simulation) {}

  of(name: string): ForceDeviceData | null {
    return this.on.find((one) => one.name === name) ?? null;
  }

  /** Where one listens, or what is wrong with it; '' for nothing to be said. */
  wordsOf(name: string): string {
    const found = this.of(name);
    if (this.refused?.name === name) return this.refused.words;
    if (found === null) return "";
    if (found.trouble) return found.port ? `${found.trouble} (port ${found.port})` : found.trouble;
    return this.simulation.isRunning ? "in the hand" : "waits until the simulation runs";
  }

  /** Switches one on or off; the simulation begins where there is none. */
  async toggle(name: string): Promise<void> {
    const { simulation } = this;
    if (this.switching !== null || simulation.studio.refuseIfWatching()) return;
    const before = simulation.settings.devices;
    const devices = before.includes(name)
      ? before.filter((one) => one !== name)
      : [...before, name];
    this.switching = name;
    this.refused = null;
    if (simulation.isOn && !simulation.needsStart) await simulation.set({ devices });
    else {
      simulation.settings = { ...simulation.settings, devices };
      await simulation.start(true);
    }
    if (simulation.error !== null) {
      this.refused = { name, words: simulation.error };
      simulation.settings = { ...simulation.settings, devices: before };
    }
    this.switching = null;
    simulation.studio.emit("simulation", simulation);
  }

  /** @internal Those that are on now. */
  took(on: readonly ForceDeviceData[] = []): void {
    this.on = on;
    const names = on.map(({ name }) => name);
    const { settings, busy } = this.simulation;
    // a page that was loaded again takes over what is on
    if (!busy && names.join("\n") !== settings.devices.join("\n"))
      this.simulation.settings = { ...settings, devices: names };
  }
}
