// What can be done to the motion in the player.
import type {
  ModelHost,
  MotionHost,
  NoticeHost,
  RequestHost,
  SimulationHost,
} from "../../../store/hosts.ts";
import type { EditOf } from "../../../store/requests.ts";
import type { MotionData, MotionEdit } from "../../../wire/messages.ts";
import type { MenuItem } from "../../parts/Menu.svelte";
import { runExport } from "../../commands/exports.ts";
import { followMotion } from "../../forces/follow/follow.ts";
import { freshName } from "../../names.ts";
import type { AppOf } from "../../state/app.svelte.ts";

type KeptApp = AppOf<ModelHost & RequestHost>;
type MotionApp = AppOf<ModelHost & MotionHost & RequestHost>;

/** More poses than this are a recording rather than waypoints. */
export const MOST = 60;

export function isStored(app: AppOf<ModelHost>, motion: MotionData): boolean {
  return app.studio.snapshot?.motions.some((one) => one.name === motion.name) ?? false;
}

/** The present pose as a waypoint: of the motion in the player, or of a new one. */
export function addWaypoint(app: MotionApp): void {
  const { studio } = app;
  const names = studio.snapshot?.motions.map((one) => one.name) ?? [];
  const name = studio.player.motion?.name ?? freshName("path", names);
  keepChange(app, studio.player.addWaypoint(name));
  if ((studio.player.motion?.times.length ?? 0) <= MOST) app.waypoints = true;
}

/** Puts what was run on the time line. */
export function keepRun(app: AppOf<ModelHost & MotionHost>): void {
  const { studio } = app;
  const names = studio.snapshot?.motions.map((one) => one.name) ?? [];
  if (studio.run.keep(freshName("run", names))) app.running = false;
}

/** Shows a changed motion; one that is stored is stored again, as one step of undo. */
export function keepChange(app: KeptApp, motion: MotionData | null): void {
  if (motion && isStored(app, motion))
    void app.ask("Saving the waypoints", app.studio.storeMotion(motion));
}

/** Changes a motion; one that is not stored yet is stored first. */
export function changeKept<K extends MotionEdit["kind"]>(
  app: MotionApp,
  motion: MotionData,
  label: string,
  kind: K,
  edit: EditOf<MotionEdit, K>,
): void {
  const { studio } = app;
  const first = isStored(app, motion) ? Promise.resolve() : studio.storeMotion(motion);
  void app.ask(
    label,
    first.then(() => studio.changeMotion(kind, edit)),
  );
}

/** Files of a motion, by what they are called. */
const EXPORTS = [
  ["CSV", "csv"],
  ["JSON", "json"],
  ["animated glTF", "gltf"],
] as const;

export function motionItems(
  app: MotionApp & AppOf<NoticeHost & SimulationHost>,
  motion: MotionData | null,
  kept: boolean,
  ways: { trim: () => void; rename: () => void; even: () => void },
): MenuItem[] {
  const { studio } = app;
  const locked = studio.readOnly;
  if (!motion) return [];
  const { name } = motion;
  return [
    {
      label: "Add a waypoint here",
      icon: "waypoint",
      disabled: locked,
      run: () => addWaypoint(app),
    },
    {
      label: "Follow under forces",
      icon: "forces",
      disabled: locked,
      run: () => void followMotion(app, motion),
    },
    { label: "Trim…", icon: "trim", disabled: locked, apart: true, run: ways.trim },
    {
      label: "Smooth",
      icon: "smooth",
      disabled: locked,
      run: () =>
        changeKept(app, motion, "Smoothing", "smooth_motion", {
          name: motion.name,
          seconds: 0.2,
        }),
    },
    {
      label: "Resample…",
      icon: "grid",
      disabled: locked || motion.times.length < 2,
      run: ways.even,
    },
    { label: "Rename…", icon: "edit", disabled: locked || !kept, run: ways.rename },
    ...EXPORTS.map(([title, format], i): MenuItem => ({
      ...{ label: `Export as ${title}`, icon: "download", disabled: !kept, apart: i === 0 },
      run: () => void runExport(app, format, name),
    })),
    {
      label: kept ? `Delete ${name}` : "Discard this recording",
      icon: "trash",
      danger: true,
      disabled: locked,
      apart: true,
      run: () => {
        studio.player.load(null);
        if (kept) void app.ask("Deleting", studio.changeMotion("remove_motion", { name }));
      },
    },
  ];
}
