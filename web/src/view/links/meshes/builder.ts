// Triangles and edge lines of primitives, gathered into one geometry per link.
import { BufferAttribute, BufferGeometry, Color } from "three";
import { type Placed, type Primitive, drawnOutline } from "../../../shapes/index.ts";
import { heightBody } from "../height-body.ts";

/** Corners of a circle; a quarter ball has a quarter of that between pole and equator. */
const SIDES = 64;
/** Straight pieces of a bevel. */
const BEVEL_STEPS = 3;

/** A point of a convex outline with its outward normal. */
type OutlinePoint = [x: number, y: number, nx: number, ny: number];
/** A ring of a swept solid: how far inside the outline, how high, and its normal. */
type Ring = [inset: number, z: number, out: number, up: number];

/** Ends of lines and their colours. */
interface Lines {
  places: number[];
  colors: number[];
}
const emptyLines = (): Lines => ({ places: [], colors: [] });

export class MeshBuilder {
  private readonly positions: number[] = [];
  private readonly normals: number[] = [];
  private readonly colors: number[] = [];
  private readonly indices: number[] = [];
  private readonly lines = emptyLines();
  /** Lines that only a wireframe needs: outlines of what is round all over. */
  private readonly softLines = emptyLines();
  private shape!: Placed;
  private readonly color = new Color();
  /** Of what is added, so that faces of two parts in one plane do not flicker. */
  shrink = 1;

  /** Adds a primitive in a colour; mesh files are not for here. */
  add(shape: Primitive, fill: string): void {
    this.shape = shape;
    this.color.set(fill);
    switch (shape.kind) {
      case "box":
        this.box(...(shape.size.map((x) => this.shrink * x) as typeof shape.size));
        break;
      case "cylinder": {
        // Motor bands stand out a little more than they are thick, so that they are seen from above.
        const radius = this.shrink * (shape.role === "motor" ? 1.06 : 1) * shape.radius;
        const size = this.shrink * shape.length;
        const bevel = Math.min(0.12 * radius, 0.25 * size);
        const outline = circle(radius);
        this.sweep(outline, slab(size, bevel), bevel);
        break;
      }
      case "capsule":
      case "sphere": {
        const radius = this.shrink * shape.radius;
        const length = shape.kind === "capsule" ? shape.length : 0;
        this.sweep(circle(radius), ball(radius, length), 0);
        break;
      }
      case "plate": {
        const thickness = this.shrink * shape.thickness;
        const bevel = 0.16 * thickness;
        const outline = drawnOutline(shape, SIDES / 4);
        this.sweep(withNormals(outline), slab(thickness, bevel), bevel);
        break;
      }
      case "heights": {
        const first = this.positions.length / 3;
        const { vertices, indices } = heightBody(shape);
        for (const vertex of vertices) this.vertex(...vertex);
        for (const index of indices) this.indices.push(first + index);
        break;
      }
      case "mesh":
        break;
    }
  }

  /** The triangles, with colours by vertex. */
  solid(): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", floats(this.positions));
    geometry.setAttribute("normal", floats(this.normals));
    geometry.setAttribute("color", floats(this.colors));
    geometry.setIndex(new BufferAttribute(new Uint32Array(this.indices), 1));
    return geometry;
  }

  /** The edges that a draughtsman would draw; `hard` of their points are real edges. */
  edges(): { geometry: BufferGeometry; hard: number } {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", floats(this.lines.places.concat(this.softLines.places)));
    geometry.setAttribute("color", floats(this.lines.colors.concat(this.softLines.colors)));
    return { geometry, hard: this.lines.places.length / 3 };
  }

  private box(x: number, y: number, z: number): void {
    const bevel = 0.08 * Math.min(x, y, z);
    const outline: OutlinePoint[] = [];
    const [a, b] = [x / 2 - bevel, y / 2 - bevel];
    for (const [i, sx, sy] of [
      [0, 1, 1],
      [1, -1, 1],
      [2, -1, -1],
      [3, 1, -1],
    ]) {
      for (let k = 0; k <= BEVEL_STEPS; k++) {
        const angle = (i + k / BEVEL_STEPS) * (Math.PI / 2);
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        outline.push([sx * a + bevel * c, sy * b + bevel * s, c, s]);
      }
    }
    this.sweep(outline, slab(z, bevel), bevel);
    for (const [sx, sy] of [
      [1, 1],
      [-1, 1],
      [-1, -1],
      [1, -1],
    ]) {
      this.line(
        this.lines,
        [(sx * x) / 2, (sy * y) / 2, z / 2 - bevel],
        [(sx * x) / 2, (sy * y) / 2, bevel - z / 2],
      );
    }
  }

  /** A solid from rings around a convex outline, top first. */
  private sweep(outline: OutlinePoint[], rings: Ring[], bevel: number): void {
    const start = this.positions.length / 3;
    const count = outline.length;
    for (const [inset, z, out, up] of rings)
      for (const [x, y, nx, ny] of outline)
        this.vertex(x - inset * nx, y - inset * ny, z, out * nx, out * ny, up);
    for (let ring = 0; ring + 1 < rings.length; ring++) {
      for (let i = 0; i < count; i++) {
        const a = start + ring * count + i;
        const b = start + ring * count + ((i + 1) % count);
        this.indices.push(a, a + count, b, b, a + count, b + count);
      }
    }
    const last = start + (rings.length - 1) * count;
    if (bevel <= 0) {
      // A ball end: no face to close, a circle for the edges.
      this.ballLines(outline[0][0], rings);
      return;
    }
    for (let i = 1; i + 1 < count; i++) {
      this.indices.push(start, start + i, start + i + 1);
      this.indices.push(last, last + i + 1, last + i);
    }
    const height = rings[0][1];
    // Four lines along the sides, where a wireframe would otherwise show two loose rings.
    for (let i = 0; i < 4; i++) {
      const [x, y] = outline[Math.floor((i * count) / 4)];
      this.line(this.softLines, [x, y, height - bevel], [x, y, bevel - height]);
    }
    for (let i = 0; i < count; i++) {
      const [p, q] = [outline[i], outline[(i + 1) % count]];
      this.line(this.lines, [p[0], p[1], height - bevel], [q[0], q[1], height - bevel]);
      this.line(this.lines, [p[0], p[1], bevel - height], [q[0], q[1], bevel - height]);
    }
  }

  /** A ball or capsule as two outlines through its poles and one around each centre. */
  private ballLines(radius: number, rings: Ring[]): void {
    const points = rings.map(([inset, z]): [number, number] => [radius - inset, z]);
    for (let i = 0; i + 1 < points.length; i++) {
      const [[r, z], [s, w]] = [points[i], points[i + 1]];
      for (const sign of [1, -1]) {
        this.line(this.softLines, [sign * r, 0, z], [sign * s, 0, w]);
        this.line(this.softLines, [0, sign * r, z], [0, sign * s, w]);
      }
    }
  }

  private vertex(x: number, y: number, z: number, nx: number, ny: number, nz: number): void {
    const { rotation: R, translation: p } = this.shape;
    this.positions.push(
      R[0] * x + R[1] * y + R[2] * z + p[0],
      R[3] * x + R[4] * y + R[5] * z + p[1],
      R[6] * x + R[7] * y + R[8] * z + p[2],
    );
    this.normals.push(
      R[0] * nx + R[1] * ny + R[2] * nz,
      R[3] * nx + R[4] * ny + R[5] * nz,
      R[6] * nx + R[7] * ny + R[8] * nz,
    );
    this.colors.push(this.color.r, this.color.g, this.color.b);
  }

  private line(to: Lines, ...ends: [number, number, number][]): void {
    const { rotation: R, translation: p } = this.shape;
    for (const [x, y, z] of ends) {
      to.colors.push(this.color.r, this.color.g, this.color.b);
      to.places.push(
        R[0] * x + R[1] * y + R[2] * z + p[0],
        R[3] * x + R[4] * y + R[5] * z + p[1],
        R[6] * x + R[7] * y + R[8] * z + p[2],
      );
    }
  }
}

const floats = (values: number[]) => new BufferAttribute(new Float32Array(values), 3);

const CIRCLE = Array.from({ length: SIDES }, (_, i) => {
  const angle = (2 * Math.PI * i) / SIDES;
  return [Math.cos(angle), Math.sin(angle)];
});

const circle = (radius: number): OutlinePoint[] =>
  CIRCLE.map(([c, s]) => [radius * c, radius * s, c, s]);

/** Rings of a thick plate with rounded edges. */
function slab(thickness: number, bevel: number): Ring[] {
  const half = thickness / 2;
  const upper: Ring[] = [[bevel, half, 0, 1]];
  for (let i = 0; i <= BEVEL_STEPS; i++) {
    const angle = (Math.PI / 2) * (i / BEVEL_STEPS);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    upper.push([bevel * (1 - s), half - bevel * (1 - c), s, c]);
  }
  return [...upper, ...mirrored(upper)];
}

/** Rings of a ball, or of two half balls with a tube between their centres. */
function ball(radius: number, length: number): Ring[] {
  const upper: Ring[] = [];
  for (let i = 0; i <= SIDES / 4; i++) {
    const angle = (2 * Math.PI * i) / SIDES;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    upper.push([radius * (1 - s), length / 2 + radius * c, s, c]);
  }
  return [...upper, ...mirrored(upper)];
}

const mirrored = (rings: Ring[]): Ring[] =>
  rings.map(([inset, z, out, up]): Ring => [inset, -z, out, -up]).reverse();

/** Corners of an outline, doubled where it turns sharply, with normals smooth elsewhere. */
function withNormals(outline: [number, number][]): OutlinePoint[] {
  const count = outline.length;
  const normal = (i: number): [number, number] => {
    const [p, q] = [outline[i % count], outline[(i + 1) % count]];
    const [x, y] = [q[0] - p[0], q[1] - p[1]];
    const size = Math.hypot(x, y) || 1;
    return [y / size, -x / size];
  };
  return outline.flatMap(([x, y], i): OutlinePoint[] => {
    const [a, b] = [normal(i + count - 1), normal(i)];
    if (a[0] * b[0] + a[1] * b[1] < 0.7)
      return [
        [x, y, ...a],
        [x, y, ...b],
      ];
    const size = Math.hypot(a[0] + b[0], a[1] + b[1]);
    return [[x, y, (a[0] + b[0]) / size, (a[1] + b[1]) / size]];
  });
}
