import { beforeAll, expect, it } from "vitest";

import { canFindMotions, freeMotions } from "../../src/kernel/mobility.ts";
import { PageModel } from "../../src/kernel/page-model.ts";
import { type Fixtures, fixtures } from "../fixtures.ts";

let given: Fixtures;
beforeAll(async () => {
  given = await fixtures("five-bar", "stewart", "so101");
});

it.for([
  ["five-bar", 2],
  ["stewart", 6],
  ["so101", 6],
] as const)("%s has %i free motions, which keep its loops closed", ([name, count], { skip }) => {
  const model = new PageModel(given.kernels, given.models[name].data);
  if (!canFindMotions(model)) skip();
  const q = model.start();
  const motions = freeMotions(model, q);
  expect(motions).toHaveLength(count);
  const rows = model.loopJacobian(q);
  for (const motion of motions) {
    expect(Math.max(...motion.map(Math.abs))).toBeCloseTo(1, 12);
    for (let row = 0; row < rows.length; row += model.nv) {
      const opens = motion.reduce((sum, value, i) => sum + value * rows[row + i], 0);
      expect(opens).toBeCloseTo(0, 9);
    }
  }
  const locked = new Int32Array(model.nv).fill(1);
  expect(freeMotions(model, q, locked)).toHaveLength(0);
});
