import { Quaternion, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { type Look, standingOf } from "../../../src/view/people/standing.ts";

const EYES = 1.64;
const Z = new Vector3(0, 0, 1);

const look = (given: Partial<Look> = {}): Look => ({
  ...{ target: new Vector3(0, 0, 0.5), eye: new Vector3(0, -4, 3), floor: 0, up: Z },
  upright: new Vector3(0, 1, 0),
  ...given,
});
const place = ([, , , , ...p]: readonly number[]): Vector3 => new Vector3(...p);
const turned = ([w, x, y, z]: readonly number[], v: Vector3): Vector3 =>
  v.clone().applyQuaternion(new Quaternion(x, y, z, w));

describe("where the user of a window stands", () => {
  it("is halfway before what the view turns around, upright, and looks at it", () => {
    const { head, hands, present, scale } = standingOf(look(), "none");
    expect([hands, present, scale]).toEqual([[], true, 1]);
    // 30 cm to the left, so that it can be seen past the figure
    expect(place(head).toArray()).toEqual([-0.3, -2, EYES]);
    expect(turned(head, new Vector3(0, 0, -1)).y).toBeCloseTo(1, 6);
    expect(turned(head, new Vector3(0, 1, 0)).z).toBeCloseTo(1, 6);
  });

  it("comes nearer with the view, and is on the floor whatever is looked at", () => {
    const near = standingOf(look({ eye: new Vector3(0, -1, 9), floor: -0.7 }), "none");
    expect(place(near.head).y).toBeCloseTo(-0.5, 6);
    expect(place(near.head).z).toBeCloseTo(EYES - 0.7, 6);
    const other = standingOf(look({ up: new Vector3(1, 0, 0), floor: 2 }), "none");
    expect(place(other.head).x).toBeCloseTo(2 + EYES, 6);
  });

  it("is at the lower edge of a picture from above", () => {
    const { head } = standingOf(look({ eye: new Vector3(0, 0, 9) }), "none");
    expect(turned(head, new Vector3(0, 0, -1)).y).toBeCloseTo(1, 6);
    expect(place(head).y).toBeCloseTo(0, 6);
  });

  it("has a right hand for a gesture: flat and upright for stop, ahead otherwise", () => {
    for (const gesture of ["stop", "point", "grasp"] as const) {
      const { head, hands } = standingOf(look(), gesture);
      expect(hands.map((hand) => [hand.side, hand.gesture])).toEqual([["right", gesture]]);
      const away = place(hands[0].pose).sub(place(head));
      expect(away.x).toBeGreaterThan(0.1); // to the right
      expect(away.y).toBeGreaterThan(0.3); // ahead
      expect(away.z).toBeLessThan(0); // below the eyes
      const fingers = turned(hands[0].pose, new Vector3(0, 0, -1));
      expect(gesture === "stop" ? fingers.z : fingers.y).toBeCloseTo(1, 6);
    }
  });
});
