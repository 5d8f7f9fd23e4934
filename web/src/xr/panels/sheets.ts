// Panels in space by name, and the menu that opens them.
import type { StudioHost } from "../../store/hosts.ts";
import { pathSheet, reachSheet } from "./map-sheets.ts";
import { forcesSheet } from "./forces-sheet.ts";
import { motionSheet } from "./motion-sheets.ts";
import { peopleSheet } from "./people-sheet.ts";
import { jointsSheet, librarySheet, parametersSheet } from "./pose-sheets.ts";
import type { ButtonItem, Sheet } from "./rows.ts";
import { buttons, said, words } from "./sheet-rows.ts";
import { helpSheet } from "./help-sheet.ts";
import { robotSheet } from "./robot-sheet.ts";
import { signalsSheet } from "./signals-sheet.ts";
import { viewSheet } from "./view-sheet.ts";

export const PANELS = [
  "Library",
  "Joints",
  "Parameters",
  "Motion",
  "Forces",
  "Reach",
  "Path",
  "Signals",
  "Robot",
  "People",
  "View",
  "Help",
] as const;
export type PanelName = (typeof PANELS)[number];

/** Those that need a studio behind the page. */
const CONNECTED: readonly PanelName[] = [
  ...(["Library", "Forces", "Reach", "Path", "Signals", "Robot", "People"] as const),
];

/** What the menu does besides: the visit's own. */
export interface Visitor {
  readonly scaleText: string;
  readonly paceText: string;
  isOpen(panel: PanelName): boolean;
  toggle(panel: PanelName): void;
  /** Stands the user before the mechanism; null: at its first scale. */
  bring(scale: number | null): void;
  /** Whether the headset knows the tables and the floor around the user. */
  readonly canPutDown: boolean;
  readonly isPuttingDown: boolean;
  /** Looks for a real table or floor to put the mechanism on; again: gives up. */
  putDown(): void;
  readonly isSeated: boolean;
  /** Seated: lifts the user to standing height; again: back down. */
  sit(): void;
  /** Ends whatever moves. */
  stop(): void;
  leave(): void;
}

export function menuSheet(studio: StudioHost, visitor: Visitor): Sheet {
  const { snapshot, settings, readOnly } = studio;
  const isAlone = studio.link === null;
  const open = PANELS.filter((name) => !isAlone || !CONNECTED.includes(name)).map((name) => ({
    label: name,
    isOn: visitor.isOpen(name),
    run: () => visitor.toggle(name),
  }));
  const grab = (label: string, mode: typeof settings.dragMode): ButtonItem => ({
    label,
    isOn: settings.dragMode === mode,
    run: () => studio.setSetting("dragMode", mode),
  });
  const step = (label: string, what: string | null | undefined, run: () => Promise<void>) => ({
    ...{ label, isOff: readOnly || !what, run: () => said(studio, run()) },
  });
  return {
    title: snapshot?.title ?? "Kinegen",
    rows: [
      ...[open.slice(0, 4), open.slice(4, 8), open.slice(8)]
        .filter((row) => row.length)
        .map((row) => buttons(...row)),
      buttons(grab("Pull", "point"), grab("Rotate", "rotate"), grab("Pose", "pose")),
      buttons(
        ...(isAlone
          ? []
          : [
              step("Undo", snapshot?.undo, () => studio.undo()),
              step("Redo", snapshot?.redo, () => studio.redo()),
            ]),
        { label: "Start pose", isOff: readOnly, run: () => studio.home() },
        ...(isAlone ? [] : [{ label: "Save", isOff: readOnly, run: () => save(studio) }]),
      ),
      buttons(
        { label: "True size", run: () => visitor.bring(1) },
        { label: "Bring it here", run: () => visitor.bring(null) },
        ...(visitor.canPutDown
          ? [
              {
                ...{ label: "Put it down", isOn: visitor.isPuttingDown },
                run: () => visitor.putDown(),
              },
            ]
          : []),
        { label: "Seated", isOn: visitor.isSeated, run: () => visitor.sit() },
      ),
      buttons(
        { label: "Stop", isAlarm: true, run: () => visitor.stop() },
        { label: "Leave", run: () => visitor.leave() },
      ),
      words(`${visitor.scaleText} · ${visitor.paceText}`, "soft"),
    ],
  };
}

/** What is at a wrist: large, and little of it. */
export function wristSheet(
  studio: StudioHost,
  { stop }: Pick<Visitor, "stop">,
  isOpen: boolean,
  menu: () => void,
): Sheet {
  const undo = studio.snapshot?.undo;
  const large = (...items: ButtonItem[]) => ({ kind: "buttons", items, isLarge: true }) as const;
  return {
    title: "",
    rows: [
      large({ label: "Stop", isAlarm: true, run: stop }),
      large(
        { label: "Menu", isOn: isOpen, run: menu },
        ...(studio.link === null
          ? []
          : [
              {
                label: "Undo",
                isOff: studio.readOnly || !undo,
                run: () => said(studio, studio.undo()),
              },
            ]),
      ),
    ],
  };
}

export const SHEETS: Record<PanelName, (studio: StudioHost) => Sheet> = {
  Library: librarySheet,
  Joints: jointsSheet,
  Parameters: parametersSheet,
  Motion: motionSheet,
  Forces: forcesSheet,
  Reach: reachSheet,
  Path: pathSheet,
  Signals: signalsSheet,
  Robot: robotSheet,
  People: peopleSheet,
  View: viewSheet,
  Help: helpSheet,
};

/** Saves to the mechanism's file, or under its name to a new one of the project folder. */
function save(studio: StudioHost): void {
  const { snapshot, welcome } = studio;
  if (!snapshot) return;
  const taken = welcome?.files ?? [];
  const { name } = snapshot.model;
  let file = snapshot.file ?? `${name}.raff`;
  for (let i = 2; !snapshot.file && taken.includes(file); i += 1) file = `${name}-${i}.raff`;
  said(
    studio,
    studio.save(file).then(() => studio.notice("info", `Saved ${file}`)),
  );
}
