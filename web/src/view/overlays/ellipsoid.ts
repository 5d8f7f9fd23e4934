// The manipulability ellipsoid: how fast the chosen place can go in every direction when all joint
// speeds together have size one (Yoshikawa 1985), without what the loops forbid.
import { type Mesh, type MeshStandardMaterial } from "three";
import { applyPose, poseAt } from "../../kernel/spatial.ts";
import { principalAxes, type Vec3 } from "../../shapes/vectors.ts";
import type { ChoiceHost, ModelHost } from "../../store/hosts.ts";
import type { Label } from "../labels/labels.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { BALL, glassy, mark } from "./marks.ts";

/** Longest half axis in the picture, as a part of the mechanism's radius. */
const LONGEST = 0.28;

export class Ellipsoid implements Part {
  private readonly body: Mesh;
  private readonly material: MeshStandardMaterial;
  private readonly label: Label;

  constructor(
    private readonly context: ViewContext<
      ModelHost & ChoiceHost,
      "root" | "labels" | "palette" | "extent"
    >,
  ) {
    this.material = glassy(context.palette.accent, 0.28);
    this.body = mark(BALL, this.material);
    this.body.matrixAutoUpdate = false;
    this.label = context.labels.add("note");
    context.root.add(this.body);
  }

  paint(palette: Palette): void {
    this.material.color.set(palette.accent);
  }

  frame(): void {
    const { studio, extent } = this.context;
    const { model, q, poses } = studio;
    const place = this.place();
    this.body.visible = this.label.visible = place !== null;
    if (!model || !place) return;
    const rows = model.jacobian(q, place.site, place.point).subarray(0, 3 * model.nv);
    const free = withoutLoops(rows, model.loopJacobian(q), model.nv);
    // The half axes are the singular values of the rows that are left.
    const columns = Array.from({ length: model.nv }, (_, k): Vec3 => [
      free[k],
      free[model.nv + k],
      free[2 * model.nv + k],
    ]);
    const { spread, axes } = principalAxes(columns);
    const scale = spread[0] > 0 ? (LONGEST * extent) / spread[0] : 0;
    const [a, b, c] = spread.map((one) => Math.max(one * scale, 0.004 * extent));
    const at = applyPose(poseAt(poses, place.site), place.point);
    const [x, y, z] = axes;
    this.body.matrix.set(
      a * x[0], b * y[0], c * z[0], at[0],
      a * x[1], b * y[1], c * z[1], at[1],
      a * x[2], b * y[2], c * z[2], at[2],
      0, 0, 0, 1,
    ); // prettier-ignore
    this.body.matrixWorldNeedsUpdate = true;
    this.label.at = [at[0], at[1], at[2] + 0.5 * LONGEST * extent];
    const flat = spread[0] > 0 ? spread[spread[2] > 1e-9 * spread[0] ? 2 : 1] / spread[0] : 0;
    this.label.text = `slowest : fastest direction ${flat.toFixed(2)} : 1`;
  }

  dispose(): void {
    this.body.removeFromParent();
    this.material.dispose();
    this.label.remove();
  }

  /** The chosen frame or point of a link, else the first named frame. */
  private place(): { site: number; point: Vec3 } | null {
    const { model, selection } = this.context.studio;
    if (!model) return null;
    if (selection?.kind === "frame")
      return { site: model.linkCount + selection.index, point: [0, 0, 0] };
    if (selection?.kind === "link" && selection.index > 0)
      return { site: selection.index, point: Array.from(selection.point ?? [0, 0, 0]) as Vec3 };
    return model.siteCount > model.linkCount ? { site: model.linkCount, point: [0, 0, 0] } : null;
  }
}

/** Rows without their parts along the loops' rows: what closed loops leave of them. */
export function withoutLoops(rows: Float64Array, loops: Float64Array, nv: number): Float64Array {
  const basis: Float64Array[] = [];
  const left = rows.slice();
  const reduce = (row: Float64Array) => {
    for (const unit of basis) {
      let sum = 0;
      for (let k = 0; k < nv; k++) sum += row[k] * unit[k];
      for (let k = 0; k < nv; k++) row[k] -= sum * unit[k];
    }
  };
  const norm = (row: Float64Array) => Math.hypot(...row);
  const all = Array.from({ length: nv ? loops.length / nv : 0 }, (_, i) =>
    loops.slice(i * nv, (i + 1) * nv),
  );
  const largest = Math.max(0, ...all.map(norm));
  for (const row of all) {
    // Twice, so that rounding leaves nothing along the others.
    reduce(row);
    reduce(row);
    const size = norm(row);
    if (size > 1e-9 * largest) basis.push(row.map((x) => x / size));
  }
  for (let i = 0; i * nv < left.length; i++) reduce(left.subarray(i * nv, (i + 1) * nv));
  return left;
}
