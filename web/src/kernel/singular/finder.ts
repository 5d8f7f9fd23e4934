// Finding singular poses without holding up the page: in a worker where there is one.
import type { ModelData } from "../../wire/messages.ts";
import { Kernels } from "../kernels.ts";
import { PageModel } from "../page-model.ts";
import type { Vec3 } from "../report.ts";
import { type Aim, canWatch, type Distances, type Outlook, SingularWatch } from "./singular.ts";

/** Looks at a pose; null where there is nothing to say. */
export interface SingularFinder {
  measure(model: PageModel, q: Float64Array, aim: Aim): Promise<Distances | null>;
  /** What lies beyond the singular pose in a direction, or else the nearest one of the kind. */
  outlook(
    model: PageModel,
    q: Float64Array,
    aim: Aim,
    direction: Vec3 | null,
    kind: "task" | "gain" | null,
  ): Promise<Outlook | null>;
  dispose(): void;
}

/** The work itself, on whatever thread. */
export class SingularDesk {
  private watch: SingularWatch | null = null;

  measure(model: PageModel, q: Float64Array, aim: Aim): Distances | null {
    return this.attempt(() => this.watchOf(model, q, aim)?.measure(q) ?? null);
  }

  outlook(
    model: PageModel,
    q: Float64Array,
    aim: Aim,
    direction: Vec3 | null,
    kind: "task" | "gain" | null,
  ): Outlook | null {
    return this.attempt(() => {
      const found = this.beyond(model, q, aim, direction, kind);
      if (found || aim.kind !== "point") return found;
      // an arm that is pulled by a point has so many degrees of freedom left that branches beyond its
      // outermost places often look the same; those that keep its rotation differ
      return this.beyond(model, q, { ...aim, kind: "pose" }, direction, kind);
    });
  }

  private beyond(
    ...[model, q, aim, direction, kind]: Parameters<SingularFinder["outlook"]>
  ): Outlook | null {
    const watch = this.watchOf(model, q, aim);
    const ahead = direction === null ? null : (watch?.branchesBeyond(q, direction) ?? null);
    const found = ahead?.branches.length ? ahead : (watch?.branchesBeyond(q, null, kind) ?? null);
    return found?.branches.length ? found : null;
  }

  /** Numbers have changed: what was usual nearby may not be any more. */
  forget(): void {
    this.watch = null;
  }

  private watchOf(model: PageModel, q: Float64Array, aim: Aim): SingularWatch | null {
    if (!canWatch(model)) return null;
    if (this.watch === null || !this.watch.isFor(model, aim))
      this.watch = new SingularWatch(model, q, aim);
    return this.watch;
  }

  private attempt<T>(work: () => T | null): T | null {
    try {
      return work();
    } catch {
      // a trap, or a pose the kernels do not take: nothing can be said about it
      this.watch = null;
      return null;
    }
  }
}

/** On the page's own thread: for tests, and pages that may have no workers. */
export class PageFinder implements SingularFinder {
  private readonly desk = new SingularDesk();
  private reals: Float64Array | null = null;

  async measure(model: PageModel, q: Float64Array, aim: Aim): Promise<Distances | null> {
    this.look(model);
    return this.desk.measure(model, q, aim);
  }
  async outlook(
    ...[model, q, aim, direction, kind]: Parameters<SingularFinder["outlook"]>
  ): Promise<Outlook | null> {
    this.look(model);
    return this.desk.outlook(model, q, aim, direction, kind);
  }
  dispose(): void {
    this.desk.forget();
  }

  private look(model: PageModel): void {
    const { reals } = model;
    if (this.reals === null || !isEqual(this.reals, reals)) {
      this.desk.forget();
      this.reals = reals.slice();
    }
  }
}

/** To the worker. Model and numbers come along when they have changed. */
export type FinderQuestion = {
  id: number;
  module?: WebAssembly.Module;
  data?: ModelData;
  reals?: Float64Array;
  q: Float64Array;
  aim: Aim;
} & (
  { what: "measure" } | { what: "outlook"; direction: Vec3 | null; kind: "task" | "gain" | null }
);
export type FinderAnswer =
  | { id: number; what: "measure"; found: Distances | null }
  | { id: number; what: "outlook"; found: Outlook | null };

/** The other end: worker.ts hands its messages to this. */
export class FinderService {
  private kernels: Kernels | null = null;
  private model: PageModel | null = null;
  private readonly desk = new SingularDesk();

  answer(question: FinderQuestion): FinderAnswer {
    const { id, q, aim } = question;
    if (question.module) this.kernels = new Kernels(question.module);
    if (question.data && this.kernels) {
      this.model?.free();
      this.model = new PageModel(this.kernels, question.data);
      this.desk.forget();
    }
    if (question.reals && this.model) {
      this.model.setReals(question.reals);
      this.desk.forget();
    }
    const { model } = this;
    if (question.what === "measure")
      return { id, what: "measure", found: model && this.desk.measure(model, q, aim) };
    const { direction, kind } = question;
    return {
      id,
      what: "outlook",
      found: model && this.desk.outlook(model, q, aim, direction, kind),
    };
  }
}

/** The part of a Worker that is used. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent<FinderAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(question: FinderQuestion): void;
  terminate(): void;
}

/** On a thread of its own. */
export class WorkerFinder implements SingularFinder {
  private readonly waiting = new Map<number, (answer: FinderAnswer | null) => void>();
  private next = 1;
  private sentModule = false;
  private data: ModelData | null = null;
  private reals: Float64Array | null = null;
  /** Takes over when the worker cannot work. */
  private substitute: PageFinder | null = null;

  constructor(private readonly worker: WorkerLike) {
    worker.onmessage = ({ data }) => {
      this.waiting.get(data.id)?.(data);
      this.waiting.delete(data.id);
    };
    worker.onerror = () => this.breakOff();
  }

  async measure(model: PageModel, q: Float64Array, aim: Aim): Promise<Distances | null> {
    if (this.substitute) return this.substitute.measure(model, q, aim);
    const answer = await this.ask(model, { what: "measure", id: this.next++, q, aim });
    return answer?.what === "measure" ? answer.found : null;
  }

  async outlook(
    ...[model, q, aim, direction, kind]: Parameters<SingularFinder["outlook"]>
  ): Promise<Outlook | null> {
    if (this.substitute) return this.substitute.outlook(model, q, aim, direction, kind);
    const question = { what: "outlook", id: this.next++, q, aim, direction, kind } as const;
    const answer = await this.ask(model, question);
    return answer?.what === "outlook" ? answer.found : null;
  }

  dispose(): void {
    this.worker.terminate();
    this.breakOff();
  }

  private ask(model: PageModel, question: FinderQuestion): Promise<FinderAnswer | null> {
    if (!canWatch(model)) return Promise.resolve(null);
    const full: FinderQuestion = { ...question, q: question.q.slice() };
    if (!this.sentModule) full.module = model.kernels.module;
    if (this.data !== model.data) full.data = model.data;
    const { reals } = model;
    if (full.data || this.reals === null || !isEqual(this.reals, reals)) full.reals = reals.slice();
    this.sentModule = true;
    this.data = model.data;
    this.reals = full.reals ?? this.reals;
    return new Promise((resolve) => {
      this.waiting.set(full.id, resolve);
      this.worker.postMessage(full);
    });
  }

  private breakOff(): void {
    this.substitute ??= new PageFinder();
    for (const resolve of this.waiting.values()) resolve(null);
    this.waiting.clear();
  }
}

function isEqual(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
}
