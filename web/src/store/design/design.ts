// Design by goal: which parameters may change, what is wanted, and the designs that were found.
import { PageModel } from "../../kernel/page-model.ts";
import type { CoverData, DesignResult, GoalsResult, PieceOf } from "../../wire/messages.ts";
import type { Piece } from "../../wire/piece-frame.ts";
import {
  better,
  CLICKED,
  type DesignPreview,
  type FoundDesign,
  type FreeParameter,
  isReversed,
  isRound,
  type Place,
  rangeOf,
  rowsOf,
  type TargetCurve,
} from "./data.ts";
import { type Box, reversedAxes } from "../workspace/joint-maps.ts";
import type { DragHost, PoseHost, RequestHost, ConnectionHost } from "../hosts.ts";
import { Task } from "../task.ts";

export type Goal = "follow" | "cover";
/** Starts that are improved at first. */
const STARTS = 8;

export class Designs {
  about: GoalsResult | null = null;
  free: Record<string, FreeParameter> = {};
  goal: Goal = "follow";
  target: TargetCurve | null = null;
  box: Box | null = null;
  /** Places per edge of the box. */
  edge = 4;
  /** Wanted distance from singular poses, 0 for none. */
  clear = 0;
  starts = STARTS;
  seed = 0;
  /** The best first. */
  found: FoundDesign[] = [];
  answer: DesignResult | null = null;
  /** Best error so far [m], by step. */
  progress: { steps: number[]; best: number[] } = { steps: [], best: [] };
  /** The best design so far while the search runs. */
  best: DesignPreview | null = null;
  /** The design that is looked at. */
  hovered: FoundDesign | null = null;
  taken: FoundDesign | null = null;
  stale = false;
  shown = false;
  /** Whether clicks in the view add points. */
  picking = false;
  /** The ready curve that the next mechanism begins with. */
  prefer = "ellipse";
  readonly task: Task;

  private readonly asking: Task;
  private own = false;
  /** The ready curve that this mechanism begins with. */
  private first = "ellipse";
  /** Numbers that the search did not change. */
  private fixed = "";
  private traces = new WeakMap<DesignPreview, Place[]>();
  private readonly changed = (): void => this.studio.emit("design", this);

  constructor(private readonly studio: PoseHost & DragHost & ConnectionHost & RequestHost) {
    this.task = new Task(studio, this.changed);
    this.asking = new Task(studio, this.changed);
    studio.on("model", () => this.forget());
    studio.on("numbers", () => {
      if (this.own || this.found.length === 0) return;
      // designs give the free numbers themselves: only the others make them old
      this.stale ||= this.fixed !== this.others();
      this.taken = null;
      this.changed();
    });
  }

  /** Asks for curves and a box near the frame. */
  async look(frame: string | null): Promise<void> {
    const found = await this.asking.run(() => this.studio.ask("design_goals", { frame }));
    if (!found) return;
    this.about = found;
    this.free = this.ranges();
    const [low, high] = found.box;
    this.box ??= { x: [low[0], high[0], 1], y: [low[1], high[1], 1], z: [low[2], high[2], 1] };
    this.target ??= found.curves.find((one) => one.name === this.first) ?? found.curves[0] ?? null;
    this.changed();
  }

  set(
    change: Partial<
      Pick<Designs, "goal" | "target" | "box" | "edge" | "clear" | "starts" | "seed">
    >,
  ): void {
    Object.assign(this, change);
    if (this.found.length) this.stale = true;
    this.changed();
  }

  show(change: Partial<Pick<Designs, "hovered" | "shown" | "picking">>): void {
    Object.assign(this, change);
    this.changed();
  }

  setFree(name: string, change: Partial<FreeParameter>): void {
    this.free = { ...this.free, [name]: { ...this.free[name], ...change } };
    if (this.found.length) this.stale = true;
    this.changed();
  }

  /** Adds a place to the target; the first click begins a new one. */
  addPoint(place: Place): void {
    const points = this.target?.title === CLICKED ? this.target.points : [];
    this.set({ target: { title: CLICKED, points: [...points, place], closed: false } });
  }

  /** Free parameters whose range has no inside: with them nothing is searched. */
  get reversed(): string[] {
    return Object.keys(this.free).filter((name) => isReversed(this.free[name]));
  }
  /** Whether the target box ends before it begins. */
  get isBoxReversed(): boolean {
    return this.goal === "cover" && this.box !== null && reversedAxes(this.box).length > 0;
  }

  /** What is drawn: the design under the pointer, the best so far, or the best that was found. */
  get preview(): DesignPreview | null {
    if (!this.shown) return null;
    if (this.hovered) return this.hovered === this.taken ? null : this.hovered;
    if (this.task.busy) return this.best;
    return null;
  }

  async run(frame: string | null): Promise<void> {
    const free = Object.entries(this.free).filter(([, one]) => one.on);
    const { studio, goal, box, target } = this;
    const covered: CoverData | null = box && {
      corners: [
        [box.x[0], box.y[0], box.z[0]],
        [box.x[1], box.y[1], box.z[1]],
      ],
      edge: this.edge,
    };
    const wanted =
      goal === "follow" ? { points: target?.points ?? [] } : covered && { box: covered };
    if (!wanted || this.reversed.length || this.isBoxReversed) return;
    this.found = [];
    this.best = this.hovered = this.taken = this.answer = null;
    this.progress = { steps: [], best: [] };
    this.stale = this.picking = false;
    this.fixed = this.others();
    const answer = await this.task.run(() =>
      studio.ask(
        "design",
        {
          frame,
          ...wanted,
          free: Object.fromEntries(free.map(([name, { low, high }]) => [name, [low, high]])),
          starts: this.starts,
          clear: this.clear,
          seed: this.seed,
        },
        (piece) => this.take(piece),
      ),
    );
    this.answer = answer;
    this.changed();
  }

  /** Writes a design into the text, as one step of undo; the mechanism stands in its motion. */
  async adopt(design: FoundDesign): Promise<void> {
    const { studio } = this;
    const q = design.motion[0];
    this.own = true;
    try {
      // the pose goes first: with the new numbers it closes at once, and in the right branch
      if (studio.snapshot && q) studio.link?.sendPose(q, studio.snapshot.version, true);
      const numbers = Object.entries(design.parameters).map(
        ([name, value]): [null, string, number] => [null, name, rounded(value)],
      );
      await studio.setNumbers(numbers, `apply design ${this.found.indexOf(design) + 1}`);
      if (q && studio.model) {
        const pose = q.slice();
        studio.model.close(pose);
        studio.setPose(pose, "set");
      }
      // where its motors stand belongs to the design
      studio.setStatus(null);
      this.taken = design;
      this.hovered = null;
    } finally {
      this.own = false;
      this.changed();
    }
  }

  /** Where the frame goes in the motion of a design [m]. */
  traceOf(preview: DesignPreview): Place[] {
    const known = this.traces.get(preview);
    if (known) return known;
    const model = this.modelOf(preview);
    if (!model) return [];
    const name = this.about?.frame;
    const at = 7 * Math.max(0, name ? model.site(name) : model.siteCount - 1) + 4;
    const trace = preview.motion.map((q): Place => {
      const poses = model.forward(q);
      return [poses[at], poses[at + 1], poses[at + 2]];
    });
    model.free();
    if (isRound(trace)) trace.push(trace[0]);
    this.traces.set(preview, trace);
    return trace;
  }

  /** Where its joints and frames come to in that motion [m]. */
  placesOf(preview: DesignPreview): Place[] {
    const model = this.modelOf(preview);
    if (!model) return [];
    const places: Place[] = [];
    for (const q of preview.motion.filter((_, i) => i % 9 === 0)) {
      const poses = model.forward(q);
      for (let at = 4; at < poses.length; at += 7)
        places.push([poses[at], poses[at + 1], poses[at + 2]]);
    }
    model.free();
    return places;
  }

  /** A model with the numbers of a design, for pictures of it; to be freed. */
  modelOf({ parameters }: DesignPreview): PageModel | null {
    const { model } = this.studio;
    if (!model) return null;
    const made = new PageModel(this.studio.kernels, model.data);
    for (const { name, index } of model.data.parameters) {
      const value = parameters[name];
      if (value !== undefined) made.setParameter(index, value);
    }
    return made;
  }

  private take({ head, data }: Piece<PieceOf<"design">>): void {
    if (head.kind === "step") {
      const { steps, best: bests } = this.progress;
      this.progress = { steps: [...steps, head.step], best: [...bests, head.best] };
    } else {
      const numbers = new Float64Array(data.buffer, data.byteOffset, data.byteLength / 8);
      const motion = rowsOf(numbers, this.studio.model?.nq ?? numbers.length);
      if (head.kind === "best") this.best = { parameters: head.parameters, motion };
      else {
        const design = { ...head, motion };
        this.found = [...this.found, design].sort(better);
        if (this.found[0] === design) this.best = design;
      }
    }
    this.changed();
  }

  /** Ranges of all parameters that follow no formula; those that were given stay. */
  private ranges(): Record<string, FreeParameter> {
    const { model } = this.studio;
    if (!model) return {};
    const values = model.parameters;
    return Object.fromEntries(
      model.data.parameters
        .filter((one) => !one.formula)
        .map((one) => {
          const range = rangeOf(values[one.index], one, model.size);
          return [one.name, this.free[one.name] ?? { on: true, low: range[0], high: range[1] }];
        }),
    );
  }

  private others(): string {
    const { model } = this.studio;
    if (!model) return "";
    const { parameters, numbers } = model.data;
    const held = parameters.filter(({ name, formula }) => !formula && !this.free[name]?.on);
    const values = held.map(({ index }) => model.parameters[index]);
    const others = numbers.filter(({ formula }) => !formula).map(({ index }) => model.reals[index]);
    return [...values, ...others].map((x) => x.toPrecision(9)).join();
  }

  private forget(): void {
    this.task.clear();
    this.asking.clear();
    this.about = this.target = this.box = this.answer = null;
    this.best = this.hovered = this.taken = null;
    this.free = {};
    this.found = [];
    this.progress = { steps: [], best: [] };
    this.stale = this.picking = false;
    this.first = this.prefer;
    this.prefer = "ellipse";
    this.changed();
  }
}

/** Nine digits are more than any workshop has. */
const rounded = (x: number): number => Number(x.toPrecision(9));
