// What can be drawn on top of a mechanism, by its name in the settings.
import type {
  ChoiceHost,
  DragHost,
  ModelHost,
  MotionHost,
  SceneHost,
  SimulationHost,
} from "../../store/hosts.ts";
import type { Overlay } from "../../store/settings.ts";
import { Efforts } from "../forces/efforts.ts";
import { LinkLoads } from "../forces/loads.ts";
import { Reactions } from "../forces/reactions.ts";
import type { Part, ViewContext } from "../part.ts";
import { Contacts } from "../world/contacts.ts";
import { Clearance } from "./clearance.ts";
import { Ellipsoid } from "./ellipsoid.ts";
import { FreeMotions } from "./free-motions.ts";
import { LimitDials } from "./limits.ts";
import { Rates } from "./rates.ts";
import { Suspects } from "./suspects.ts";
import { Traces } from "./traces.ts";

/** What overlays use, all in all. */
export type OverlayContext = ViewContext<
  ModelHost & DragHost & ChoiceHost & MotionHost & SceneHost & SimulationHost,
  "root" | "links" | "labels" | "palette" | "extent" | "invalidate"
>;

/** Frames are drawn by a part of their own. */
export const KINDS: Record<Exclude<Overlay, "frames">, (context: OverlayContext) => Part> = {
  speeds: (context) => new Rates(context, 1, (palette) => palette.axes[1]),
  accelerations: (context) => new Rates(context, 2, (palette) => palette.motor),
  limits: (context) => new LimitDials(context),
  ellipsoid: (context) => new Ellipsoid(context),
  traces: (context) => new Traces(context),
  clearance: (context) => new Clearance(context),
  freeMotions: (context) => new FreeMotions(context),
  suspects: (context) => new Suspects(context),
  efforts: (context) => new Efforts(context),
  reactions: (context) => new Reactions(context),
  loads: (context) => new LinkLoads(context),
  contacts: (context) => new Contacts(context),
};
