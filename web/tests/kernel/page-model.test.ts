import { beforeAll, describe, expect, it } from "vitest";

import { PageModel } from "../../src/kernel/page-model.ts";
import { type Fixtures, fixtures } from "../fixtures.ts";

const NAMES = ["five-bar", "stewart", "so101", "delta"];
let given: Fixtures;
beforeAll(async () => {
  given = await fixtures(...NAMES);
});
const make = (name: string): PageModel => new PageModel(given.kernels, given.models[name].data);
const largest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);

describe.each(NAMES)("%s", (name) => {
  it("has the poses, Jacobian and size that Python finds", () => {
    const model = make(name);
    const fixture = given.models[name];
    const q = model.start();
    expect(model.size).toBeCloseTo(fixture.size, 14);
    expect(model.siteNames).toHaveLength(model.siteCount);
    expect(largest(model.forward(q), fixture.poses)).toBeLessThan(1e-12);
    expect(largest(model.jacobian(q, model.siteCount - 1), fixture.jacobian)).toBeLessThan(1e-12);
    expect(model.loopGap(q)).toBeLessThan(1e-9);
    model.free();
  });

  it("integrates what it differentiates", () => {
    const model = make(name);
    const q0 = model.start();
    const v = Float64Array.from({ length: model.nv }, (_, i) => 0.2 * Math.sin(i + 1));
    const q1 = model.integrate(q0, v);
    expect(largest(model.difference(q0, q1), v)).toBeLessThan(1e-12);
    model.free();
  });
});

it("closes loops that were opened, and leaves what cannot be closed alone", () => {
  const model = make("stewart");
  const q = model.start();
  const open = q.map((value, i) => value + 0.02 * Math.cos(i));
  // quaternions must stay ones
  for (const joint of model.data.joints)
    if (joint.nq !== joint.nv) open.set(q.subarray(joint.q, joint.q + 4), joint.q);
  expect(model.loopGap(open)).toBeGreaterThan(1e-3);
  expect(model.close(open).outcome).toBe("reached");
  expect(model.loopGap(open)).toBeLessThan(1e-9);

  const locked = new Int32Array(model.nv).fill(1);
  const stuck = q.slice();
  stuck[model.data.joints[0].q] += 0.3;
  const before = stuck.slice();
  expect(model.close(stuck, { locked }).outcome).toBe("stuck");
  expect(stuck).toEqual(before);
});

it("refuses numbers that are none and keeps the old ones", () => {
  const model = make("five-bar");
  const parameter = model.data.parameters.find((one) => !one.formula)!;
  const before = model.reals.slice();
  expect(model.setParameter(parameter.index, NaN)).toBe(false);
  expect(model.setParameter(10_000, 1)).toBe(false);
  expect(model.setNumber(-1, 1)).toBe(false);
  expect(model.reals).toEqual(before);
  const transforms = model.transforms.slice();
  expect(model.setParameter(parameter.index, before[parameter.index] * 1.1)).toBe(true);
  expect(model.reals[parameter.index]).toBeCloseTo(before[parameter.index] * 1.1);
  expect(largest(model.transforms, transforms)).toBeGreaterThan(1e-6);
});

it("keeps its views right when the memory grows", () => {
  const model = make("five-bar");
  const q = model.start();
  const before = model.forward(q);
  const parameters = model.parameters.slice();
  const buffer = given.kernels.exports.memory.buffer;
  const pointer = given.kernels.allocate(64 << 20);
  expect(given.kernels.exports.memory.buffer).not.toBe(buffer);
  expect(model.parameters).toEqual(parameters);
  expect(model.forward(q)).toEqual(before);
  given.kernels.exports.kg_free(pointer);
});

it("gives its memory back", () => {
  const work = (): void => {
    const model = make("stewart");
    model.close(model.start());
    model.free();
  };
  for (let i = 0; i < 20; ++i) work();
  const { memory } = given.kernels.exports;
  const bytes = memory.buffer.byteLength;
  for (let i = 0; i < 500; ++i) work();
  expect(memory.buffer.byteLength).toBe(bytes);
});
