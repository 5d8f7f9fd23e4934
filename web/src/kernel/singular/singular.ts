// Singular poses by the kernels: how near, the one ahead, its branches and the ways across.
import { Doubles, Integers } from "../memory.ts";
import type { PageModel } from "../page-model.ts";
import {
  BRANCH_INTS, BRANCH_KIND, BRANCH_LIMIT, HANDLE_KIND, HEADING_INTS, HEADING_REALS, HEADING_TYPE,
  MONITOR_STATUS, OUTLOOK_INTS, RANKS, SINGULAR_KIND,
} from "../tables/records.ts"; // prettier-ignore
import type { HandleSpec, Vec3 } from "../report.ts";
import { AMPLITUDE } from "../tables/steps.ts";

/** What of a site is watched; without a kind the kernels choose point or pose. */
export interface Aim {
  site: number;
  kind?: HandleSpec["kind"];
  point?: Vec3;
}

export type SingularKind = keyof typeof SINGULAR_KIND;

export interface Distances {
  /** Smallest singular value of the site's rows over the free motion; infinite without such. */
  task: number;
  /** Smallest one of the loops' rows over the joints without motors; infinite without such. */
  gain: number;
  kind: SingularKind;
}

/** One way on from a singular pose. */
export interface BranchBeyond {
  /** In words, such as "'B' bends the other way (-)". */
  name: string;
  /** Whether it leads to another branch, and not back. */
  crosses: boolean;
  /** A pose beyond: the phantom. */
  q: Float64Array;
  /** Closed poses from where it was asked, through the singular one, to the phantom. */
  path: Float64Array[];
}

export interface Outlook {
  kind: SingularKind;
  /** Whether different ways of moving meet there. */
  isMeeting: boolean;
  q: Float64Array;
  branches: BranchBeyond[];
}

const KINDS = Object.keys(SINGULAR_KIND) as readonly SingularKind[];
/** Of a kind that the kernels choose, or are to find. */
const ANY = -1;

/** Whether these kernels can watch for singular poses. */
export function canWatch(model: PageModel): boolean {
  return model.kernels.has("kg_singular_branches_beyond");
}

/** Watches one site of a model; the last one made for a model is the one that counts. */
export class SingularWatch {
  private readonly generation: number;
  private readonly taskRank: number;

  /** q: a closed pose. */
  constructor(
    private readonly model: PageModel,
    q: Float64Array,
    private readonly aim: Aim,
  ) {
    this.generation = model.kernels.generation;
    // the kernels count a joint for each coupling too, behind all others
    const inputs = new Array<number>(model.counts.joint).fill(0);
    model.data.joints.forEach((joint, i) => {
      inputs[i] = joint.variables.some((v) => v.motor) ? 1 : 0;
    });
    this.taskRank = this.call((room) => {
      const ranks = room.ints(RANKS.count);
      const status = room.run("kg_singular_watch", [
        room.doubles(q),
        room.ints([aim.site, aim.kind === undefined ? ANY : HANDLE_KIND[aim.kind]]),
        room.doubles([...(aim.point ?? [0, 0, 0]), 0, 0, 1]),
        room.ints(inputs),
        ranks,
      ]);
      if (status !== 0) throw new Error(`the kernels cannot watch this pose (${status})`);
      return ranks.view[RANKS.task];
    });
  }

  /** Whether it is of use for a model and a site. */
  isFor(model: PageModel, aim: Aim): boolean {
    return (
      this.model === model &&
      this.generation === model.kernels.generation &&
      this.aim.site === aim.site &&
      this.aim.kind === aim.kind &&
      isSamePoint(this.aim.point, aim.point)
    );
  }

  measure(q: Float64Array): Distances {
    return this.call((room) => {
      const distances = room.doubles(2);
      const status = room.run("kg_singular_measure", [
        room.doubles(q),
        distances,
        room.doubles(this.taskRank),
      ]);
      if (status < 0) throw new Error(`the kernels cannot measure this pose (${status})`);
      const [task, gain] = distances.view;
      return { task, gain, kind: KINDS[status] };
    });
  }

  /** The singular pose on the way of the site in a direction, or the nearest one, and its branches;
   * null when there is none. */
  branchesBeyond(
    q: Float64Array,
    direction: Vec3 | null,
    kind: "task" | "gain" | null = null,
  ): Outlook | null {
    const { model } = this;
    const outlook = this.call((room) => {
      const singular = room.doubles(model.nq);
      const ints = room.ints(OUTLOOK_INTS.count);
      const branchInts = room.ints(BRANCH_LIMIT * BRANCH_INTS.count);
      const phantoms = room.doubles(BRANCH_LIMIT * model.nq);
      const headingInts = room.ints(HEADING_INTS.count + model.nv);
      const headingReals = room.doubles(HEADING_REALS.count + model.nv);
      const which = headingInts.view;
      which[HEADING_INTS.type] = direction === null ? HEADING_TYPE.none : HEADING_TYPE.frame;
      which[HEADING_INTS.site] = this.aim.site;
      which[HEADING_INTS.kind] = direction === null ? ANY : HANDLE_KIND.point;
      const where = headingReals.view;
      where.set(this.aim.point ?? [0, 0, 0], HEADING_REALS.point);
      where.set([0, 0, 1], HEADING_REALS.axis);
      where.set(direction ?? [0, 0, 0], HEADING_REALS.direction);
      const status = room.run("kg_singular_branches_beyond", [
        room.doubles(q), headingInts, headingReals, kind === null ? ANY : SINGULAR_KIND[kind],
        AMPLITUDE, singular, ints, branchInts, phantoms,
      ]); // prettier-ignore
      if (status !== MONITOR_STATUS.done) return null;
      const found = ints.view;
      const branches = Array.from(
        { length: found[OUTLOOK_INTS.branch_count] },
        (_, i): BranchBeyond => {
          const at = BRANCH_INTS.count * i;
          const numbers = branchInts.view.slice(at, at + BRANCH_INTS.count);
          return {
            name: branchName(model, numbers),
            crosses: numbers[BRANCH_INTS.crosses] !== 0,
            q: phantoms.view.slice(model.nq * i, model.nq * (i + 1)),
            path: [],
          };
        },
      );
      return {
        kind: KINDS[found[OUTLOOK_INTS.kind]],
        isMeeting: found[OUTLOOK_INTS.is_branch_point] !== 0,
        q: singular.view.slice(),
        branches,
      };
    });
    outlook?.branches.forEach((branch, i) => (branch.path = this.path(i)));
    return outlook;
  }

  /** The way to a branch that was found last. */
  private path(branch: number): Float64Array[] {
    const { nq } = this.model;
    return this.call((room) => {
      const count = room.run("kg_singular_path", [branch, room.doubles(0), room.doubles(0)]);
      if (count <= 0) return [];
      const poses = room.doubles(count * nq);
      const made = room.run("kg_singular_path", [branch, room.doubles(0), poses]);
      return Array.from({ length: Math.max(0, made) }, (_, i) =>
        poses.view.slice(nq * i, nq * (i + 1)),
      );
    });
  }

  private call<T>(work: (room: CallRoom) => T): T {
    return this.model.run(() => {
      const room = new CallRoom(this.model);
      const value = work(room);
      room.free();
      return value;
    });
  }
}

/** Arrays for one call, given back after it. A trap takes the whole memory with it. */
class CallRoom {
  private readonly rooms: (Doubles | Integers)[] = [];
  constructor(private readonly model: PageModel) {}

  doubles(values: ArrayLike<number> | number): Doubles {
    const count = typeof values === "number" ? values : values.length;
    const room = new Doubles(this.model.kernels, count);
    if (typeof values === "number") room.view.fill(0);
    else room.view.set(values);
    this.rooms.push(room);
    return room;
  }
  ints(values: ArrayLike<number> | number): Integers {
    const count = typeof values === "number" ? values : values.length;
    const room = new Integers(this.model.kernels, count);
    if (typeof values === "number") room.view.fill(0);
    else room.view.set(values);
    this.rooms.push(room);
    return room;
  }
  /** Calls an export of the bound model: arrays become pointer and count. */
  run(name: `kg_${string}`, values: readonly (number | Doubles | Integers)[]): number {
    const numbers = values.flatMap((one) =>
      typeof one === "number" ? [one] : [one.pointer, one.count],
    );
    return this.model.kernels.exports[name](this.model.handle, ...numbers) as number;
  }
  free(): void {
    for (const room of this.rooms) room.free();
  }
}

function isSamePoint(a: Vec3 = [0, 0, 0], b: Vec3 = [0, 0, 0]): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
}

/** A branch in the words of src/kinegen/kinematics/singular/branch_names.py. */
export function branchName(model: PageModel, numbers: ArrayLike<number>): string {
  const joint = numbers[BRANCH_INTS.joint];
  const other = numbers[BRANCH_INTS.other];
  const mark = numbers[BRANCH_INTS.sign] > 0 ? "+" : "-";
  const name = (i: number): string => `'${model.data.joints[i].name}'`;
  switch (numbers[BRANCH_INTS.kind]) {
    case BRANCH_KIND.in_place:
      return `${name(joint)}${other >= 0 ? ` and ${name(other)} turn` : " turns"} in place (${mark})`;
    case BRANCH_KIND.onward:
      return `all joints continue as before (${mark})`;
    case BRANCH_KIND.back:
      return `all joints turn back (${mark})`;
    case BRANCH_KIND.parts: {
      const how = numbers[BRANCH_INTS.same] ? "continues" : "turns the other way";
      const goes = numbers[BRANCH_INTS.goes_on] ? "continues" : "turns back";
      return `${name(joint)} ${how} while ${name(other)} ${goes} (${mark})`;
    }
    default: {
      const verbs: Readonly<Record<string, string>> = { prismatic: "slides", revolute: "bends" };
      const verb = verbs[model.data.joints[joint].type] ?? "turns";
      const way = numbers[BRANCH_INTS.crosses] ? " the other way" : " back";
      const where = numbers[BRANCH_INTS.led] ? way : "";
      return `${name(joint)} ${verb}${where} (${mark})`;
    }
  }
}
