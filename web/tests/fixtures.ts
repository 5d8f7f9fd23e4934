// Real kernels and real mechanisms for the tests, dumped by Python: PYTHON names another one.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { type Kernels, loadKernels } from "../src/kernel/kernels.ts";
import { fromBase64 } from "../src/kernel/memory.ts";
import type { ModelData, Snapshot } from "../src/wire/messages.ts";

export interface Fixture {
  data: ModelData;
  /** Of all sites at the start. */
  poses: number[];
  /** Of the last site at the start. */
  jacobian: number[];
  size: number;
  /** The last frame pulled far out of reach for 40 ticks. */
  pull: { target: number[]; q: number[]; reason: string; outcome: string };
  /** Distances to singular poses at the start, null where there is none of that kind. */
  singular: { task: number | null; gain: number | null };
}

export interface Fixtures {
  kernels: Kernels;
  models: Record<string, Fixture>;
}

const SCRIPT = fileURLToPath(new URL("fixtures.py", import.meta.url));
const VENV = fileURLToPath(new URL("../../.venv/bin/python", import.meta.url));

export async function fixtures(...names: string[]): Promise<Fixtures> {
  const python = process.env.PYTHON ?? (existsSync(VENV) ? VENV : "python3");
  const text = execFileSync(python, [SCRIPT, ...names], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const { wasm, models } = JSON.parse(text) as { wasm: string; models: Fixtures["models"] };
  // KINEGEN_WASM: kernels under development
  const file = process.env.KINEGEN_WASM;
  const bytes = file ? new Uint8Array(readFileSync(file)) : fromBase64(wasm);
  return { kernels: await loadKernels(bytes), models };
}

/** A snapshot as the studio would send it. */
export function snapshotOf(data: ModelData, change: Partial<Snapshot> = {}): Snapshot {
  return {
    kind: "snapshot",
    version: 1,
    author: 0,
    text: `mechanism: ${data.name}\n`,
    file: null,
    dirty: false,
    title: data.name,
    description: "",
    model: data,
    q: data.start,
    pose_changed: true,
    problems: [],
    complaint: null,
    undo: null,
    redo: null,
    motions: [],
    objects: [],
    devices: [],
    world: null,
    lights: [],
    wall: null,
    imported: null,
    ...change,
  };
}
