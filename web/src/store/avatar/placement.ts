// Where an avatar is shown: turned about z, scaled and moved.

export interface Placement {
  /** [m] */
  place: readonly [number, number, number];
  /** About z [rad]. */
  turn: number;
  scale: number;
}

/** Vertices where they are shown. */
export function placed(
  vertices: Float32Array,
  { place, turn, scale }: Placement,
): Float32Array<ArrayBuffer> {
  const out = new Float32Array(vertices.length);
  const [c, s] = [scale * Math.cos(turn), scale * Math.sin(turn)];
  for (let i = 0; i < vertices.length; i += 3) {
    const [x, y, z] = [vertices[i], vertices[i + 1], vertices[i + 2]];
    out[i] = c * x - s * y + place[0];
    out[i + 1] = s * x + c * y + place[1];
    out[i + 2] = scale * z + place[2];
  }
  return out;
}
