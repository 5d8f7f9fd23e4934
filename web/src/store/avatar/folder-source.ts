// Pictures of a camera file of the project folder, played in a loop.
import type { PinholeCamera } from "../../kernel/hull/cameras.ts";
import type { CameraFileResult } from "../../wire/messages.ts";
import type { RequestHost } from "../hosts.ts";
import type { ImageSource, Pictures } from "./source.ts";

/** Frames are kept in the page up to so many bytes. */
const MOST_KEPT = 3e8;

export class FolderSource implements ImageSource {
  readonly cameras: readonly PinholeCamera[];
  readonly backgrounds = [];
  readonly isLinear = false;
  readonly isReady = true;
  readonly isInScene = false;
  readonly box = null;
  readonly trouble = "";
  /** The frame that was shown last. */
  frame = -1;
  private readonly kept = new Map<number, Pictures>();
  private keptBytes = 0;
  private begun = 0;

  /** @param rate Frames per second. */
  constructor(
    private readonly studio: Pick<RequestHost, "ask">,
    private readonly file: string,
    private readonly data: CameraFileResult,
    private readonly rate = 10,
    private readonly now: () => number = () => performance.now(),
  ) {
    if (data.frames === 0) throw new Error(data.trouble || `'${file}' names no pictures`);
    this.cameras = data.cameras;
    this.begun = this.now();
  }

  async take(again: boolean): Promise<Pictures | null> {
    const { frames } = this.data;
    const due = Math.floor(((this.now() - this.begun) * this.rate) / 1000) % frames;
    if (due === this.frame && !again) return null;
    const pictures = this.kept.get(due) ?? (await this.load(due));
    this.frame = due;
    return pictures.map((one) => one.slice());
  }

  close(): void {
    this.kept.clear();
  }

  private async load(frame: number): Promise<Pictures> {
    const { cameras } = this.data;
    const pictures: Pictures = cameras.map(() => new Uint8Array(0));
    await this.studio.ask("camera_pictures", { file: this.file, frame }, ({ head, data }) => {
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      pictures[head.camera] = bytes.slice();
    }).promise;
    const size = pictures.reduce((sum, one) => sum + one.length, 0);
    if (this.keptBytes + size <= MOST_KEPT) {
      this.kept.set(frame, pictures);
      this.keptBytes += size;
    }
    return pictures;
  }
}
