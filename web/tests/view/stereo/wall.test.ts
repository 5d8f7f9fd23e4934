import { Matrix4, Quaternion, Vector3, Vector4 } from "three";
import { expect, it } from "vitest";
import { layoutOf, SIZES } from "../../../src/ui/wall/layouts.ts";
import { screenTrouble } from "../../../src/ui/wall/trouble.ts";
import type { View } from "../../../src/view/stereo/off-axis.ts";
import { eyeIn, inWorld, roomFor, standing, viewsOf } from "../../../src/view/stereo/wall.ts";
import type { Standing } from "../../../src/view/stereo/wall.ts";
import { toThree } from "../../../src/view/spaces.ts";
import type { ScreenData, WallData } from "../../../src/wire/messages.ts";

type Place = [number, number, number];
const DEPTHS = { near: 0.01, far: 100 };
/** A room that is moved, turned about a skew axis, and seven times smaller than the world. */
const q = new Quaternion().setFromAxisAngle(new Vector3(1, 2, 3).normalize(), 0.8);
const ROOM: Standing = {
  at: [q.w, q.x, q.y, q.z, 3, -2, 0.5],
  scale: 7,
  head: [1, 0, 0, 0, 0.3, -0.1, 1.5],
};

function wallOf(kind: "one" | "row" | "corner", change: Partial<typeof SIZES> = {}): WallData {
  const made = layoutOf(kind, { ...SIZES, ...change });
  const still: WallData["at"] = [1, 0, 0, 0, 0, 0, 0];
  const rest = { eye_distance: 0.063, at: still, scale: 1, tracker: still, has_tracker: false };
  return { ...made, ...rest };
}

/** Where a place of the room is seen through a screen: shares of its width and height. */
function seen(view: View, room: Standing, place: Place): [number, number] {
  const { position, quaternion, projection } = view;
  const look = new Matrix4().compose(position, quaternion, new Vector3(1, 1, 1)).invert();
  const p = toThree(inWorld(room, place).toArray());
  const c = new Vector4(p.x, p.y, p.z, 1).applyMatrix4(look).applyMatrix4(projection);
  return [(c.x / c.w + 1) / 2, (c.y / c.w + 1) / 2];
}

/** The place of the room at shares of a screen's width and height. */
function on({ lower_left: o, lower_right: a, upper_left: b }: ScreenData, u: number, v: number) {
  return o.map((x, i) => x + u * (a[i] - x) + v * (b[i] - x)) as Place;
}

it.each([
  ["row", { count: 2, angle: 0 }],
  ["row", { count: 2, angle: 0.6 }],
  ["row", { count: 3, angle: 0.7 }],
  ["corner", {}],
] as const)("a ray meets adjacent screens at one physical point: %s %o", (kind, change) => {
  const wall = wallOf(kind, change);
  for (const [first, second] of pairs(wall.screens))
    for (const share of [-0.5, 0, 0.5]) {
      const eye = eyeIn(ROOM, wall.eye_distance, share);
      const views = [first, second].map(
        (screen) => viewsOf(wall, ROOM, shown(screen, share), DEPTHS)![0],
      );
      for (const height of [0.1, 0.5, 0.93]) {
        const edge = shared(first, second, height);
        for (const depth of [0.5, 1, 3, 20]) {
          // behind, on and before the shared edge, on the ray from the eye
          const place = edge.map((x, i) => eye[i] + depth * (x - eye[i])) as Place;
          [first, second].forEach((screen, i) => {
            const at = on(screen, ...seen(views[i], ROOM, place));
            // rounding of numbers of size 10 in some dozen operations
            at.forEach((x, k) => expect(x).toBeCloseTo(edge[k], 9));
          });
        }
      }
    }
});

const shown = (screen: ScreenData, share: number): ScreenData => ({
  ...screen,
  shows: share === 0 ? "centre" : share < 0 ? "left" : "right",
});

/** Screens that share an edge. */
function pairs(screens: ScreenData[]): [ScreenData, ScreenData][] {
  const found = screens.flatMap((a, i) => screens.slice(i + 1).map((b) => [a, b] as const));
  return found.filter(([a, b]) => ends(a, b).length === 2) as [ScreenData, ScreenData][];
}

function ends(a: ScreenData, b: ScreenData): Place[] {
  const [p, r] = [a, b].map((one) => [on(one, 0, 0), on(one, 1, 0), on(one, 0, 1), on(one, 1, 1)]);
  return p.filter((x) => r.some((y) => Math.hypot(...x.map((v, i) => v - y[i])) < 1e-6));
}

function shared(a: ScreenData, b: ScreenData, at: number): Place {
  const [p, r] = ends(a, b);
  return p.map((x, i) => x + at * (r[i] - x)) as Place;
}

it("a corner has three edges at which two of its screens meet", () => {
  expect(pairs(wallOf("corner").screens).length).toBe(3);
});

it("a place is seen where the line from the eye to it meets the screen: closed form", () => {
  const wall = wallOf("one", { width: 2, height: 1, distance: 2, lower: 1 });
  const room = standing(wall, null);
  expect(room.head.slice(4)).toEqual([0, 0, 1.6]);
  const [view] = viewsOf(wall, room, wall.screens[0], DEPTHS)!;
  // at twice the distance, 1.2 m to the right and 0.2 m below the eye: half of that on the screen
  const [u, v] = seen(view, room, [1.2, 4, 1.4]);
  expect(u).toBeCloseTo((0.6 + 1) / 2, 12);
  expect(v).toBeCloseTo(1.5 - 1, 12);
});

it("both eyes of a turned head are beside its middle, the disparity is that of the closed form", () => {
  const half = Math.SQRT1_2;
  const head: Standing["head"] = [half, 0, 0, half, 1, 2, 1.5]; // looks to the left
  const room = { ...ROOM, head };
  const [left, right] = [-0.5, 0.5].map((share) => eyeIn(room, 0.064, share));
  expect(left.map((x) => x + 0)).toEqual([1, 2 - 0.032, 1.5].map((x) => expect.closeTo(x, 12)));
  expect(right).toEqual([1, 2 + 0.032, 1.5].map((x) => expect.closeTo(x, 12)));
  const wall = wallOf("one", { width: 2, distance: 2 });
  const ahead: Standing = { ...standing(wall, null) };
  const views = viewsOf(wall, ahead, { ...wall.screens[0], shows: "side-by-side" }, DEPTHS)!;
  const [a, b] = views.map((view) => seen(view, ahead, [0, 6, 1.2])[0] * 2);
  expect(b - a).toBeCloseTo((0.063 * (6 - 2)) / 6, 12); // e (z - d) / z
});

it("an eye behind a screen sees nothing, and words say so", () => {
  const wall = wallOf("one");
  const state = { kind: "wall_state", number: 1, time: 0, at: null, scale: 1, lead: 0 } as const;
  const behind = { ...state, head: [1, 0, 0, 0, 0, 5, 1] as Standing["head"], source: "x" };
  expect(viewsOf(wall, standing(wall, behind), wall.screens[0], DEPTHS)).toBeNull();
  const facts = { name: "screen", wall, isConnected: true, state: behind };
  expect(screenTrouble(facts)).toMatch(/behind this screen/);
  expect(screenTrouble({ ...facts, state: null })).toBeNull();
  expect(screenTrouble({ ...facts, name: "left" })).toMatch(/its screens: screen\./);
  expect(screenTrouble({ ...facts, wall: null })).toMatch(/no wall/);
  expect(screenTrouble({ ...facts, isConnected: false })).toMatch(/connection/);
});

it.each(["one", "row", "corner"] as const)(
  "a %s wall shows what the leading camera looks at",
  (kind) => {
    const wall = wallOf(kind);
    const target: Place = [0.4, -0.2, 0.7];
    const back = new Vector3(1, -1, 0).normalize();
    const up = new Vector3(0, 0, 1);
    const right = up.clone().cross(back);
    const { at, scale } = roomFor(wall, { target, right, up, back, height: 0.5 });
    const room = { at, scale, head: standing(wall, null).head };
    const middles = wall.screens.map((screen) => on(screen, 0.5, 0.5));
    const middle = [0, 1, 2].map((i) => middles.reduce((sum, m) => sum + m[i], 0) / middles.length);
    inWorld(room, middle as Place)
      .toArray()
      .forEach((x, i) => expect(x).toBeCloseTo(target[i], 9));
    // what is ahead in the room is ahead of the camera, and up is up
    const along = (d: Place): Vector3 =>
      inWorld(room, d)
        .sub(inWorld(room, [0, 0, 0]))
        .divideScalar(scale);
    expect(along([0, 1, 0]).distanceTo(back.clone().negate())).toBeLessThan(1e-9);
    expect(along([0, 0, 1]).distanceTo(up)).toBeLessThan(1e-9);
    if (kind === "one") expect(scale).toBeCloseTo(0.5 / SIZES.height, 12);
  },
);
