// The one answer to how things stand: status line, gauges, badges and the picture all show this.
import { heldLimits, type HeldLimit } from "../../kernel/reasons.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import { openings, type Opening } from "./openings.ts";
import type { ModelHost, ConnectionHost, SimulationHost } from "../hosts.ts";

export type Level = "calm" | "warning" | "danger";

/** What is amiss. Open loops come first: nothing else that is shown can be trusted then. */
export type Trouble =
  | { kind: "open"; opening: Opening; count: number; reason: string | null }
  | { kind: "problems"; count: number }
  | { kind: "stopped"; reason: string }
  | { kind: "refused"; reason: string }
  | { kind: "lost" }
  | { kind: "beyond"; limit: HeldLimit };

export interface Condition {
  level: Level;
  /** The worst first. */
  troubles: readonly Trouble[];
  /** Loops that are open, the widest first. */
  openings: readonly Opening[];
}

const LEVELS: Record<Trouble["kind"], Level> = {
  ...{ open: "danger", stopped: "danger", lost: "danger" },
  ...{ problems: "danger", refused: "warning", beyond: "warning" },
};
/** Beyond a limit by more than this [rad, sizes of the mechanism]. */
const BEYOND = 1e-6;
/** Engines let loops drift a little: what is below this share of the size is no open loop. */
const DRIFT = 1e-3;

export function conditionOf(studio: ModelHost & SimulationHost & ConnectionHost): Condition {
  const { model, snapshot, q, simulation, connection } = studio;
  const troubles: Trouble[] = [];
  let open: Opening[] = [];
  if (model !== null && snapshot !== null && q.length === model.nq) {
    open = openings(model, q);
    if (simulation.isOn) open = open.filter((one) => isWide(model, one));
    if (open.length > 0)
      troubles.push({
        ...{ kind: "open", opening: open[0], count: open.length, reason: snapshot.complaint },
      });
    if (snapshot.problems.length > 0)
      troubles.push({ kind: "problems", count: snapshot.problems.length });
  }
  if (simulation.phase === "stopped")
    troubles.push({ kind: "stopped", reason: simulation.state.reason });
  if (connection === "lost" || connection === "shut") troubles.push({ kind: "lost" });
  if (simulation.error !== null) troubles.push({ kind: "refused", reason: simulation.error });
  const limit = model !== null && q.length === model.nq ? beyond(model, q) : null;
  if (limit !== null) troubles.push({ kind: "beyond", limit });
  const levels = troubles.map(({ kind }) => LEVELS[kind]);
  const level = levels.includes("danger") ? "danger" : levels.length > 0 ? "warning" : "calm";
  return { level, troubles, openings: open };
}

function isWide(model: PageModel, { distance, turn }: Opening): boolean {
  return Math.max(distance, turn * model.size) > DRIFT * model.size;
}

/** The limit that a joint is farthest beyond; null where all are kept. */
function beyond(model: PageModel, q: Float64Array): HeldLimit | null {
  const { lower, upper } = model;
  const sides = new Int32Array(model.nv);
  let most = BEYOND;
  for (const joint of model.data.joints) {
    if (joint.nq !== joint.nv) continue;
    for (let k = 0; k < joint.nv; ++k) {
      const [value, v] = [q[joint.q + k], joint.v + k];
      const over = value - upper[v];
      const under = lower[v] - value;
      const scale = joint.variables[k]?.quantity === "length" ? model.size : 1;
      if (Math.max(over, under) <= most * scale) continue;
      most = Math.max(over, under) / scale;
      sides.fill(0);
      sides[v] = over > under ? 1 : -1;
    }
  }
  return heldLimits(model, sides)[0] ?? null;
}
