// Panels in space by name, and the menu that opens them.
import type { StudioHost } from "../../store/hosts.ts";
import { pathSheet, reachSheet } from "./map-sheets.ts";
import { forcesSheet, motionSheet } from "./motion-sheets.ts";
import { jointsSheet, librarySheet, parametersSheet } from "./pose-sheets.ts";
import type { ButtonItem, Sheet } from "./rows.ts";
import { buttons, said, words } from "./sheet-rows.ts";
import { viewSheet } from "./view-sheet.ts";

export const PANELS = [
  "Library",
  "Joints",
  "Parameters",
  "Motion",
  "Forces",
  "Reach",
  "Path",
  "View",
] as const;
export type PanelName = (typeof PANELS)[number];

/** Those that need a studio behind the page. */
const CONNECTED: readonly PanelName[] = ["Library", "Forces", "Reach", "Path"];

/** What the menu does besides: the visit's own. */
export interface Visitor {
  readonly scaleText: string;
  readonly paceText: string;
  isOpen(panel: PanelName): boolean;
  toggle(panel: PanelName): void;
  /** Stands the user before the mechanism; null: at its first scale. */
  bring(scale: number | null): void;
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
      ...[open.slice(0, 4), open.slice(4)]
        .filter((row) => row.length)
        .map((row) => buttons(...row)),
      buttons(grab("Pull", "point"), grab("Turn", "rotate"), grab("Both", "pose")),
      buttons(
        ...(isAlone
          ? []
          : [
              step("Undo", snapshot?.undo, () => studio.undo()),
              step("Redo", snapshot?.redo, () => studio.redo()),
            ]),
        { label: "Start pose", isOff: readOnly, run: () => studio.home() },
      ),
      buttons(
        { label: "True size", run: () => visitor.bring(1) },
        { label: "Bring it here", run: () => visitor.bring(null) },
      ),
      buttons(
        { label: "Stop", run: () => visitor.stop() },
        { label: "Leave", run: () => visitor.leave() },
      ),
      words(`${visitor.scaleText} · ${visitor.paceText}`, "soft"),
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
  View: viewSheet,
};
