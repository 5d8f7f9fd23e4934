import { describe, expect, it } from "vitest";
import {
  type Box,
  overlaps,
  placeLabels,
  type LabelRequest,
} from "../../../src/view/labels/label-places.ts";

const bounds: Box = { left: 0, top: 0, right: 640, bottom: 480 };
const request = (x: number, y: number, change: Partial<LabelRequest> = {}): LabelRequest => ({
  x,
  y,
  width: 120,
  height: 24,
  isName: false,
  last: null,
  ...change,
});
const boxAt = ({ x, y, width, height }: LabelRequest, spot: readonly [number, number]): Box => ({
  left: x + spot[0] - width / 2,
  right: x + spot[0] + width / 2,
  top: y + spot[1] - height / 2,
  bottom: y + spot[1] + height / 2,
});

describe("placeLabels", () => {
  it("puts a label above its place, a name at its right", () => {
    const [label, name] = placeLabels(
      [request(300, 200), request(100, 400, { isName: true })],
      bounds,
    );
    expect(label).toEqual([0, -26]);
    expect(name).toEqual([68, 0]);
  });

  it("keeps labels of one place apart, inside, and from under the tools", () => {
    const tools = [{ left: 10, top: 10, right: 400, bottom: 50 }];
    const requests = Array.from({ length: 8 }, (_, i) => request(60 + i, 40));
    const boxes = placeLabels(requests, bounds, tools).map((spot, i) => boxAt(requests[i], spot!));
    boxes.forEach((box, i) => {
      expect(box.left).toBeGreaterThanOrEqual(0);
      expect(box.top).toBeGreaterThanOrEqual(0);
      for (const other of [...tools, ...boxes.slice(0, i)])
        expect(overlaps(box, other)).toBe(false);
    });
  });

  it("brings what is far outside to the edge", () => {
    const far = request(5000, -900);
    const [spot] = placeLabels([far], bounds);
    expect(boxAt(far, spot!).right).toBeLessThanOrEqual(bounds.right);
    expect(boxAt(far, spot!).top).toBeGreaterThanOrEqual(bounds.top);
  });

  it("stays where it was rather than flicker, but not far away for nothing", () => {
    const near = [0, -36] as const;
    expect(placeLabels([request(300, 200, { last: near })], bounds)[0]).toEqual(near);
    expect(placeLabels([request(300, 200, { last: [0, -90] })], bounds)[0]).toEqual([0, -26]);
    const [first, second] = [request(300, 200), request(300, 200)];
    const spots = placeLabels([first, second], bounds);
    const again = placeLabels([first, { ...second, last: spots[1] }], bounds);
    expect(again).toEqual(spots);
  });

  it("leaves out names that have no room, nothing else", () => {
    const full = [{ left: -1e4, top: -1e4, right: 1e4, bottom: 1e4 }];
    const spots = placeLabels(
      [request(300, 200), request(300, 200, { isName: true })],
      bounds,
      full,
    );
    expect(spots[0]).not.toBeNull();
    expect(spots[1]).toBeNull();
  });
});
