import {
  Color,
  type InstancedMesh,
  Matrix4,
  Mesh,
  type MeshStandardMaterial,
  Vector3,
} from "three";
import { expect, it } from "vitest";
import { BodyFigure } from "../../../src/view/people/body.ts";

/** A leg and an arm: ends, radius, brightness. */
const BODY = [...[0, 0, 0, 0, 0, 0.8, 0.07, 1], ...[0.2, 0, 1.4, 0.6, 0, 1.4, 0.04, 0.5]];

const parts = (figure: BodyFigure): InstancedMesh[] => figure.group.children as InstancedMesh[];

function placed(mesh: InstancedMesh, i: number, point: Vector3): number[] {
  const matrix = new Matrix4();
  mesh.getMatrixAt(i, matrix);
  return point.applyMatrix4(matrix).toArray();
}

function close(found: number[], wanted: number[]): void {
  found.forEach((x, i) => expect(x).toBeCloseTo(wanted[i], 6));
}

it("draws each capsule from end to end, as thick and as bright as it is", () => {
  const figure = new BodyFigure();
  figure.show(BODY, "#ff0000");
  const [tubes, ends] = parts(figure);
  expect([tubes.count, ends.count]).toEqual([2, 4]);
  // a tube's own axis is y, one long
  close(placed(tubes, 0, new Vector3(0, 0.5, 0)), [0, 0, 0.8]);
  close(placed(tubes, 1, new Vector3(0, -0.5, 0)), [0.2, 0, 1.4]);
  close(placed(ends, 3, new Vector3()), [0.6, 0, 1.4]);
  const surface = new Vector3(...placed(ends, 3, new Vector3(1, 0, 0)));
  expect(surface.distanceTo(new Vector3(0.6, 0, 1.4))).toBeCloseTo(0.04, 6);
  const [full, half] = [new Color(), new Color()];
  tubes.getColorAt(0, full);
  tubes.getColorAt(1, half);
  expect([full.r, half.r]).toEqual([1, 0.5]);
  figure.dispose();
});

it("draws a capsule without length as a ball, and nobody for no body", () => {
  const figure = new BodyFigure();
  figure.show([1, 2, 3, 1, 2, 3, 0.1, 1], "#00ff00");
  close(placed(parts(figure)[1], 0, new Vector3(0, 0, 1)), [1, 2, 3.1]);
  figure.show([], "#00ff00");
  expect(parts(figure).map(({ count }) => count)).toEqual([0, 0]);
  figure.dispose();
});

it("lets others be seen through oneself, and is never hit by a pointer", () => {
  const figure = new BodyFigure();
  figure.fade();
  for (const part of parts(figure)) {
    const material = (part as Mesh).material as MeshStandardMaterial;
    expect(material.transparent && material.opacity < 0.5).toBe(true);
    expect(part.raycast(null as never, [])).toBeUndefined();
  }
  figure.dispose();
});
