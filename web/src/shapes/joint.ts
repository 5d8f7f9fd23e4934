// Bodies of joints: one look per joint type, half on the parent link, half on the child.
// Twin of src/kinegen/mechanism/shapes/joint.py.
import * as proportion from "./proportions.ts";
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
export const housingRadius = (look: JointLook) =>
  (look.hasMotor ? proportion.MOTOR_HOUSING_RADIUS : proportion.HOUSING_RADIUS) * look.radius;
/** Length of a revolute joint's housing along its axis [m]. */
export const housingLength = (look: JointLook) =>
  (look.hasMotor ? proportion.MOTOR_HOUSING_LENGTH : proportion.HOUSING_LENGTH) * look.radius;

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
  look.hasMotor
    ? [
        cylinder(
          proportion.RING_RADIUS * radius,
          proportion.RING_LENGTH * look.radius,
          "motor",
          look.parent,
        ),
      ]
    : [];

function revolute(look: JointLook): Bodies {
  const [outer, length] = [housingRadius(look), housingLength(look)];
  const cap = cylinder(
    proportion.CAP_RADIUS * outer,
    length + proportion.CAP_EXCESS * look.radius,
    "bar",
    look.child,
  );
  return [[cylinder(outer, length, "joint", look.parent), ...motorRing(look, outer)], [cap]];
}

function prismatic(look: JointLook): Bodies {
  const r = look.radius;
  const sign = look.travel < 0 ? -1 : 1;
  const reach = Math.abs(look.travel);
  if (look.hasRail) {
    // A rail on the ground from a little before zero to a little beyond the travel.
    const length = reach + proportion.OVERRUN * r;
    const centre = (sign * reach) / 2;
    const stops = [-1, 1].map((side) =>
      box(
        [proportion.STOP_WIDTH * r, proportion.STOP_WIDTH * r, proportion.STOP_LENGTH * r],
        look.hasMotor && side < 0 ? "motor" : "ground",
        look.parent,
        centre + (side * length) / 2,
      ),
    );
    const rail = box(
      [proportion.RAIL_WIDTH * r, proportion.RAIL_WIDTH * r, length],
      "ground",
      look.parent,
      centre,
    );
    return [
      [rail, ...stops],
      [
        box(
          [
            proportion.CARRIAGE_WIDTH * r,
            proportion.CARRIAGE_WIDTH * r,
            proportion.CARRIAGE_LENGTH * r,
          ],
          "joint",
          look.child,
        ),
      ],
    ];
  }
  const sleeve = Math.max(proportion.SLEEVE_SHARE * reach, proportion.SHORTEST_CYLINDER * r);
  const rod = Math.max(proportion.ROD_SHARE * reach, proportion.SHORTEST_CYLINDER * r);
  const collar = look.hasMotor ? "motor" : "joint";
  return [
    [
      cylinder(proportion.SLEEVE_RADIUS * r, sleeve, "bar", look.parent, (sign * sleeve) / 2),
      cylinder(
        proportion.COLLAR_RADIUS * r,
        proportion.COLLAR_LENGTH * r,
        collar,
        look.parent,
        sign * sleeve,
      ),
    ],
    [cylinder(proportion.ROD_RADIUS * r, rod, "bar", look.child, (-sign * rod) / 2)],
  ];
}

function universal(look: JointLook): Bodies {
  const r = look.radius;
  const [pin, length] = [proportion.CROSS_RADIUS * r, proportion.CROSS_LENGTH * r];
  return [
    [
      cylinder(pin, length, "joint", look.parent),
      sphere(proportion.HUB_RADIUS * r, "joint", look.parent),
      ...motorRing(look, proportion.HUB_RADIUS * r),
    ],
    [cylinder(pin, length, "joint", look.child, 0, ALONG_X)],
  ];
}

const spherical = (look: JointLook): Bodies => [
  motorRing(look, proportion.BALL_RADIUS * look.radius),
  [sphere(proportion.BALL_RADIUS * look.radius, "joint", look.child)],
];

const cylindrical = (look: JointLook): Bodies => [
  [
    cylinder(
      proportion.BUSH_RADIUS * look.radius,
      proportion.BUSH_LENGTH * look.radius,
      "joint",
      look.parent,
    ),
    ...motorRing(look, proportion.BUSH_RADIUS * look.radius),
  ],
  [shaft(look)],
];

function screw(look: JointLook): Bodies {
  const r = look.radius;
  const rod = shaft(look);
  const [centre, half] = [rod.translation[2], rod.length / 2];
  const count = Math.min(
    proportion.MOST_THREADS,
    Math.max(proportion.FEWEST_THREADS, roundHalfEven(rod.length / (proportion.THREAD_PITCH * r))),
  );
  const threads = Array.from({ length: count }, (_, i) =>
    cylinder(
      r,
      proportion.THREAD_LENGTH * r,
      "joint",
      look.child,
      centre - half + (rod.length * (i + 0.5)) / count,
    ),
  );
  return [
    [
      cylinder(proportion.NUT_RADIUS * r, proportion.NUT_LENGTH * r, "joint", look.parent),
      ...motorRing(look, proportion.NUT_RADIUS * r),
    ],
    [rod, ...threads],
  ];
}

/** A shaft that reaches from the child back through the parent's sleeve. */
function shaft(look: JointLook): Cylinder {
  const sign = look.travel < 0 ? -1 : 1;
  const reach = Math.abs(look.travel);
  return cylinder(
    proportion.SHAFT_RADIUS * look.radius,
    reach + proportion.OVERRUN * look.radius,
    "bar",
    look.child,
    (-sign * reach) / 2,
  );
}

function planar(look: JointLook): Bodies {
  const r = look.radius;
  return [
    [
      box(
        [proportion.TABLE_WIDTH * r, proportion.TABLE_WIDTH * r, proportion.TABLE_THICKNESS * r],
        "ground",
        look.parent,
        -proportion.TABLE_DROP * r,
      ),
    ],
    [cylinder(proportion.PUCK_RADIUS * r, r, "joint", look.child)],
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
