// Collisions: the bodies of the mechanism as it is now, which of them touch, what drags avoid.
import { Bodies, type Near } from "../../kernel/bodies.ts";
import { KernelTrap } from "../../kernel/kernels.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import type {
  ChoiceHost,
  ModelHost,
  NoticeHost,
  RequestHost,
  SceneHost,
  ConnectionHost,
  SimulationHost,
} from "../hosts.ts";
import { Task } from "../task.ts";

type Host = ModelHost &
  ChoiceHost &
  NoticeHost &
  Pick<RequestHost, "ask"> &
  SceneHost &
  Pick<ConnectionHost, "link"> &
  SimulationHost;

export class Collisions {
  /** Bodies that overlap now, the deepest first. */
  touching: readonly Near[] = [];
  /** Why nobody looks, though that was asked for. */
  refused: string | null = null;
  /** The work on the bodies: dividing a mesh into convex parts may take a minute. */
  readonly task: Task;
  private isFelt = false;
  private bodies: Bodies | null = null;
  private busy = false;
  /** What the bodies were made of. */
  private made = "";
  private hasNoticed = false;

  constructor(private readonly studio: Host) {
    this.task = new Task(studio, () => studio.emit("collisions", this));
    for (const event of [
      "model",
      "numbers",
      "settings",
      "objects",
      "snapshot",
      "simulation",
    ] as const)
      studio.on(event, () => void this.follow());
    studio.on("pose", () => this.look());
  }

  /** Whether bodies are looked at. */
  get isOn(): boolean {
    return this.isAsked || this.isFelt;
  }

  /** Whether the user has asked for that. */
  private get isAsked(): boolean {
    const { showCollisions, avoidCollisions } = this.studio.settings;
    return showCollisions || avoidCollisions;
  }

  /** Whether hands in a headset feel what touches. */
  set felt(on: boolean) {
    if (on === this.isFelt) return;
    this.isFelt = on;
    void this.follow();
  }

  /** What drags avoid; null where they need not, or while the bodies are on their way. */
  get avoided(): Bodies | null {
    return this.studio.settings.avoidCollisions && this.fits() ? this.bodies : null;
  }

  /** Height of the floor that a simulation has [m]; null: none. One in the file comes first. */
  private get floor(): number | null {
    const { settings, ground } = this.studio.simulation;
    return settings.floor ? ground : null;
  }

  /** What is not checked, in words. */
  get remarks(): readonly string[] {
    return this.bodies?.remarks ?? [];
  }

  /** Stops the work on the bodies: nobody looks any more. */
  cancel(): void {
    this.isFelt = false;
    this.task.cancel();
    this.studio.setSetting("showCollisions", false);
    this.studio.setSetting("avoidCollisions", false);
  }

  /** Which bodies overlap at the pose that is shown. */
  private look(): void {
    const before = this.touching;
    this.touching = [];
    // what is simulated has contacts of its own
    const isFelt = this.isFelt && !this.studio.simulation.isRunning;
    const isWanted = this.studio.settings.showCollisions || isFelt;
    if (this.bodies && isWanted && this.fits())
      try {
        this.touching = this.bodies.touching(this.studio.q);
      } catch (error) {
        if (!(error instanceof KernelTrap)) throw error;
      }
    if (before.length || this.touching.length) this.studio.emit("collisions", this);
  }

  private fits(): boolean {
    return this.bodies !== null && this.bodies.model === this.studio.model;
  }

  /** Asks for bodies until they are those of the mechanism; one question at a time. */
  private async follow(): Promise<void> {
    const { studio } = this;
    if (!this.isOn || studio.model === null) {
      this.drop();
      return;
    }
    if (studio.link === null) {
      this.refuse("collisions can only be checked in a studio, not in an exported page");
      return;
    }
    if (this.busy) return;
    this.busy = true;
    try {
      for (;;) {
        const model: PageModel | null = studio.model;
        if (model === null || !this.isOn) return;
        const { places, absent } = this.places();
        const asked = { parameters: parametersOf(model), places, absent, floor: this.floor };
        const key = JSON.stringify([studio.snapshot?.version, asked]);
        if (key === this.made && this.fits()) return;
        const data = await this.task.run(() => studio.ask("bodies", asked));
        if (studio.model !== model) continue;
        if (data === null) {
          if (this.task.error !== null) this.refuse(this.task.error);
          return;
        }
        this.bodies?.free();
        this.bodies = new Bodies(model, data);
        this.made = key;
        this.refused = null;
        this.hasNoticed = false;
        this.look();
        studio.emit("collisions", this);
      }
    } finally {
      this.busy = false;
    }
  }

  /** Objects that are not where the file says; those that are carried are no obstacles. */
  private places(): { places: Record<string, number[]>; absent: string[] } {
    const { scene } = this.studio;
    const places: Record<string, number[]> = {};
    const absent: string[] = [];
    for (const { name, pose } of scene.objects) {
      const now = scene.pose(name);
      if (scene.isCarried(name)) absent.push(name);
      else if (now !== null && now !== pose) places[name] = Array.from(now);
    }
    return { places, absent };
  }

  private refuse(words: string): void {
    this.drop();
    this.refused = words;
    if (!this.isAsked) return;
    if (!this.hasNoticed) this.studio.notice("info", words);
    this.hasNoticed = true;
  }

  private drop(): void {
    if (this.bodies === null && this.touching.length === 0) return;
    this.bodies?.free();
    this.bodies = null;
    this.made = "";
    this.touching = [];
    this.studio.emit("collisions", this);
  }
}

function parametersOf(model: PageModel): Record<string, number> {
  const own = model.data.parameters.filter(({ formula }) => !formula);
  return Object.fromEntries(own.map(({ name, index }) => [name, model.reals[index]]));
}
