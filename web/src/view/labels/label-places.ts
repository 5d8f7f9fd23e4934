// Where labels go so that none hides another or lies under the tools: pure geometry [px].

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A text that wants to stand beside a place. */
export interface LabelRequest {
  /** The place. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** Names stand at the right of their place, all else above it. */
  isName: boolean;
  /** Where it stood before, relative to its place: it stays there rather than flicker. */
  last: readonly [number, number] | null;
}

/** The middle of a label relative to its place; null where there is no room for it. */
export type Spot = readonly [number, number] | null;

/** Room between two labels, and to the picture's edge. */
const GAP = 3;
const EDGE = 8;
/** A label gives up its spot for one that is nearer by this much. */
const LOYALTY = 14;

/** Places labels one after the other, the important ones first; names give way, all else stays. */
export function placeLabels(
  requests: readonly LabelRequest[],
  bounds: Box,
  obstacles: readonly Box[] = [],
): Spot[] {
  const taken = [...obstacles];
  return requests.map((request) => {
    const spot = bestSpot(request, bounds, taken);
    if (spot) taken.push(boxAt(request, spot));
    return spot;
  });
}

function bestSpot(request: LabelRequest, bounds: Box, taken: readonly Box[]): Spot {
  const [first, ...others] = candidates(request);
  let best: Spot = null;
  let least = Infinity;
  const all = request.last ? [first, request.last, ...others] : [first, ...others];
  for (const wanted of all) {
    // A name outside the picture is not missed; what is to be read stays inside.
    const spot = request.isName ? wanted : inside(request, wanted, bounds);
    const cost =
      Math.hypot(spot[0] - first[0], spot[1] - first[1]) - (wanted === request.last ? LOYALTY : 0);
    if (cost >= least) continue;
    const box = boxAt(request, spot);
    if (taken.some((other) => overlaps(box, other))) continue;
    [best, least] = [spot, cost];
    if (cost < 0 || (cost === 0 && !request.last)) break;
  }
  return best ?? (request.isName ? null : inside(request, first, bounds));
}

/** Spots by rising distance from the usual one. */
function candidates({ width, height, isName }: LabelRequest): [number, number][] {
  const row = height + GAP + 1;
  if (isName) {
    const right = 8 + width / 2;
    const beside = [0, 1, -1, 2, -2, 3, -3].flatMap((n): [number, number][] => [
      [right, n * row],
      [-right, n * row],
    ]);
    return [...beside, [0, -row - 4], [0, row + 4]];
  }
  const above = -height - 2;
  const aside = width / 2 + 14;
  const found: [number, number][] = [];
  for (let n = 0; n < 16; n++)
    for (const dx of [0, aside, -aside, 2 * aside, -2 * aside])
      found.push([dx, above - n * row], [dx, above + n * row]);
  return found;
}

function inside(
  request: LabelRequest,
  [dx, dy]: readonly [number, number],
  bounds: Box,
): [number, number] {
  const within = (value: number, low: number, high: number) =>
    Math.max(low, Math.min(value, Math.max(low, high)));
  const [w, h] = [request.width / 2 + EDGE, request.height / 2 + EDGE];
  return [
    within(request.x + dx, bounds.left + w, bounds.right - w) - request.x,
    within(request.y + dy, bounds.top + h, bounds.bottom - h) - request.y,
  ];
}

function boxAt({ x, y, width, height }: LabelRequest, [dx, dy]: readonly [number, number]): Box {
  return {
    left: x + dx - width / 2,
    right: x + dx + width / 2,
    top: y + dy - height / 2,
    bottom: y + dy + height / 2,
  };
}

/** Whether two boxes are nearer than the room between labels. */
export function overlaps(a: Box, b: Box): boolean {
  return (
    a.left < b.right + GAP &&
    b.left < a.right + GAP &&
    a.top < b.bottom + GAP &&
    b.top < a.bottom + GAP
  );
}
