// The avatar of this page's user: carved from cameras in a worker, shown, and sent to the others.
import type { Hull, HullMesh } from "../../kernel/hull/carver.ts";
import type { HullAnswer, Preview } from "../../kernel/hull/service.ts";
import { type HullWorker, Sculptor } from "../../kernel/hull/sculptor.ts";
import { packBody } from "../../wire/body-frame.ts";
import type { ConnectionHost, EventHost, ModelHost, NoticeHost, SimulationHost } from "../hosts.ts";
import { runsWorld } from "../people.ts";
import { type Placement, placed } from "./placement.ts";
import type { ImageSource } from "./source.ts";

export type SourceKind = "virtual" | "webcams" | "files";

export interface AvatarOptions {
  /** Lower and upper corner of the space to carve [m]. */
  box: readonly number[];
  /** Voxels along its longest edge. */
  resolution: number;
  /** Of background subtraction, 0 to 255. */
  threshold: number;
  /** Where the avatar is shown. */
  placement: Placement;
  /** Whether cameras and box are drawn in the view. */
  showCameras: boolean;
  /** Whether others in the session, and the sensors of a world, see it. */
  isShared: boolean;
}

export const RESOLUTIONS = [32, 48, 64, 96] as const;
/** Between two avatars at the least [ms]: more than 30 a second nobody sees. */
const SHORTEST = 33;
/** Until a source is asked again that had nothing new [ms]. */
const NOTHING_NEW = 40;
/** Between two bodies that are sent to the others [ms]. */
const SEND_EVERY = 200;
/** Resolutions of what is sent: coarser where the body would be too large. */
const COARSE = [32, 24, 16] as const;
/** A silhouette with more of its picture than this is no body [share]. */
const WHOLE_PICTURE = 0.9;
/** Rates are means over so many avatars. */
const MEAN_OF = 12;

export class LiveAvatar {
  options: AvatarOptions = {
    box: [-1, -1, 0, 1, 1, 2],
    resolution: 64,
    threshold: 30,
    placement: { place: [0, 0, 0], turn: 0, scale: 1 },
    showCameras: true,
    isShared: true,
  };
  source: ImageSource | null = null;
  kind: SourceKind | null = null;
  /** The avatar now, null while there is none. */
  hull: Hull | null = null;
  preview: Preview | null = null;
  /** Shares of the pictures that the silhouettes cover. */
  shares: readonly number[] = [];
  /** Silhouettes, carving, mesh and colours, in the worker [ms]. */
  took = 0;
  /** Taking or drawing the pictures, in the page [ms]. */
  taking = 0;
  /** Avatars so far. */
  count = 0;
  /** Why there is none though a source runs; '' for nothing. */
  error = "";

  private sculptor: Sculptor | null = null;
  private times: number[] = [];
  private isStale = false;
  private sentAt = -Infinity;
  private isSent = false;
  private coarse = 0;
  /** Whether the others do not have the latest. */
  private isBehind = false;
  /** Whether a world runs, whose sensors see it. */
  private isDetected = false;
  /** The trouble of the source that was reported last. */
  private said = "";

  constructor(
    private readonly studio: EventHost & ModelHost & NoticeHost & ConnectionHost & SimulationHost,
    /** Makes the worker; null where a page has none. */
    private readonly makeWorker: (() => HullWorker) | null,
    private readonly now: () => number = () => performance.now(),
    private readonly pause = (ms: number): Promise<unknown> =>
      new Promise((resolve) => setTimeout(resolve, ms)),
  ) {
    studio.on("welcome", () => {
      this.isSent = false;
      this.isStale = true;
    });
    // whoever comes is to see it though nobody moves
    studio.on("watchers", () => (this.isStale = true));
    // and so is a world that begins to run
    studio.on("simulation", () => {
      const wasDetected = this.isDetected;
      this.isDetected = runsWorld(studio);
      if (this.isDetected && !wasDetected) this.isStale = true;
    });
  }

  /** Whether this page can carve. */
  get isPossible(): boolean {
    return this.makeWorker !== null && this.studio.kernels.has("kg_hull_carve");
  }

  get isOn(): boolean {
    return this.source !== null;
  }

  /** Whether others see it in the place of this page's user. */
  get isShown(): boolean {
    return this.hull !== null && this.options.isShared;
  }

  /** The space that is carved [m]. */
  get box(): readonly number[] {
    return this.source?.box ?? this.options.box;
  }

  /** Avatars per second while the body moves; 0 where that is not known yet. */
  get rate(): number {
    const { times } = this;
    return times.length < 2 ? 0 : (1000 * (times.length - 1)) / (times.at(-1)! - times[0]);
  }

  /** What is wrong, in words, the worst first. */
  get troubles(): string[] {
    const { source, hull } = this;
    if (source === null) return this.error ? [this.error] : [];
    if (this.error) return [this.error];
    if (source.trouble) return [source.trouble];
    if (!source.isReady || hull === null) return [];
    const blind = source.cameras.filter((_, i) => this.shares[i] === 0).map(({ name }) => name);
    const full = source.cameras.filter((_, i) => (this.shares[i] ?? 0) > WHOLE_PICTURE);
    const words: string[] = [];
    if (blind.length === source.cameras.length)
      words.push("No camera sees a body: nothing differs from the background pictures");
    else if (blind.length > 0)
      words.push(`No body seen by ${blind.join(", ")}: it is outside the picture, or looks like the background`); // prettier-ignore
    if (full.length > 0)
      words.push(
        `Nearly the whole picture of ${full.map(({ name }) => name).join(", ")} differs: capture the background again`,
      );
    if (hull.triangles.length === 0 && blind.length === 0)
      words.push("No place in the box is inside all silhouettes: check the box and the cameras");
    if (hull.touchesBox) words.push("The body touches the box, which may cut it: enlarge the box");
    return words;
  }

  /** Begins with a source, in place of the one before. */
  start(kind: SourceKind, source: ImageSource): void {
    this.end();
    if (!this.makeWorker) throw new Error("this page cannot carve");
    this.sculptor ??= new Sculptor(this.makeWorker(), this.studio.kernels.module);
    this.source = source;
    this.kind = kind;
    this.error = "";
    this.isStale = true;
    this.studio.emit("avatar", this);
    void this.run(source, this.sculptor);
  }

  stop(): void {
    if (this.source === null && !this.error) return;
    this.error = "";
    this.end();
    this.studio.emit("avatar", this);
  }

  change(options: Partial<AvatarOptions>): void {
    this.options = { ...this.options, ...options };
    this.isStale = true;
    if (!this.options.isShared) this.sendNothing();
    this.studio.emit("avatar", this);
  }

  /** The source shows the same otherwise: a background was taken, or links were chosen. */
  renew(): void {
    this.isStale = true;
    this.studio.emit("avatar", this);
  }

  dispose(): void {
    this.end();
    this.sculptor?.dispose();
    this.sculptor = null;
  }

  private end(): void {
    this.source?.close();
    this.source = this.kind = this.hull = this.preview = null;
    this.shares = [];
    this.times = [];
    this.sendNothing();
  }

  private async run(source: ImageSource, sculptor: Sculptor): Promise<void> {
    while (this.source === source) {
      const begun = this.now();
      const again = this.isStale;
      this.isStale = false;
      let pictures;
      try {
        pictures = await source.take(again);
      } catch (error) {
        if (this.source === source) this.fail(error instanceof Error ? error.message : String(error)); // prettier-ignore
        return;
      }
      if (this.source !== source) return;
      if (pictures === null) {
        // what it does not see changing has no rate
        this.times = [];
        const isNews = again || source.trouble !== this.said;
        this.said = source.trouble;
        if (isNews) this.studio.emit("avatar", this);
        if (this.isBehind && this.isTimeToSend(this.now())) this.isStale = true;
        await this.pause(NOTHING_NEW);
        continue;
      }
      const taken = this.now();
      const sends = this.isTimeToSend(taken);
      const answer = await sculptor.carve(
        {
          pictures,
          ...{ linear: source.isLinear, box: this.box, resolution: this.options.resolution },
          ...{ threshold: this.options.threshold, preview: true, carves: source.isReady },
          coarse: sends ? COARSE[this.coarse] : 0,
        },
        source.cameras,
        source.backgrounds,
      );
      if (this.source !== source) return;
      this.take(answer, taken - begun);
      if (sends && answer.coarse) this.send(answer.coarse);
      else this.isBehind = this.options.isShared && answer.hull !== null;
      // what is drawn in the page takes its time from other pictures: as long as it took, it rests
      const shortest = Math.max(SHORTEST, 2 * this.taking);
      await this.pause(Math.max(1, begun + shortest - this.now()));
    }
  }

  private take(answer: HullAnswer, taking: number): void {
    this.taking = taking;
    this.error = answer.error;
    if (!answer.error) {
      this.took = answer.took;
      this.hull = answer.hull;
      this.shares = answer.shares;
      this.preview = answer.preview;
      this.count += 1;
      this.times.push(this.now());
      if (this.times.length > MEAN_OF) this.times.shift();
    }
    this.studio.emit("avatar", this);
  }

  private fail(words: string): void {
    this.end();
    this.error = words;
    this.studio.emit("avatar", this);
  }

  // The others

  private isTimeToSend(now: number): boolean {
    const isAlone = (this.studio.watchers?.count ?? 1) < 2 && !this.isDetected;
    return this.options.isShared && !isAlone && now >= this.sentAt + SEND_EVERY;
  }

  private send(mesh: HullMesh): void {
    const { link } = this.studio;
    if (!link || mesh.triangles.length === 0) {
      this.sendNothing();
      return;
    }
    const frame = packBody({ ...mesh, vertices: placed(mesh.vertices, this.options.placement) });
    if (frame === null) {
      // too large: coarser from now on
      this.coarse = Math.min(this.coarse + 1, COARSE.length - 1);
      return;
    }
    if (!link.sendFrame(frame)) return;
    this.sentAt = this.now();
    this.isSent = true;
    this.isBehind = false;
  }

  private sendNothing(): void {
    if (this.isSent) this.studio.link?.sendFrame(packBody(null)!);
    this.isSent = false;
  }
}
