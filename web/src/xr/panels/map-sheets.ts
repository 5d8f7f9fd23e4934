// Sheets of where it can go: the workspace, and paths that a frame follows.
import type {
  PoseHost,
  NoticeHost,
  ConnectionHost,
  MotionHost,
  SimulationHost,
  WorkspaceHost,
  PathHost,
  RequestHost,
} from "../../store/hosts.ts";
import type { CurveKind } from "../../store/path/curves.ts";
import { pathMotion } from "../../store/simulation/follow.ts";
import { underForces } from "./motion-sheets.ts";
import type { Row, Sheet } from "./rows.ts";
import { buttons, said, words } from "./sheet-rows.ts";

type Host = PoseHost &
  NoticeHost &
  ConnectionHost &
  MotionHost &
  SimulationHost &
  WorkspaceHost &
  PathHost &
  RequestHost;

export function reachSheet(studio: Host): Sheet {
  const { workspace } = studio;
  const { task, result, points, visible, planError } = workspace;
  const rows: Row[] = [
    task.busy
      ? buttons({ label: "Cancel", run: () => task.cancel() })
      : buttons({
          label: result ? "Show again" : "Show the workspace",
          isOff: studio.connection !== "open",
          run: () => said(studio, workspace.run()),
        }),
  ];
  if (task.busy) rows.push(words(`${Math.round(100 * (task.share ?? 0))} %`, "soft"));
  if (task.error ?? planError) rows.push(words(task.error ?? planError ?? "", "danger"));
  if (result)
    rows.push(
      buttons(
        { label: "Visible", isOn: visible, run: () => workspace.set({ visible: !visible }) },
        { label: "Remove", run: () => workspace.clear() },
      ),
      words(`${points.count.toLocaleString("en")} points are drawn`, "soft"),
      words("Point at one, away from all parts, and press the trigger to go there.", "soft"),
    );
  return { title: "Reach", rows };
}

const CURVES: readonly [string, CurveKind][] = [
  ["Line", "segment"],
  ["Circle", "ellipse"],
  ["Spline", "spline"],
];

export function pathSheet(studio: Host): Sheet {
  const { paths } = studio;
  const { curve, plan, walk, problem, busy, mode } = paths;
  const isShaped = mode === "handles";
  const rows: Row[] = [
    buttons(
      ...CURVES.map(([label, kind]) => ({
        ...{ label, isOn: curve?.kind === kind, isOff: studio.connection !== "open" },
        run: () => said(studio, paths.choose(kind)),
      })),
    ),
    words(`'${paths.frameName}' follows the curve`, "soft"),
  ];
  if (curve)
    rows.push(
      buttons({
        ...{ label: "Points to grab", isOn: isShaped, isOff: studio.readOnly },
        run: () => paths.setMode(isShaped ? "off" : "handles"),
      }),
      words(
        "Grab a point of the curve by hand or ray; the one in the middle moves all of it.",
        "soft",
      ),
    );
  if (busy) rows.push(words("Computing…", "soft"));
  if (problem) rows.push(words(problem.message, "danger"));
  if (plan) {
    const last = plan.answer.count - 1;
    const at = walk.at ?? 0;
    const motion = pathMotion(studio);
    // what is followed then is in the panel of motions
    const forces = motion ? underForces(studio, motion) : [];
    rows.push(
      {
        ...{ kind: "slider", label: "Position", value: at, min: 0, max: last },
        text: `${at + 1} of ${last + 1}`,
        set: (next) => walk.scrub(Math.round(next)),
        commit: () => walk.commit(),
      },
      buttons(
        {
          label: walk.playing ? "Pause" : "Play",
          run: () => (walk.playing ? walk.pause() : walk.play()),
        },
        ...forces,
        { label: "Remove", run: () => paths.clear() },
      ),
    );
  }
  return { title: "Path", rows };
}
