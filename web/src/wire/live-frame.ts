// Frames of a running simulation: binary, little endian; src/kinegen/studio/live/frames.py says the same.
export interface LiveHand {
  /** The page's number for it. */
  hand: number;
  /** On the mechanism [N]. */
  force: [number, number, number];
  /** Where it holds [m]. */
  place: [number, number, number];
  /** [N/m] */
  stiffness: number;
  /** [N s/m] */
  damping: number;
  /** Of a push [m]. */
  depth: number;
  /** On the mechanism [N m], of a hand that holds the whole pose. */
  moment: [number, number, number];
}

export interface LiveFrame {
  sequence: number;
  /** Of the snapshot whose model it belongs to. */
  version: number;
  /** [s] */
  time: number;
  /** Simulated seconds per second, of late. */
  pace: number;
  /** [J] */
  kinetic: number;
  /** Of gravity and springs [J]. */
  potential: number;
  /** Done from outside, less what was lost [J]. */
  work: number;
  /** Largest change of kinetic + potential - work so far [J]. */
  drift: number;
  /** The energy that the motion is about [J]. */
  scale: number;
  /** Loops now [m, rad, m/s]. */
  gap: number;
  angleGap: number;
  velocityGap: number;
  /** Widest opening so far [m]. */
  widestGap: number;
  contacts: number;
  /** To the nearest object [m]: Infinity when nothing is near, negative when it is hit. */
  clearance: number;
  /** Which link and object are nearest, -1 for none. */
  nearLink: number;
  nearObject: number;
  /** Least distance so far, and to which object. */
  least: number;
  leastObject: number;
  q: Float64Array;
  /** Of the motors, per v [N m, N]. */
  efforts: Float64Array;
  /** 1 where a motor is at its limit. */
  saturated: Float64Array;
  hands: LiveHand[];
  /** Poses of the objects that move by themselves: wxyz xyz each. */
  objects: Float64Array[];
  /** Per joint force and moment in world axes; null where not told in this frame. */
  reactions: Float64Array | null;
  /** Whether a hand leads a motion that is followed. */
  isLed: boolean;
}

const HEAD = 16;
const COUNTS = 24;
const KIND = 3;
const FACTS = 17;
const HAND = 13;

/** The state of a frame, null when it is none. */
export function unpackLive(buffer: ArrayBuffer): LiveFrame | null {
  if (buffer.byteLength < HEAD + COUNTS) return null;
  const view = new DataView(buffer);
  const word = (i: number): number => view.getUint32(4 * i, true);
  if (word(0) !== KIND || buffer.byteLength !== HEAD + word(3)) return null;
  const [nq, nv, handCount, objectCount, joints, flags] = [4, 5, 6, 7, 8, 9].map(word);
  const size = FACTS + nq + 2 * nv + HAND * handCount + 7 * objectCount + 6 * joints;
  if (buffer.byteLength !== HEAD + COUNTS + 8 * size) return null;
  const numbers = new Float64Array(buffer, HEAD + COUNTS, size);
  let at = 0;
  const take = (count: number): Float64Array => numbers.subarray(at, (at += count));
  const facts = take(FACTS);
  const q = take(nq);
  if (!q.every(Number.isFinite)) return null;
  const efforts = take(nv);
  const saturated = take(nv);
  const hands = Array.from({ length: handCount }, () => handOf(take(HAND)));
  const objects = Array.from({ length: objectCount }, () => take(7));
  const reactions = joints ? take(6 * joints) : null;
  const [time, pace, kinetic, potential, work, drift, scale] = facts;
  const [gap, angleGap, velocityGap, widestGap, contacts] = facts.subarray(7);
  const [clearance, nearLink, nearObject, least, leastObject] = facts.subarray(12);
  return {
    ...{ sequence: word(1), version: word(2), time, pace, kinetic, potential, work, drift, scale },
    ...{ gap, angleGap, velocityGap, widestGap, contacts },
    ...{ clearance, nearLink, nearObject, least, leastObject },
    ...{ q, efforts, saturated, hands, objects, reactions, isLed: (flags & 1) === 1 },
  };
}

function handOf(row: Float64Array): LiveHand {
  const [hand, fx, fy, fz, x, y, z, stiffness, damping, depth, mx, my, mz] = row;
  return {
    ...{ hand, force: [fx, fy, fz], place: [x, y, z], stiffness, damping, depth },
    moment: [mx, my, mz],
  };
}
