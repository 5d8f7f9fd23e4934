// Words of the 2D view: lengths along bars, names beside joints; none lies on another.
import type { Settings } from "../../store/settings.ts";
import { type Box, overlaps, placeLabels } from "../labels/label-places.ts";
import type { FlatJoint, FlatLink, FlatScene, Spot } from "./scene.ts";
import { lengthText } from "../units.ts";

export interface Word {
  text: string;
  /** Its middle [px]. */
  x: number;
  y: number;
  /** Its orientation [rad]. */
  angle: number;
  look: "length" | "joint" | "frame";
}

/** What of a picture its words depend on. */
export interface WordRoom {
  width: number;
  height: number;
  /** [px/m] */
  scale: number;
  settings: Pick<Settings, "lengthUnit">;
}

type Place = (at: Spot) => Spot;
const LINE = 15;
/** How far the middle of a length is from its bar [px]. */
const BESIDE = 13;

/** All words of a scene; `to` places a spot in the picture, `measure` says how wide a text is. */
export function flatWords(
  scene: FlatScene,
  room: WordRoom,
  to: Place,
  measure: (text: string) => number,
): Word[] {
  const marks = scene.joints.map(({ at, motor }) => around(to(at), motor ? 11 : 7));
  const frames = scene.frames.map(({ at }) => around(to(at), 3));
  const words: Word[] = [];
  const taken: Box[] = [...marks];
  const take = (word: Word): boolean => {
    const box = boxOf(word, measure(word.text));
    if (taken.some((other) => overlaps(box, other))) return false;
    taken.push(box);
    words.push(word);
    return true;
  };
  for (const { p, q, length } of groundSpans(scene, room.scale, to)) {
    const text = lengthText(length, room.settings.lengthUnit);
    take({ text, x: (p[0] + q[0]) / 2, y: p[1] + 48, angle: 0, look: "length" });
  }
  // The other side of the bar where the usual one is taken.
  for (const link of scene.links)
    if (link.link !== 0)
      for (const [first, second] of lengths(link, room, to)) if (!take(first)) take(second);
  const names = [
    ...together(scene.joints, to).map((one) => ({ ...one, look: "joint" as const })),
    ...scene.frames.map(({ name, at }) => ({ text: name, at: to(at), look: "frame" as const })),
  ];
  const bounds = { left: 0, top: 0, right: room.width, bottom: room.height };
  taken.push(...frames, ...outside(bounds));
  const drawn = [...scene.links.flatMap((link) => bars(link, to)), ...supports(scene, to)];
  for (const { text, at, look } of names) {
    const request = {
      x: at[0],
      y: at[1],
      width: measure(text),
      height: LINE,
      isName: true,
      last: null,
    };
    // Beside all bars, else on one of them.
    const [clear] = placeLabels([request], bounds, [...taken, ...drawn]);
    const spot = clear ?? placeLabels([request], bounds, taken)[0];
    if (!spot) continue;
    const word: Word = { text, x: at[0] + spot[0], y: at[1] + spot[1], angle: 0, look };
    taken.push(boxOf(word, request.width));
    words.push(word);
  }
  return words;
}

/** The sides of a link as a row of small boxes. */
function bars({ link, hull }: FlatLink, to: Place): Box[] {
  if (link === 0 || hull.length < 2) return [];
  return hull.flatMap((spot, i) => {
    const [a, b] = [to(spot), to(hull[(i + 1) % hull.length])];
    const count = Math.ceil(Math.hypot(a[0] - b[0], a[1] - b[1]) / 6);
    return Array.from({ length: count }, (_, k): Box => {
      const share = k / count;
      return around([a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])], 3);
    });
  });
}

const supports = (scene: FlatScene, to: Place): Box[] =>
  scene.joints
    .filter((joint) => joint.onGround || joint.slides)
    .map((joint) => {
      const [x, y] = to(joint.at);
      return { left: x - 20, right: x + 20, top: y - 4, bottom: y + 28 };
    });

/** Neighbouring supports on one level, and how far they are apart [m]. */
export function groundSpans(
  scene: FlatScene,
  scale: number,
  to: Place,
): { p: Spot; q: Spot; length: number }[] {
  const fixed = scene.joints.filter((joint) => joint.onGround && !joint.slides);
  const level = fixed.filter((joint) => Math.abs(joint.at[1] - fixed[0].at[1]) * scale < 1);
  const row = level.map((joint) => joint.at).sort((p, q) => p[0] - q[0]);
  return row
    .slice(1)
    .map((at, i) => ({ p: to(row[i]), q: to(at), length: at[0] - row[i][0] }))
    .filter(({ p, q }) => q[0] - p[0] >= 70);
}

/** The length of every side of a link: where it should be written, and where it may be. */
function* lengths(
  { hull }: FlatLink,
  { scale, settings }: WordRoom,
  to: Place,
): Generator<[Word, Word]> {
  const count = hull.length > 2 ? hull.length : hull.length - 1;
  const corners = hull.map(to);
  const middle = [0, 1].map((k) => corners.reduce((sum, p) => sum + p[k], 0) / corners.length);
  for (let i = 0; i < count; i++) {
    const [p, q] = [hull[i], hull[(i + 1) % hull.length]];
    const length = Math.hypot(p[0] - q[0], p[1] - q[1]);
    const [a, b] = [to(p), to(q)];
    if (length * scale < 54) continue;
    let angle = Math.atan2(b[1] - a[1], b[0] - a[0]);
    // Read from below or from the right, as drawings are.
    if (angle > Math.PI / 2 - 1e-3) angle -= Math.PI;
    else if (angle <= -Math.PI / 2 - 1e-3) angle += Math.PI;
    const [x, y] = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    // Outside of a body, else above its line.
    const inward = (middle[1] - y) * Math.cos(angle) - (middle[0] - x) * Math.sin(angle);
    const text = lengthText(length, settings.lengthUnit);
    const at = (beside: number): Word => ({
      text,
      x: x - Math.sin(angle) * beside,
      y: y + Math.cos(angle) * beside,
      angle,
      look: "length",
    });
    const side = inward < -1 ? BESIDE : -BESIDE;
    yield [at(side), at(-side)];
  }
}

/** Joints that share a place have one text. */
function together(joints: readonly FlatJoint[], to: Place): { text: string; at: Spot }[] {
  const found: { text: string; at: Spot }[] = [];
  for (const joint of joints) {
    const at = to(joint.at);
    const same = found.find((one) => Math.hypot(one.at[0] - at[0], one.at[1] - at[1]) < 6);
    if (same) same.text += `, ${joint.name}`;
    else found.push({ text: joint.name, at });
  }
  return found;
}

const around = ([x, y]: Spot, r: number): Box => ({
  left: x - r,
  right: x + r,
  top: y - r,
  bottom: y + r,
});

/** The upright box around a word that is turned. */
function boxOf({ x, y, angle }: Word, width: number): Box {
  const [c, s] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  const [w, h] = [(width * c + LINE * s) / 2, (width * s + LINE * c) / 2];
  // Its corners are empty: a turned word takes less than its box.
  const less = 1 - 0.35 * Math.min(1, 2 * c * s);
  return { left: x - w * less, right: x + w * less, top: y - h * less, bottom: y + h * less };
}

/** All that is not the picture. */
function outside({ left, top, right, bottom }: Box): Box[] {
  const far = 1e5;
  return [
    { left: -far, right: left, top: -far, bottom: far },
    { left: right, right: far, top: -far, bottom: far },
    { left: -far, right: far, top: -far, bottom: top },
    { left: -far, right: far, top: bottom, bottom: far },
  ];
}
