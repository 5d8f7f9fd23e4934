// Lights that a file declares, where what carries them is now.
import { type Matrix4, Vector3 } from "three";
import type { ModelHost, SimulationHost } from "../../store/hosts.ts";
import { signalValues } from "../../store/simulation/signals.ts";
import type { LightData } from "../../wire/messages.ts";
import { fileColor } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import type { Stage } from "../stage/stage.ts";
import { sensorPlace } from "./sensor-marks.ts";

/** A light as the stage takes it. */
export interface Shining {
  color: string;
  /** As three.js counts: π lights a white surface fully. */
  intensity: number;
  /** In the world [m]. */
  position: readonly [number, number, number];
  /** The way its light travels, in the world. */
  direction: readonly [number, number, number];
}

/**
 * How a light shines from a place.
 * @param now Its intensity while a world runs; null: that of the file.
 */
export function shining(light: LightData, X_WL: Matrix4, now: number | null): Shining {
  const given = now ?? light.intensity;
  return {
    color: fileColor(light.color) ?? "#ffffff",
    // a signal that is cut is no number: off
    intensity: given > 0 ? Math.PI * given : 0,
    position: new Vector3().setFromMatrixPosition(X_WL).toArray(),
    direction: new Vector3(...light.direction).transformDirection(X_WL).toArray(),
  };
}

export class SceneLights implements Part {
  private key = "";

  constructor(
    private readonly context: ViewContext<ModelHost & SimulationHost, "links" | "objects">,
    private readonly stage: Pick<Stage, "illuminate" | "shine">,
  ) {}

  frame(): void {
    const { studio } = this.context;
    const lights = studio.snapshot?.lights ?? [];
    const types = lights.map(({ type }) => type);
    if (types.join() !== this.key) {
      this.key = types.join();
      this.stage.illuminate(types);
    }
    if (!lights.length) return;
    const { acting, signals } = studio.simulation;
    const values = acting && signalValues(signals.table, acting.signals);
    lights.forEach((light, i) => {
      const X_WL = sensorPlace(this.context, light);
      const now = values?.get(`${light.name}.intensity`)?.[0] ?? null;
      if (X_WL) this.stage.shine(i, shining(light, X_WL, now));
    });
  }

  dispose(): void {
    this.stage.illuminate([]);
  }
}
