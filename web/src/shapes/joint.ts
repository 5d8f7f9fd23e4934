// Bodies of joints: one look per joint type, half on the parent link, half on the child.
// Twin of src/kinegen/mechanism/shapes/joint.py.
import type { Box, Cylinder, Look, Primitive, Role, Sphere } from "./data.ts";
import { type Mat3, type Vec3, IDENTITY, roundHalfEven } from "./vectors.ts";

/** R whose z is the frame's x. */
const ALONG_X: Mat3 = [0, 0, 1, 0, 1, 0, -1, 0, 0];

/** Branch and tone of a link. */
export type LinkLook = Pick<Look, "branch" | "tone">;

/** Numbers a joint's body is made from. */
export interface JointLook {
  /** Of the bars it connects [m]. */
  radius: number;
  hasMotor: boolean;
  /** Displacement along z that a rod or rail must bridge [m]. */
  travel: number;
  /** Whether a slider runs on a rail (on the ground) rather than out of a sleeve. */
  hasRail: boolean;
  parent: LinkLook;
  child: LinkLook;
}

type Bodies = [onParent: Primitive[], onChild: Primitive[]];

/** Outer radius of a revolute joint's housing [m]. */
export const housingRadius = (look: JointLook) => (look.hasMotor ? 1.75 : 1.4) * look.radius;
/** Length of a revolute joint's housing along its axis [m]. */
export const housingLength = (look: JointLook) => (look.hasMotor ? 3.2 : 2.7) * look.radius;

/** Primitives of a joint: on the parent in frame F, on the child in frame M. */
export function jointBodies(type: string, look: JointLook): Bodies {
  const build = BUILDERS[type];
  return build ? build(look) : [[], []];
}

function cylinder(
  radius: number,
  length: number,
  role: Role,
  look: LinkLook,
  z = 0,
  rotation = IDENTITY,
): Cylinder {
  const translation: Vec3 = [0, 0, z];
  return { kind: "cylinder", radius, length, rotation, translation, role, color: null, ...look };
}

function box(size: Vec3, role: Role, look: LinkLook, z = 0): Box {
  const translation: Vec3 = [0, 0, z];
  return { kind: "box", size, rotation: IDENTITY, translation, role, color: null, ...look };
}

function sphere(radius: number, role: Role, look: LinkLook): Sphere {
  const translation: Vec3 = [0, 0, 0];
  return { kind: "sphere", radius, rotation: IDENTITY, translation, role, color: null, ...look };
}

/** The coloured band that says: here is a motor. */
const motorRing = (look: JointLook, radius: number): Primitive[] =>
  look.hasMotor ? [cylinder(1.04 * radius, 0.55 * look.radius, "motor", look.parent)] : [];

function revolute(look: JointLook): Bodies {
  const [outer, length] = [housingRadius(look), housingLength(look)];
  const cap = cylinder(0.68 * outer, length + 0.5 * look.radius, "bar", look.child);
  return [[cylinder(outer, length, "joint", look.parent), ...motorRing(look, outer)], [cap]];
}

function prismatic(look: JointLook): Bodies {
  const r = look.radius;
  const sign = look.travel < 0 ? -1 : 1;
  const reach = Math.abs(look.travel);
  if (look.hasRail) {
    // A rail on the ground from a little before zero to a little beyond the travel.
    const length = reach + 7 * r;
    const centre = (sign * reach) / 2;
    const stops = [-1, 1].map((side) =>
      box(
        [2.4 * r, 2.4 * r, 0.7 * r],
        look.hasMotor && side < 0 ? "motor" : "ground",
        look.parent,
        centre + (side * length) / 2,
      ),
    );
    const rail = box([1.3 * r, 1.3 * r, length], "ground", look.parent, centre);
    return [[rail, ...stops], [box([2.6 * r, 2.6 * r, 3.4 * r], "joint", look.child)]];
  }
  const sleeve = Math.max(0.55 * reach, 3 * r);
  const rod = Math.max(0.95 * reach, 3 * r);
  const collar = look.hasMotor ? "motor" : "joint";
  return [
    [
      cylinder(1.12 * r, sleeve, "bar", look.parent, (sign * sleeve) / 2),
      cylinder(1.42 * r, 0.7 * r, collar, look.parent, sign * sleeve),
    ],
    [cylinder(0.75 * r, rod, "bar", look.child, (-sign * rod) / 2)],
  ];
}

function universal(look: JointLook): Bodies {
  const r = look.radius;
  const [pin, length] = [0.62 * r, 4.4 * r];
  return [
    [
      cylinder(pin, length, "joint", look.parent),
      sphere(1.3 * r, "joint", look.parent),
      ...motorRing(look, 1.3 * r),
    ],
    [cylinder(pin, length, "joint", look.child, 0, ALONG_X)],
  ];
}

const spherical = (look: JointLook): Bodies => [
  motorRing(look, 1.45 * look.radius),
  [sphere(1.45 * look.radius, "joint", look.child)],
];

const cylindrical = (look: JointLook): Bodies => [
  [
    cylinder(1.5 * look.radius, 5 * look.radius, "joint", look.parent),
    ...motorRing(look, 1.5 * look.radius),
  ],
  [shaft(look)],
];

function screw(look: JointLook): Bodies {
  const r = look.radius;
  const rod = shaft(look);
  const [centre, half] = [rod.translation[2], rod.length / 2];
  const count = Math.min(14, Math.max(4, roundHalfEven(rod.length / (1.1 * r))));
  const threads = Array.from({ length: count }, (_, i) =>
    cylinder(r, 0.45 * r, "joint", look.child, centre - half + (rod.length * (i + 0.5)) / count),
  );
  return [
    [cylinder(1.6 * r, 2.2 * r, "joint", look.parent), ...motorRing(look, 1.6 * r)],
    [rod, ...threads],
  ];
}

/** A shaft that reaches from the child back through the parent's sleeve. */
function shaft(look: JointLook): Cylinder {
  const sign = look.travel < 0 ? -1 : 1;
  const reach = Math.abs(look.travel);
  return cylinder(
    0.7 * look.radius,
    reach + 7 * look.radius,
    "bar",
    look.child,
    (-sign * reach) / 2,
  );
}

function planar(look: JointLook): Bodies {
  const r = look.radius;
  return [
    [box([14 * r, 14 * r, 0.5 * r], "ground", look.parent, -0.75 * r)],
    [cylinder(2.2 * r, r, "joint", look.child)],
  ];
}

const BUILDERS: Record<string, ((look: JointLook) => Bodies) | undefined> = {
  revolute,
  prismatic,
  universal,
  spherical,
  cylindrical,
  screw,
  planar,
};
