// Degrees of freedom by the kernels: the motions that loops and locked joints leave.
import { Doubles, Integers } from "./memory.ts";
import type { PageModel } from "./page-model.ts";
import { RANK } from "./tables/tolerances.ts";

/** Whether these kernels know free motions. */
export function canFindMotions(model: PageModel): boolean {
  return model.kernels.has("kg_free_motion");
}

/** Free motions at a closed pose, each scaled so that its largest share is 1 [rad, m]. */
export function freeMotions(
  model: PageModel,
  q: Float64Array,
  locked: Int32Array | null = null,
): Float64Array[] {
  return model.run(({ handle }, exports) => {
    const { kernels, nv } = model;
    const pose = new Doubles(kernels, model.nq);
    const marks = new Integers(kernels, nv);
    pose.view.set(q);
    if (locked) marks.view.set(locked);
    const ask = (pointer: number, count: number): number =>
      exports.kg_free_motion(
        handle, pose.pointer, model.nq, marks.pointer, locked ? nv : 0, RANK, pointer, count,
      ) as number; // prettier-ignore
    const count = ask(0, 0);
    const motions = new Doubles(kernels, Math.max(0, count) * nv);
    const found = count > 0 ? ask(motions.pointer, motions.count) : count;
    const all = motions.view.slice();
    for (const room of [pose, marks, motions]) room.free();
    if (found < 0) throw new Error(`the kernels cannot find free motions here (${found})`);
    return Array.from({ length: count }, (_, i) => {
      const motion = all.subarray(nv * i, nv * (i + 1));
      const most = motion.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1e-300);
      return motion.map((value) => value / most);
    });
  });
}
