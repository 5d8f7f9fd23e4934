// A socket whose other end is the test.
import {
  type FromPage,
  SCHEMA,
  type SimulationOrder,
  type ToPage,
} from "../../src/wire/messages.ts";
import type { Socket } from "../../src/wire/socket.ts";

const ORDERS: Record<SimulationOrder["kind"], true> = {
  ...{ start_simulation: true, play_simulation: true, pause_simulation: true },
  ...{ step_simulation: true, set_simulation: true, go_to_time: true, write_log: true },
  ...{ undo_touch: true, end_simulation: true },
};

export class FakeSocket implements Socket {
  binaryType = "";
  readyState = 0;
  bufferedAmount = 0;
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  readonly sent: FromPage[] = [];
  readonly frames: ArrayBuffer[] = [];

  constructor(readonly url: string) {}

  send(data: string | ArrayBuffer): void {
    if (typeof data === "string") this.sent.push(JSON.parse(data) as FromPage);
    else this.frames.push(data);
  }
  close(): void {
    this.drop();
  }
  open(): void {
    this.readyState = 1;
    this.onopen?.({} as never);
  }
  drop(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code } as never);
  }
  say(message: ToPage | string | ArrayBuffer): void {
    const isRaw = typeof message === "string" || message instanceof ArrayBuffer;
    this.onmessage?.({ data: isRaw ? message : JSON.stringify(message) } as never);
  }
  of<K extends FromPage["kind"]>(kind: K): Extract<FromPage, { kind: K }>[] {
    return this.sent.filter((one) => one.kind === kind) as Extract<FromPage, { kind: K }>[];
  }
  /** The orders to the simulation. */
  get orders(): SimulationOrder[] {
    return this.sent.filter((one): one is SimulationOrder => one.kind in ORDERS);
  }
  /** Says welcome after the page's hello. */
  welcome(session = "s1", secret: string | null = "secret", isReadOnly = false): void {
    this.open();
    this.say({
      kind: "welcome",
      schema: SCHEMA,
      version: "0",
      client: 1,
      session,
      secret,
      read_only: isReadOnly,
      library: [],
      engines: [],
      downloads: [],
      suffixes: [".raff"],
      replay: null,
      files: [],
      folder: "project",
      recovered: [],
      watch_link: "/?watch=s1",
    });
  }
}

/** Storage that lasts as long as the test. */
export class FakeStore {
  private readonly values = new Map<string, string>();
  getItem(key: string): string | null {
    return this.values.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.values.set(key, value);
  }
  removeItem(key: string): void {
    this.values.delete(key);
  }
}
