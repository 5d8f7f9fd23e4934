// The overlays that come with the studio. 'frames' is drawn by the view itself.
import { Clearance } from "./clearance.ts";
import { Efforts } from "../forces/efforts.ts";
import { LinkLoads } from "../forces/loads.ts";
import { Reactions } from "../forces/reactions.ts";
import { Ellipsoid } from "./ellipsoid.ts";
import { FreeMotions } from "./free-motions.ts";
import { LimitDials } from "./limits.ts";
import { Rates } from "./rates.ts";
import { Contacts } from "../world/contacts.ts";
import { registerOverlay } from "./registry.ts";
import { Suspects } from "./suspects.ts";
import { Traces } from "./traces.ts";

registerOverlay({
  name: "speeds",
  title: "Joint speeds",
  create: (context) => new Rates(context, 1, (palette) => palette.axes[1]),
});
registerOverlay({
  name: "accelerations",
  title: "Joint accelerations",
  create: (context) => new Rates(context, 2, (palette) => palette.motor),
});
registerOverlay({
  name: "limits",
  title: "Joint limits",
  create: (context) => new LimitDials(context),
});
registerOverlay({
  name: "ellipsoid",
  title: "Manipulability",
  create: (context) => new Ellipsoid(context),
});
registerOverlay({ name: "traces", title: "Traces", create: (context) => new Traces(context) });
registerOverlay({
  name: "clearance",
  title: "Clearance",
  create: (context) => new Clearance(context),
});
registerOverlay({
  name: "freeMotions",
  title: "Free motions",
  create: (context) => new FreeMotions(context),
});
registerOverlay({
  name: "suspects",
  title: "Suspect joints",
  create: (context) => new Suspects(context),
});
registerOverlay({
  name: "efforts",
  title: "Motor torques and forces",
  create: (context) => new Efforts(context),
});
registerOverlay({
  name: "reactions",
  title: "Forces in the joints",
  create: (context) => new Reactions(context),
});
registerOverlay({
  name: "loads",
  title: "Load on the links",
  create: (context) => new LinkLoads(context),
});
registerOverlay({
  name: "contacts",
  title: "Contacts and their forces",
  create: (context) => new Contacts(context),
});
