// A frame of a simulation, as src/kinegen/studio/live/frames.py packs it.
export interface Packed {
  version?: number;
  time?: number;
  gap?: number;
  near?: number;
  recorded?: number;
  q: readonly number[];
  efforts?: readonly number[];
  hands?: readonly (readonly number[])[];
  reactions?: readonly number[];
  signals?: readonly number[];
}

export function livePacket(given: Packed): ArrayBuffer {
  const { q, efforts = [], hands = [], reactions = [], time = 0, gap = 0, version = 1 } = given;
  const { near = Infinity, signals = [], recorded = 0 } = given;
  const facts = [time, 1, 2, 3, 4, 0, 1, gap, 0, 0, gap, 0, near, 1, 0, near, 0, 0, recorded];
  const numbers = [
    ...facts,
    ...q,
    ...efforts,
    ...efforts.map(() => 0),
    ...hands.flat(),
    ...reactions,
    ...signals,
  ];
  const buffer = new ArrayBuffer(64 + 8 * numbers.length);
  const view = new DataView(buffer);
  const counts = [q.length, efforts.length, hands.length, 0, reactions.length / 6, 0];
  [3, 1, version, 48 + 8 * numbers.length, ...counts, signals.length].forEach((x, i) =>
    view.setUint32(4 * i, x, true),
  );
  numbers.forEach((x, i) => view.setFloat64(64 + 8 * i, x, true));
  return buffer;
}
