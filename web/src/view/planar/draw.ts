// Drawing of the 2D view: as in a textbook of mechanisms.
import type { Settings } from "../../store/settings.ts";
import { niceStep } from "../stage/grid.ts";
import type { Palette } from "../links/palette.ts";
import type { FlatJoint, FlatLink, FlatScene, Spot } from "./scene.ts";
import { flatWords, groundSpans } from "./words.ts";

export interface FlatPicture {
  width: number;
  height: number;
  /** [px/m] */
  scale: number;
  origin: { x: number; y: number };
  palette: Palette;
  scene: FlatScene | null;
  settings: Settings;
  selected: number;
  /** Of every link. */
  colors: readonly string[];
  /** Names of joints at a limit. */
  held: readonly string[];
  bands: [Spot, Spot][];
  /** Draws what lies under the mechanism. */
  under?: (context: CanvasRenderingContext2D) => void;
}

type Context = CanvasRenderingContext2D;
const FONT = "system-ui, -apple-system, 'Segoe UI', sans-serif";

export function drawFlat(context: Context, picture: FlatPicture): void {
  const { width, height, palette, scene } = picture;
  const fill = context.createLinearGradient(0, 0, 0, height);
  fill.addColorStop(0, palette.sky);
  fill.addColorStop(1, palette.floor);
  context.fillStyle = fill;
  context.fillRect(0, 0, width, height);
  context.lineCap = context.lineJoin = "round";
  if (picture.settings.showGrid) grid(context, picture);
  picture.under?.(context);
  if (!scene) return;
  const to = ([x, y]: Spot): Spot => [
    picture.origin.x + x * picture.scale,
    picture.origin.y - y * picture.scale,
  ];
  for (const joint of scene.joints) if (joint.slides) rail(context, picture, joint, to);
  for (const joint of scene.joints)
    if (joint.onGround && !joint.slides) support(context, palette, to(joint.at));
  for (const link of scene.links) if (link.link !== 0) body(context, picture, link, to);
  for (const [from, goal] of picture.bands) band(context, palette, to(from), to(goal));
  for (const joint of scene.joints) pivot(context, picture, joint, to);
  for (const { at } of scene.frames) {
    const [x, y] = to(at);
    disc(context, x, y, 3.2, palette.accent, palette.accent);
  }
  ground(context, picture, scene, to);
  write(context, picture, scene, to);
}

function grid(context: Context, { width, height, scale, origin, palette }: FlatPicture): void {
  const step = niceStep(70 / scale) * scale;
  context.lineWidth = 1;
  for (const [size, start, vertical] of [
    [width, origin.x, true],
    [height, origin.y, false],
  ] as const) {
    for (let at = start % step; at < size; at += step) {
      const isAxis = Math.abs(at - start) < 0.5;
      context.strokeStyle = isAxis ? palette.axes[vertical ? 1 : 0] : palette.grid;
      context.globalAlpha = isAxis ? 0.5 : 0.3;
      context.beginPath();
      context.moveTo(vertical ? at : 0, vertical ? 0 : at);
      context.lineTo(vertical ? at : width, vertical ? height : at);
      context.stroke();
    }
  }
  context.globalAlpha = 1;
}

function body(
  context: Context,
  { palette, scene, selected, colors }: FlatPicture,
  { link, hull, spots }: FlatLink,
  to: (at: Spot) => Spot,
): void {
  if (hull.length < 1 || !scene) return;
  const color = colors[link];
  context.strokeStyle = selected === link ? palette.accent : color;
  context.lineWidth = selected === link ? 9 : 7;
  context.beginPath();
  hull.forEach((spot, i) => (i ? context.lineTo(...to(spot)) : context.moveTo(...to(spot))));
  if (hull.length > 2) {
    context.closePath();
    context.globalAlpha = 0.25;
    context.fillStyle = color;
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth -= 3;
  }
  if (spots.length > 1) context.stroke();
}

/** A triangle on hatched ground. */
function support(context: Context, palette: Palette, [x, y]: Spot): void {
  context.strokeStyle = context.fillStyle = palette.faint;
  context.lineWidth = 1.6;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - 14, y + 22);
  context.lineTo(x + 14, y + 22);
  context.closePath();
  context.globalAlpha = 0.16;
  context.fill();
  context.globalAlpha = 1;
  context.stroke();
  hatch(context, [x - 21, y + 22], [x + 21, y + 22], 1);
}

/** A ground line with strokes on one side. */
function hatch(context: Context, p: Spot, q: Spot, side: number): void {
  const [x, y] = [q[0] - p[0], q[1] - p[1]];
  const size = Math.hypot(x, y) || 1;
  const [u, v] = [x / size, y / size];
  context.beginPath();
  context.moveTo(...p);
  context.lineTo(...q);
  for (let at = 4; at < size; at += 7) {
    const [a, b] = [p[0] + u * at, p[1] + v * at];
    context.moveTo(a, b);
    context.lineTo(a - 6 * u - 7 * v * side, b - 6 * v + 7 * u * side);
  }
  context.stroke();
}

function rail(
  context: Context,
  { palette, scale, scene }: FlatPicture,
  joint: FlatJoint,
  to: (at: Spot) => Spot,
): void {
  const [x, y] = to(joint.at);
  const size = Math.hypot(...joint.along) || 1;
  const [u, v] = [joint.along[0] / size, -joint.along[1] / size];
  const xs = scene!.points.map((p) => p[0]);
  const reach = 0.4 * scale * Math.max(Math.max(...xs) - Math.min(...xs), 1e-6);
  context.strokeStyle = palette.faint;
  context.lineWidth = 1.6;
  for (const side of [1, -1]) {
    const [a, b] = [x - side * v * 12, y + side * u * 12];
    const ends: [Spot, Spot] = [
      [a - u * reach, b - v * reach],
      [a + u * reach, b + v * reach],
    ];
    if (joint.onGround && side === 1) hatch(context, ends[0], ends[1], 1);
    else if (!joint.onGround) {
      context.beginPath();
      context.moveTo(...ends[0]);
      context.lineTo(...ends[1]);
      context.stroke();
    }
  }
  context.save();
  context.translate(x, y);
  context.rotate(Math.atan2(v, u));
  context.fillStyle = palette.dark ? palette.ground : palette.platform;
  context.strokeStyle = palette.joint;
  context.beginPath();
  context.roundRect(-20, -11, 40, 22, 4);
  context.fill();
  context.stroke();
  context.restore();
}

function pivot(
  context: Context,
  { palette, held }: FlatPicture,
  joint: FlatJoint,
  to: (at: Spot) => Spot,
): void {
  const [x, y] = to(joint.at);
  const alarm = held.includes(joint.name);
  const rim = alarm ? palette.danger : palette.joint;
  if (joint.motor) {
    disc(context, x, y, 12, palette.motor, rim);
    disc(context, x, y, 5.5, palette.dark ? palette.floor : "#ffffff", rim);
  } else {
    disc(context, x, y, 6.5, palette.dark ? palette.floor : "#ffffff", rim);
  }
}

function disc(context: Context, x: number, y: number, r: number, fill: string, rim: string): void {
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.strokeStyle = rim;
  context.lineWidth = 2;
  context.fill();
  context.stroke();
}

function band(context: Context, palette: Palette, p: Spot, q: Spot): void {
  if (Math.hypot(p[0] - q[0], p[1] - q[1]) < 4) return;
  context.strokeStyle = palette.danger;
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  context.beginPath();
  context.moveTo(...p);
  context.lineTo(...q);
  context.stroke();
  context.setLineDash([]);
  disc(context, q[0], q[1], 4, palette.danger, palette.danger);
}

/** Arrows between neighbouring supports, under them. */
function ground(
  context: Context,
  { palette, scale }: FlatPicture,
  scene: FlatScene,
  to: (at: Spot) => Spot,
): void {
  for (const { p, q } of groundSpans(scene, scale, to)) {
    const y = p[1] + 48;
    context.strokeStyle = palette.faint;
    context.lineWidth = 1;
    context.beginPath();
    for (const [x, side] of [
      [p[0], 1],
      [q[0], -1],
    ]) {
      context.moveTo(x, p[1] + 36);
      context.lineTo(x, y + 6);
      context.moveTo(x + 7 * side, y - 4);
      context.lineTo(x, y);
      context.lineTo(x + 7 * side, y + 4);
    }
    context.moveTo(p[0], y);
    context.lineTo(q[0], y);
    context.stroke();
  }
}

/** Lengths and names, with a rim of the background's colour. */
function write(
  context: Context,
  picture: FlatPicture,
  scene: FlatScene,
  to: (at: Spot) => Spot,
): void {
  const { palette } = picture;
  const colors = { length: palette.ink, joint: palette.faint, frame: palette.accent };
  context.font = `500 12px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const words = flatWords(scene, picture, to, (text) => context.measureText(text).width);
  for (const { text, x, y, angle, look } of words) {
    context.save();
    context.translate(x, y);
    context.rotate(angle);
    context.lineWidth = 4;
    context.strokeStyle = palette.dark ? palette.floor : palette.sky;
    context.globalAlpha = 0.85;
    context.strokeText(text, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = colors[look];
    context.fillText(text, 0, 0);
    context.restore();
  }
}
