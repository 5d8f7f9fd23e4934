// The real robot: a phantom in the pose that its servos measure.
import type { ModelHost, RobotHost } from "../../store/hosts.ts";
import { Phantom, phantomMaterial } from "../ghosts.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";

export class RealRobotView implements Part {
  private phantom: Phantom | null = null;

  constructor(
    private readonly context: ViewContext<
      ModelHost & RobotHost,
      "root" | "links" | "palette" | "extent"
    >,
  ) {}

  paint(palette: Palette): void {
    this.phantom?.material.color.set(palette.motor);
  }

  rebuild(): void {
    this.clear();
  }

  frame(): void {
    const { studio, palette } = this.context;
    const q = studio.robot.phantom;
    if (q === null || q.length !== studio.model?.nq) {
      this.clear();
      return;
    }
    this.phantom ??= new Phantom(this.context, phantomMaterial(palette.motor, 0.42));
    this.phantom.pose(Float64Array.from(q));
  }

  dispose(): void {
    this.clear();
  }

  private clear(): void {
    this.phantom?.dispose();
    this.phantom = null;
  }
}
