// Sensors of a running world: which are drawn, and the pictures of its cameras.
import type { PictureHead, SensorData } from "../../wire/messages.ts";
import type { Picture } from "../../wire/picture-frame.ts";

/** Cameras whose pictures are shown without being asked for. */
const SHOWN = 2;

/** A picture that can be shown. */
export interface Shown {
  head: PictureHead;
  /** Address of the image. */
  url: string;
}

export class Sensors {
  /** Names of those that are not drawn. */
  hidden: ReadonlySet<string> = new Set();
  /** Signals of cameras whose pictures are shown. */
  open: readonly string[] = [];
  /** The latest pictures, by signal. */
  readonly pictures = new Map<string, Shown>();
  /** The cameras that were there when pictures were opened by themselves. */
  private known = "";

  constructor(
    private readonly list: () => readonly SensorData[],
    /** Other pictures are wanted. */
    private readonly wanted: () => void,
    private readonly changed: () => void,
    /** There is another picture. */
    private readonly pictured: () => void,
  ) {}

  get all(): readonly SensorData[] {
    return this.list();
  }
  get cameras(): SensorData[] {
    return this.all.filter(({ camera }) => camera !== null);
  }
  /** Whether agents of the world have read what hands of people show. */
  get areGesturesRead(): boolean {
    return this.all.some(({ type, name, read }) => type === "person" && read.includes(`${name}.gesture`)); // prettier-ignore
  }
  isShown(name: string): boolean {
    return !this.hidden.has(name);
  }

  /** Draws a sensor, or no longer. */
  show(name: string, on: boolean): void {
    const others = [...this.hidden].filter((one) => one !== name);
    this.hidden = new Set(on ? others : [...others, name]);
    this.changed();
  }

  /** Shows the picture of a camera: one of its signals, null for none. */
  look(camera: SensorData, signal: string | null): void {
    const others = this.open.filter((one) => !camera.signals.includes(one));
    this.open = signal === null ? others : [...others, signal];
    this.wanted();
    this.changed();
  }

  /** The signal of a camera that is shown, null where none is. */
  seen(camera: SensorData): string | null {
    return camera.signals.find((one) => this.open.includes(one)) ?? null;
  }

  /** @internal Other sensors may have come. */
  listed(): void {
    const key = this.cameras.map(({ name }) => name).join();
    if (key === this.known) return;
    this.known = key;
    this.open = this.cameras.slice(0, SHOWN).map(({ signals }) => signals[0]);
    if (this.open.length) this.wanted();
  }

  /** @internal */
  took({ head, data }: Picture): void {
    if (!this.open.includes(head.signal)) return;
    const url = URL.createObjectURL(new Blob([data], { type: "image/png" }));
    const before = this.pictures.get(head.signal);
    this.pictures.set(head.signal, { head, url });
    // what is being shown is let go once the next one is
    if (before) setTimeout(() => URL.revokeObjectURL(before.url), 1000);
    this.pictured();
  }

  /** @internal */
  forget(): void {
    for (const { url } of this.pictures.values()) URL.revokeObjectURL(url);
    this.pictures.clear();
    this.open = [];
    this.known = "";
  }
}
