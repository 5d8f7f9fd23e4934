// Axes of turning joints, as thin dash-dotted lines through their housings.
import { BufferAttribute, BufferGeometry, LineDashedMaterial, LineSegments, Vector3 } from "three";
import { traitsOf } from "../../kernel/tables/joint-types.ts";
import type { ChoiceHost, ModelHost } from "../../store/hosts.ts";
import { jointFrame } from "./joints.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";

export class JointAxes implements Part {
  private readonly lines: LineSegments<BufferGeometry, LineDashedMaterial>;
  private joints: number[] = [];
  private readonly z = new Vector3();
  private readonly p = new Vector3();

  constructor(private readonly context: ViewContext<ModelHost & ChoiceHost, "root">) {
    const material = new LineDashedMaterial({ transparent: true, opacity: 0.7, depthWrite: false });
    this.lines = new LineSegments(new BufferGeometry(), material);
    this.lines.frustumCulled = false;
    this.lines.raycast = () => undefined;
    context.root.add(this.lines);
  }

  paint(palette: Palette): void {
    this.lines.material.color.set(palette.faint);
  }

  rebuild(): void {
    const { model } = this.context.studio;
    this.joints = [];
    if (model && !model.data.planar)
      model.data.joints.forEach((joint, i) => {
        if (traitsOf(joint.type).turnsInPlace) this.joints.push(i);
      });
    this.lines.geometry.dispose();
    const places = new Float32Array(6 * this.joints.length);
    const lengths = new Float32Array(2 * this.joints.length);
    const reach = 2 * this.reach;
    this.joints.forEach((_, i) => (lengths[2 * i + 1] = reach));
    this.lines.geometry = new BufferGeometry()
      .setAttribute("position", new BufferAttribute(places, 3))
      .setAttribute("lineDistance", new BufferAttribute(lengths, 1));
    this.lines.material.dashSize = 0.16 * this.reach;
    this.lines.material.gapSize = 0.07 * this.reach;
  }

  frame(): void {
    const { model, poses, settings } = this.context.studio;
    this.lines.visible = settings.showAxes && this.joints.length > 0;
    if (!this.lines.visible || !model) return;
    const place = this.lines.geometry.getAttribute("position") as BufferAttribute;
    this.joints.forEach((joint, i) => {
      const { elements: e } = jointFrame(model, poses, joint);
      this.z.set(e[8], e[9], e[10]).multiplyScalar(this.reach);
      this.p.set(e[12], e[13], e[14]);
      place.setXYZ(2 * i, this.p.x - this.z.x, this.p.y - this.z.y, this.p.z - this.z.z);
      place.setXYZ(2 * i + 1, this.p.x + this.z.x, this.p.y + this.z.y, this.p.z + this.z.z);
    });
    place.needsUpdate = true;
  }

  dispose(): void {
    this.lines.removeFromParent();
    this.lines.geometry.dispose();
    this.lines.material.dispose();
  }

  private get reach(): number {
    return 0.45 * (this.context.studio.model?.size ?? 1);
  }
}
