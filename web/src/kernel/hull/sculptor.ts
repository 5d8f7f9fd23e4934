// The page's end of the worker that carves: one frame at a time.
import type { PinholeCamera } from "./cameras.ts";
import type { HullAnswer, HullQuestion } from "./service.ts";

/** The part of a Worker that is used. */
export interface HullWorker {
  onmessage: ((event: MessageEvent<HullAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(question: HullQuestion, transfer: Transferable[]): void;
  terminate(): void;
}

/** What is asked for a frame. */
export type HullOrder = Omit<HullQuestion, "id" | "module" | "cameras" | "backgrounds">;

export class Sculptor {
  private sentModule = false;
  private sentCameras: readonly PinholeCamera[] | null = null;
  private sentBackgrounds: readonly Uint8Array[] | null = null;
  private next = 1;
  private waiting: { id: number; resolve: (answer: HullAnswer) => void } | null = null;
  private failure = "";

  constructor(
    private readonly worker: HullWorker,
    private readonly module: WebAssembly.Module,
  ) {
    worker.onmessage = ({ data }) => {
      if (this.waiting?.id !== data.id) return;
      const { resolve } = this.waiting;
      this.waiting = null;
      resolve(data);
    };
    worker.onerror = ({ message }) => {
      this.failure = `the worker that carves has failed${message ? `: ${message}` : ""}`;
      const { waiting } = this;
      this.waiting = null;
      waiting?.resolve(failed(waiting.id, this.failure));
    };
  }

  /** Carves a frame; the pictures are handed over. Wait for one before asking for the next. */
  carve(
    order: HullOrder,
    cameras: readonly PinholeCamera[],
    backgrounds: readonly Uint8Array<ArrayBuffer>[],
  ): Promise<HullAnswer> {
    const id = this.next++;
    if (this.failure) return Promise.resolve(failed(id, this.failure));
    const question: HullQuestion = { ...order, id };
    if (!this.sentModule) question.module = this.module;
    if (this.sentCameras !== cameras) {
      question.cameras = cameras;
      this.sentBackgrounds = null;
    }
    if (this.sentBackgrounds !== backgrounds) question.backgrounds = [...backgrounds];
    this.sentModule = true;
    this.sentCameras = cameras;
    this.sentBackgrounds = backgrounds;
    // another source has begun: nobody waits for the frame of the one before
    this.waiting?.resolve(failed(this.waiting.id, "replaced"));
    return new Promise((resolve) => {
      this.waiting = { id, resolve };
      const buffers = order.pictures.map((one) => one.buffer);
      this.worker.postMessage(question, buffers);
    });
  }

  dispose(): void {
    this.worker.terminate();
    const { waiting } = this;
    this.waiting = null;
    waiting?.resolve(failed(waiting.id, "stopped"));
  }
}

const failed = (id: number, error: string): HullAnswer => ({
  ...{ id, hull: null, coarse: null, preview: null, shares: [], took: 0, error },
});
