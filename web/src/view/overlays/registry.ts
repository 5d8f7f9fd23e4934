// Overlays by name: what the view can draw on top of a mechanism. Plug-ins may add their own.
import type { Part, ViewContext } from "../part.ts";

export interface OverlayKind {
  /** Name in the settings. */
  name: string;
  /** For people. */
  title: string;
  create(context: ViewContext): Part;
}

const kinds = new Map<string, OverlayKind>();

/** Adds a kind of overlay; a known name is replaced. */
export function registerOverlay(kind: OverlayKind): void {
  kinds.set(kind.name, kind);
}

export const overlayKinds = (): readonly OverlayKind[] => [...kinds.values()];
export const overlayKind = (name: string): OverlayKind | undefined => kinds.get(name);
