// What the user chose for the avatar, and how a source is made from it.
import {
  type CameraDevice,
  cameraDevices,
  WebcamSource,
} from "../../../interact/cameras/webcams.ts";
import { levelRing, type PinholeCamera } from "../../../kernel/hull/cameras.ts";
import type { SourceKind } from "../../../store/avatar/avatar.ts";
import { FolderSource } from "../../../store/avatar/folder-source.ts";
import type { AvatarHost, ModelHost, RequestHost } from "../../../store/hosts.ts";
import { USUAL_RING, VirtualSource } from "../../../view/avatar/virtual-source.ts";
import type { CameraFileResult } from "../../../wire/messages.ts";
import type { AppOf } from "../../state/app.svelte.ts";

export type AvatarApp = AppOf<AvatarHost & ModelHost & RequestHost>;

/** A ring of webcams around what they look at: the middle of the box. */
export interface Ring {
  /** [m] */
  radius: number;
  /** Of the cameras above the floor [m]. */
  height: number;
  /** Vertical opening angle [rad]. */
  fieldOfView: number;
}

const DEGREE = Math.PI / 180;
/** Pictures of webcams that a ring places. */
const PIXELS = [320, 240] as const;
/** Until the empty picture is taken: time to leave [s]. */
export const COUNTDOWN = 5;
/** A virtual avatar stands beside the mechanism, this many widths of its box away. */
const BESIDE = 1.15;

export class AvatarSetup {
  kind = $state<SourceKind>("virtual");
  /** Virtual cameras. */
  count = $state(USUAL_RING.count);
  /** Links by name; empty: all of them. */
  links = $state.raw<readonly string[]>([]);
  /** The camera file of pictures; '' for none yet. */
  file = $state("");
  /** Camera files of the project folder; null: not asked yet. */
  files = $state.raw<readonly string[] | null>(null);
  /** Cameras of this computer; null: not asked yet. */
  devices = $state.raw<readonly CameraDevice[] | null>(null);
  /** Devices that are used, by id. */
  chosen = $state.raw<readonly string[]>([]);
  /** Where webcams stand: '' for a ring, or a camera file. */
  placedBy = $state("");
  ring = $state.raw<Ring>({ radius: 2.5, height: 1.2, fieldOfView: 45 * DEGREE });
  /** Why it did not start; '' for nothing. */
  problem = $state("");
  isStarting = $state(false);
  /** Seconds until the empty picture is taken; null: none is to be. */
  countdown = $state<number | null>(null);
  /** Whether the user has placed the avatar. */
  isPlaced = false;
  private timer: ReturnType<typeof setInterval> | null = null;

  constructor(private readonly app: AvatarApp) {}

  async start(): Promise<void> {
    const { avatar } = this.app.studio;
    this.problem = "";
    this.isStarting = true;
    try {
      if (this.kind === "virtual") this.startVirtual();
      else if (this.kind === "files") await this.startFiles();
      else await this.startWebcams();
      if (avatar.isOn) setTimeout(() => this.app.viewer?.fit());
    } catch (error) {
      this.problem = sentence(error instanceof Error ? error.message : String(error));
    } finally {
      this.isStarting = false;
    }
  }

  stop(): void {
    this.cancelCountdown();
    this.app.studio.avatar.stop();
  }

  /** Lists the cameras of this computer; the browser may ask the user first. */
  async look(): Promise<void> {
    this.problem = "";
    try {
      this.devices = await cameraDevices();
      const known = this.devices.map(({ id }) => id);
      const kept = this.chosen.filter((id) => known.includes(id));
      this.chosen = kept.length ? kept : known;
    } catch (error) {
      this.devices = [];
      this.problem = sentence(error instanceof Error ? error.message : String(error));
    }
  }

  async listFiles(): Promise<void> {
    const { studio } = this.app;
    try {
      const { files } = await studio.ask("camera_files", {}).promise;
      this.files = files;
      if (!files.includes(this.file)) this.file = files[0] ?? "";
    } catch (error) {
      this.problem = sentence(error instanceof Error ? error.message : String(error));
    }
  }

  /** Counts down, then takes what the webcams see as the views without the body. */
  takeEmpty(): void {
    this.cancelCountdown();
    this.countdown = COUNTDOWN;
    this.timer = setInterval(() => {
      this.countdown = (this.countdown ?? 1) - 1;
      if (this.countdown > 0) return;
      this.cancelCountdown();
      const { avatar } = this.app.studio;
      if (avatar.source instanceof WebcamSource) avatar.source.takeBackground();
      avatar.renew();
    }, 1000);
  }

  cancelCountdown(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = this.countdown = null;
  }

  private startVirtual(): void {
    const { viewer, studio } = this.app;
    const { model, avatar } = studio;
    if (!viewer || !model) throw new Error("there is no mechanism to look at yet");
    const all = model.data.links;
    const links = this.links.map((name) => all.indexOf(name)).filter((i) => i >= 0);
    const source = new VirtualSource(viewer, studio, {
      ...USUAL_RING,
      count: this.count,
      links: links.length ? links : null,
    });
    const { box } = source;
    this.place([BESIDE * (box[3] - box[0]), 0, 0]);
    avatar.start("virtual", source);
  }

  private async startFiles(): Promise<void> {
    const { studio } = this.app;
    if (!this.file) throw new Error("choose a camera file of the project folder first");
    const data = await studio.ask("camera_file", { file: this.file }).promise;
    const source = new FolderSource(studio, this.file, data);
    this.adopt(data);
    this.place([0, 0, 0]);
    studio.avatar.start("files", source);
  }

  private async startWebcams(): Promise<void> {
    const { studio } = this.app;
    if (this.devices === null) await this.look();
    if (this.problem) throw new Error(this.problem);
    const devices = this.chosen.flatMap((id) => this.devices?.find((one) => one.id === id) ?? []);
    if (devices.length === 0) throw new Error("choose at least one camera");
    const source = await WebcamSource.open(await this.webcams(devices.length), devices);
    this.place([0, 0, 0]);
    studio.avatar.start("webcams", source);
  }

  /** Where the webcams stand, in the order in which they were chosen. */
  private async webcams(count: number): Promise<PinholeCamera[]> {
    const { studio } = this.app;
    if (this.placedBy) {
      const data = await studio.ask("camera_file", { file: this.placedBy }).promise;
      if (data.cameras.length < count)
        throw new Error(
          `'${this.placedBy}' places ${data.cameras.length} cameras, and ${count} are chosen`,
        );
      this.adopt(data);
      return data.cameras.slice(0, count);
    }
    const { box } = studio.avatar.options;
    const target = [0, 1, 2].map((i) => (box[i] + box[3 + i]) / 2) as [number, number, number];
    const { radius, height, fieldOfView } = this.ring;
    const distance = Math.hypot(radius, height - target[2]);
    return levelRing({ target, distance, height, count, pixels: PIXELS, fieldOfView });
  }

  /** Takes over what a camera file says besides its cameras. */
  private adopt({ lower, upper, threshold }: CameraFileResult): void {
    this.app.studio.avatar.change({ box: [...lower, ...upper], threshold });
  }

  private place(place: [number, number, number]): void {
    const { avatar } = this.app.studio;
    if (!this.isPlaced) avatar.change({ placement: { ...avatar.options.placement, place } });
  }
}

const setups = new WeakMap<AvatarApp, AvatarSetup>();

/** What was chosen in this page, also while the panel was closed. */
export function setupOf(app: AvatarApp): AvatarSetup {
  const known = setups.get(app) ?? new AvatarSetup(app);
  setups.set(app, known);
  return known;
}

/** Words that begin with a capital letter. */
export const sentence = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);
