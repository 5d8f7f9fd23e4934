// What Python programs draw, in the 2D view: arrows, dots, lines, surfaces, labels, traces.
import type { ModelHost, ProgramHost } from "../../store/hosts.ts";
import { type Drawn, keyOf } from "../../store/programs/programs.ts";
import { applyPose, poseAt } from "../../kernel/spatial.ts";
import { applyInverse, type Vec3 } from "../../shapes/vectors.ts";
import { floats, whole } from "../../wire/packed.ts";
import { fileColor, type Palette } from "../links/palette.ts";
import type { FlatFrame } from "./path.ts";

type Pixel = [number, number];
type ToPixel = (place: ArrayLike<number>) => Pixel;

/** Length of an arrow's head [px], and what it may take of a short arrow. */
const HEAD = 11;
const HEAD_SHARE = 0.45;

/** Numbers of items that were unpacked already: a picture is drawn for every pose. */
const unpacked = new WeakMap<Drawn, Record<string, ArrayLike<number>>>();

export function drawItems(
  pen: CanvasRenderingContext2D,
  studio: ModelHost & ProgramHost,
  { plane, scale, origin }: FlatFrame,
  palette: Palette,
): void {
  const { model, poses, programs } = studio;
  const flat: ToPixel = (place) => {
    const [x, y] = applyInverse(plane, [place[0], place[1], place[2]]);
    return [origin.x + x * scale, origin.y - y * scale];
  };
  for (const shown of programs.drawn) {
    const { data } = shown;
    const site = data.frame === "" ? -1 : (model?.siteNames.lastIndexOf(data.frame) ?? -1);
    // a frame that the mechanism does not have now
    if (data.frame !== "" && site < 0) continue;
    const to: ToPixel =
      site < 0
        ? flat
        : (place) => flat(applyPose(poseAt(poses, site), [place[0], place[1], place[2]]));
    pen.save();
    pen.lineJoin = pen.lineCap = "round";
    pen.strokeStyle = pen.fillStyle = fileColor(data.color) ?? palette.accent;
    if (data.kind === "trace") stroke(pen, programs.trace(keyOf(shown)), flat, 2.5);
    else drawItem(pen, data, to, palette);
    pen.restore();
  }
}

function drawItem(
  pen: CanvasRenderingContext2D,
  item: Exclude<Drawn, { kind: "trace" }>,
  to: ToPixel,
  palette: Palette,
): void {
  switch (item.kind) {
    case "arrow": {
      const tip: Vec3 = [0, 1, 2].map((i) => item.start[i] + item.vector[i]) as Vec3;
      drawArrow(pen, to(item.start), to(tip));
      drawText(pen, item.label, to(tip), palette);
      break;
    }
    case "label":
      drawText(pen, item.text, to(item.place), palette);
      break;
    case "points":
      drawPoints(pen, item, to);
      break;
    case "line":
      stroke(pen, rows(numbers(item, "places", item.places)), to, item.width || 2.5);
      break;
    case "mesh": {
      const corners = rows(numbers(item, "places", item.places)).map(to);
      const order = numbers(item, "triangles", item.triangles, whole);
      pen.globalAlpha = item.opacity;
      pen.beginPath();
      for (let i = 0; i + 2 < order.length; i += 3) {
        pen.moveTo(...corners[order[i]]);
        pen.lineTo(...corners[order[i + 1]]);
        pen.lineTo(...corners[order[i + 2]]);
        pen.closePath();
      }
      pen.fill();
    }
  }
}

function drawArrow(pen: CanvasRenderingContext2D, [ax, ay]: Pixel, [bx, by]: Pixel): void {
  const long = Math.hypot(bx - ax, by - ay);
  // one that points at the viewer is a dot
  if (long < 1) {
    pen.beginPath();
    pen.arc(ax, ay, 4, 0, 2 * Math.PI);
    pen.fill();
    return;
  }
  const [ux, uy] = [(bx - ax) / long, (by - ay) / long];
  const head = Math.min(HEAD, HEAD_SHARE * long);
  const [nx, ny] = [bx - head * ux, by - head * uy];
  pen.lineWidth = 3;
  pen.beginPath();
  pen.moveTo(ax, ay);
  pen.lineTo(nx, ny);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(bx, by);
  pen.lineTo(nx - 0.5 * head * uy, ny + 0.5 * head * ux);
  pen.lineTo(nx + 0.5 * head * uy, ny - 0.5 * head * ux);
  pen.fill();
}

function drawText(
  pen: CanvasRenderingContext2D,
  text: string,
  [x, y]: Pixel,
  palette: Palette,
): void {
  if (!text) return;
  pen.font = "13px sans-serif";
  pen.textBaseline = "middle";
  pen.lineWidth = 4;
  // readable over lines of any colour
  pen.strokeStyle = palette.dark ? "#000000b0" : "#ffffffd0";
  pen.fillStyle = palette.dark ? "#ffffff" : "#000000";
  pen.strokeText(text, x + 10, y - 10);
  pen.fillText(text, x + 10, y - 10);
}

function drawPoints(
  pen: CanvasRenderingContext2D,
  item: Extract<Drawn, { kind: "points" }>,
  to: ToPixel,
): void {
  const colors = item.colors ? numbers(item, "colors", item.colors) : null;
  const radius = (item.size || 5) / 2;
  rows(numbers(item, "places", item.places)).forEach((place, i) => {
    if (colors) {
      const [r, g, b] = [0, 1, 2].map((k) => Math.round(255 * colors[3 * i + k]));
      pen.fillStyle = `rgb(${r} ${g} ${b})`;
    }
    pen.beginPath();
    pen.arc(...to(place), radius, 0, 2 * Math.PI);
    pen.fill();
  });
}

function stroke(
  pen: CanvasRenderingContext2D,
  places: readonly ArrayLike<number>[],
  to: ToPixel,
  width: number,
): void {
  pen.lineWidth = width;
  pen.beginPath();
  places.forEach((place, i) => (i ? pen.lineTo(...to(place)) : pen.moveTo(...to(place))));
  pen.stroke();
}

/** The packed numbers of an item, unpacked once. */
function numbers(
  item: Drawn,
  field: string,
  text: string,
  unpack: (text: string) => ArrayLike<number> = floats,
): ArrayLike<number> {
  const known = unpacked.get(item) ?? {};
  unpacked.set(item, known);
  return (known[field] ??= unpack(text));
}

const rows = (xyz: ArrayLike<number>): number[][] =>
  Array.from({ length: xyz.length / 3 }, (_, i) => [xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]]);
