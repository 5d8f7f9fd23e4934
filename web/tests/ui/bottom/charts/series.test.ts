import { describe, expect, it } from "vitest";
import type { ModelData, MotionData } from "../../../../src/wire/messages.ts";
import {
  curvesOf,
  derivative,
  sampled,
  toCsv,
  toSvg,
} from "../../../../src/ui/bottom/charts/series.ts";

const variable = (name: string, motor = false) => ({ name, quantity: "angle" as const, motor });
const data = {
  joints: [
    { name: "ball", nq: 4, nv: 3, variables: [] },
    { name: "U", nq: 2, nv: 2, variables: [variable("z"), variable("x")] },
    { name: "A", nq: 1, nv: 1, variables: [variable("theta", true)] },
  ],
} as unknown as ModelData;
const motion: MotionData = {
  name: "m",
  joints: ["ball", "U", "A"],
  times: [0, 1],
  values: [
    [1, 0, 0, 0, 5, 6, 7],
    [1, 0, 0, 0, 50, 60, 70],
  ],
  interpolation: "linear",
  note: null,
};

describe("curves", () => {
  it("are one per variable, quaternions left out", () => {
    const curves = curvesOf(data, motion);
    expect(curves.map((curve) => curve.label)).toEqual(["U z", "U x", "A"]);
    expect(curves[2]).toMatchObject({ motor: true, values: [7, 70] });
  });

  it("are none where the motion is of another mechanism", () => {
    expect(curvesOf(data, { ...motion, joints: ["other"] })).toEqual([]);
  });
});

describe("derivatives", () => {
  const times = [0, 0.1, 0.25, 0.3, 0.55];
  it("of a parabola are exact inside, at uneven times", () => {
    const values = times.map((t) => 3 * t * t - 2 * t + 1);
    derivative(times, values)
      .slice(1, -1)
      .forEach((rate, i) => expect(rate).toBeCloseTo(6 * times[i + 1]! - 2, 10));
  });

  it("of one pose or equal times are nothing", () => {
    expect(derivative([0], [4])).toEqual([0]);
    expect(derivative([0, 0], [1, 2])).toEqual([0, 0]);
  });

  it("give speeds and accelerations", () => {
    const curve = {
      label: "A",
      quantity: "angle" as const,
      motor: true,
      values: times.map((t) => t * t),
    };
    expect(sampled(times, curve, "values")).toBe(curve.values);
    expect(sampled(times, curve, "speeds")[2]).toBeCloseTo(0.5, 10);
    expect(sampled(times, curve, "accelerations")[2]).toBeCloseTo(2, 10);
  });
});

it("tables and drawings hold every curve", () => {
  expect(
    toCsv(
      ["time [s]", 'a,"b"'],
      [
        [0, 1],
        [2, 3],
      ],
    ),
  ).toBe('time [s],"a,""b"""\n0,2\n1,3\n');
  const curve = { label: "<A>", color: "#123456", unit: "°", values: [1, 2] };
  const svg = toSvg([0, 1], [[curve], [{ ...curve, unit: "mm", values: [5, 900] }]]);
  expect(svg).toContain("&#60;A&#62;");
  expect(svg).toContain('stroke="#123456"');
  // each chart has a scale of its own
  expect(svg).toContain(">2.00<");
  expect(svg).toContain(">900<");
  expect(svg).toContain(">mm<");
});
