// Where panels stand around the user: the first free place before them; pure maths.
import { Matrix4, Vector3 } from "three";

/** The eyes in the room, and what they look at. */
export interface Sight {
  place: Vector3;
  /** Unit length, horizontal. */
  ahead: Vector3;
  /** Unit length: where the middle of the picture is. */
  along: Vector3;
  /** Half of the picture: tangents of its angles to the sides, and up. */
  half: readonly [number, number];
}

/** A panel as it stands there: its middle, its face along z; width and height [m]. */
export interface Standing {
  X_RP: Matrix4;
  size: readonly [number, number];
}

/** Panels are so far from the eyes [m]: their text is read at arm's length there. */
export const AWAY = 0.7;
/** Columns and rows of places: angles of their middles to the left, and up [rad]. Panels are 33°
 * wide and mostly lower than that, so that the outer ones end before 60°. */
const COLUMN = 0.645;
const [LOWER, UPPER] = [-0.36, 0.25];
/** Beside the mechanism first, above it next; before it only where nothing else is free. */
const PLACES: readonly (readonly [number, number])[] = [
  [COLUMN, LOWER],
  [-COLUMN, LOWER],
  [COLUMN, UPPER],
  [-COLUMN, UPPER],
  [0, UPPER],
  [0, LOWER],
];
/** Panels have this distance from each other [rad]. */
const GAP = 0.02;
/** A narrower picture, such as that of a phone, shows nothing of the places aside. */
const NARROW = 0.7;
/** Share of a narrow picture that a panel fills at most. */
const FILLS = 0.92;

const Z = new Vector3(0, 0, 1);

/** Half of a picture, by its projection: the wider side of each. */
export function halfOf(p: ArrayLike<number>): readonly [number, number] {
  return [(1 + Math.abs(p[8])) / p[0], (1 + Math.abs(p[9])) / p[5]];
}

/** A place before the eyes where nothing else is; null: there is none. */
export function freePlace(
  sight: Sight,
  size: readonly [number, number],
  others: readonly Standing[],
): Matrix4 | null {
  return (
    placesOf(sight, size).find(
      (X) => !others.some((one) => isHidden(sight, { X_RP: X, size }, one)),
    ) ?? null
  );
}

/** All places that a panel of a size can have, the best first. */
export function placesOf(sight: Sight, size: readonly [number, number]): Matrix4[] {
  if (sight.half[0] < NARROW) return [inMiddle(sight, size)];
  return PLACES.map(([left, up]) => {
    const way = sight.ahead.clone().applyAxisAngle(Z, left).multiplyScalar(Math.cos(up));
    return facing(sight.place, way.setZ(Math.sin(up)), AWAY);
  });
}

/** The edge of a panel that stays where it is when rows come or go: its top 1, its bottom −1, or
 * neither; titles of the lower row are in one line then, and no panel grows towards another. */
export function edgeOf({ place, half }: Sight, X_RP: Matrix4): number {
  return half[0] < NARROW ? 0 : X_RP.elements[14] > place.z ? -1 : 1;
}

/** In the middle of a narrow picture, far enough away to be inside it. */
function inMiddle({ place, along, half }: Sight, [wide, high]: readonly [number, number]): Matrix4 {
  const away = Math.max(wide / half[0], high / half[1]) / (2 * FILLS);
  return facing(place, along, Math.max(AWAY, away));
}

function facing(eyes: Vector3, way: Vector3, away: number): Matrix4 {
  const at = eyes.clone().addScaledVector(way, away);
  return new Matrix4().lookAt(eyes, at, Z).setPosition(at);
}

/** Whether two panels cover each other for the eyes. */
export function isHidden(sight: Sight, a: Standing, b: Standing): boolean {
  const [one, other] = [seen(sight, a), seen(sight, b)];
  const turn = Math.abs(
    Math.atan2(Math.sin(one.left - other.left), Math.cos(one.left - other.left)),
  );
  return (
    turn < one.wide + other.wide + GAP && Math.abs(one.up - other.up) < one.high + other.high + GAP
  );
}

/** Angles of a panel's middle to the left and up, and half of its size, as seen [rad]. */
function seen({ place, ahead }: Sight, { X_RP, size }: Standing) {
  const way = new Vector3().setFromMatrixPosition(X_RP).sub(place);
  const distance = Math.max(1e-3, way.length());
  const level = Math.hypot(way.x, way.y);
  return {
    left: Math.atan2(way.y, way.x) - Math.atan2(ahead.y, ahead.x),
    up: Math.atan2(way.z, level),
    wide: Math.atan2(size[0] / 2, Math.max(1e-3, level)),
    high: Math.atan2(size[1] / 2, distance),
  };
}
