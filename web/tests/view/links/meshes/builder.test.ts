import type { BufferGeometry } from "three";
import { Vector3 } from "three";
import { describe, expect, it } from "vitest";
import type { Placed, Primitive } from "../../../../src/shapes/data.ts";
import { roundedOutline } from "../../../../src/shapes/solid.ts";
import { MeshBuilder } from "../../../../src/view/links/meshes/builder.ts";

const PLACED: Placed = {
  role: "bar",
  branch: 1,
  tone: 0,
  color: null,
  rotation: [0, 0, 1, 1, 0, 0, 0, 1, 0],
  translation: [1, 2, 3],
};
const SHAPES: [Primitive, number][] = [
  [{ ...PLACED, kind: "box", size: [1, 2, 3] }, 6],
  [{ ...PLACED, kind: "cylinder", radius: 1, length: 2 }, 2 * Math.PI],
  [{ ...PLACED, kind: "sphere", radius: 1 }, (4 / 3) * Math.PI],
  [{ ...PLACED, kind: "capsule", radius: 1, length: 2 }, (4 / 3) * Math.PI + 2 * Math.PI],
  [
    {
      ...PLACED,
      kind: "plate",
      thickness: 0.5,
      outline: roundedOutline(
        [
          [0, 0],
          [2, 0],
        ],
        0.5,
      ),
      points: [
        [0, 0],
        [2, 0],
      ],
      radius: 0.5,
    },
    0.5 * (2 + Math.PI / 4),
  ],
];

function built(shape: Primitive): BufferGeometry {
  const builder = new MeshBuilder();
  builder.add(shape, "#808080");
  return builder.solid();
}

function triangles(geometry: BufferGeometry): [Vector3, Vector3, Vector3][] {
  const index = geometry.getIndex()!;
  const place = geometry.getAttribute("position");
  const corner = (i: number) => new Vector3().fromBufferAttribute(place, index.getX(i));
  return Array.from({ length: index.count / 3 }, (_, i) => [
    corner(3 * i),
    corner(3 * i + 1),
    corner(3 * i + 2),
  ]);
}

describe.each(SHAPES)("$kind", (shape, volume) => {
  const geometry = built(shape);
  const faces = triangles(geometry);

  it("encloses its volume, faces outward", () => {
    const sum = faces.reduce((all, [a, b, c]) => all + a.dot(b.clone().cross(c)) / 6, 0);
    // Less by the bevels and by the corners of circles; more would be a mistake.
    expect(sum / volume).toBeGreaterThan(0.95);
    expect(sum / volume).toBeLessThan(1.0001);
  });

  it("is closed: every edge is met in both directions equally often", () => {
    const key = (v: Vector3) => v.toArray().map((x) => (Math.round(x * 1e5) / 1e5 + 0).toFixed(5));
    const edges = new Map<string, number>();
    for (const face of faces) {
      face.forEach((a, i) => {
        const [from, to] = [key(a).join(), key(face[(i + 1) % 3]).join()];
        if (from === to) return;
        edges.set(`${from}|${to}`, (edges.get(`${from}|${to}`) ?? 0) + 1);
      });
    }
    for (const [edge, count] of edges) {
      const [from, to] = edge.split("|");
      expect(edges.get(`${to}|${from}`) ?? 0).toBe(count);
    }
  });

  it("has unit normals on the side of its faces", () => {
    const place = geometry.getAttribute("position");
    const normal = geometry.getAttribute("normal");
    const centre = new Vector3(...shape.translation);
    for (let i = 0; i < normal.count; i++) {
      const n = new Vector3().fromBufferAttribute(normal, i);
      expect(n.length()).toBeCloseTo(1, 5);
      if (shape.kind === "plate") continue;
      expect(n.dot(new Vector3().fromBufferAttribute(place, i).sub(centre))).toBeGreaterThan(-1e-6);
    }
  });
});

describe("round corners", () => {
  it("are drawn rounder than the outline that weighs and touches", () => {
    const [plate] = SHAPES.find(([{ kind }]) => kind === "plate")!;
    const outline = plate.kind === "plate" ? plate.outline : [];
    const builder = new MeshBuilder();
    builder.add(plate, "#808080");
    // one line at the upper rim and one at the lower for each corner
    const corners = builder.edges().hard / 4;
    expect(outline).toHaveLength(2 * (2 * 5 + 1));
    expect(corners).toBeGreaterThan(2.5 * outline.length);
  });
});

describe("edges", () => {
  it("counts rings of a cylinder as real edges, the lines of a ball not", () => {
    const builder = new MeshBuilder();
    builder.add({ ...PLACED, kind: "cylinder", radius: 1, length: 2 }, "#808080");
    const rings = builder.edges();
    expect(rings.hard).toBe(2 * 64 * 2);
    const ball = new MeshBuilder();
    ball.add({ ...PLACED, kind: "sphere", radius: 1 }, "#808080");
    const { geometry, hard } = ball.edges();
    expect(hard).toBe(0);
    expect(geometry.getAttribute("position").count).toBeGreaterThan(100);
  });
});
