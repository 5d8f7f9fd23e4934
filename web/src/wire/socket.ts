// The connection to the studio: opened, lost and opened again; what comes is given to its takers.
import { Answers, type Pending, type RequestBody } from "./answers.ts";
import { type BodyMesh, unpackBody } from "./body-frame.ts";
import { type LiveFrame, unpackLive } from "./frames.ts";
import { keepSession, keptSession, type SessionStore } from "./kept-session.ts";
import { type FromPage, type Hello, SCHEMA, type ToPage, type Welcome } from "./messages.ts";
import { type PieceTaker, unpackPiece } from "./piece-frame.ts";
import { type Picture, unpackPicture } from "./picture-frame.ts";
import { type PoseFrame, unpackPose } from "./pose-frame.ts";
import { NO_SESSION } from "./limits.ts";
import { Sending } from "./sending.ts";

/** The part of a WebSocket that is used, so that tests can give another. */
export interface Socket {
  binaryType: string;
  readonly readyState: number;
  readonly bufferedAmount: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: string | ArrayBuffer): void;
  close(): void;
}

export interface ConnectionOptions {
  url: string;
  /** Library name or file to begin with. */
  open?: string | null;
  /** Session to watch, from a link. */
  watch?: string | null;
  /** Session whose unsaved work to take over. */
  recover?: string | null;
  /** Keeps session and secret over a reload of this tab; another tab has another. */
  store?: SessionStore | null;
  makeSocket?: (url: string) => Socket;
  /** Whether the studio lets this browser in; false after it was started with another token. */
  isKnown?: () => Promise<boolean>;
}

/** "shut": the studio is there and does not let this browser in. */
export type LinkState = "connecting" | "open" | "lost" | "shut";

export interface ConnectionHandlers {
  onState(state: LinkState): void;
  onWelcome(welcome: Welcome): void;
  /** Snapshots, notices, progress and watchers. */
  onMessage(message: Exclude<ToPage, { kind: "welcome" | "refused" | "done" }>): void;
  onPose(frame: PoseFrame): void;
  /** How the running simulation stands. */
  onLive?(frame: LiveFrame): void;
  /** What a camera of the running world sees. */
  onPicture?(picture: Picture): void;
  /** The body of another person; null: there is none any more. */
  onBody?(client: number, body: BodyMesh | null): void;
  /** The studio does not let this page in, or did not understand it. */
  onRefused(message: string): void;
}

const OPEN = 1;
const FIRST_DELAY = 250;
const LONGEST_DELAY = 8000;

export class Connection {
  state: LinkState = "connecting";

  private socket: Socket | null = null;
  private readonly answers = new Answers((message) => this.send(message));
  private readonly sending = new Sending(() => (this.state === "open" ? this.socket : null));
  private delay = FIRST_DELAY;
  /** How often it was tried to connect: late news of an earlier try are nobody's. */
  private tries = 0;
  private closed = false;
  private retry: ReturnType<typeof setTimeout> | null = null;
  /** What the first Hello asks for; later ones continue with the session. */
  private first = true;

  constructor(
    private readonly options: ConnectionOptions,
    private readonly handlers: ConnectionHandlers,
  ) {}

  start(): void {
    this.closed = false;
    this.connect();
  }

  /** Ends it for good. */
  close(): void {
    this.closed = true;
    if (this.retry !== null) clearTimeout(this.retry);
    this.sending.stop();
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.answers.drop("the page was closed");
  }

  /** Tries at once instead of waiting for the next try. */
  reconnect(): void {
    if (this.retry === null) return;
    clearTimeout(this.retry);
    this.delay = FIRST_DELAY;
    this.connect();
  }

  /** Asks the studio; pieces of the result come before it, where the work gives any. */
  request(body: RequestBody, onPiece?: PieceTaker): Pending {
    return this.answers.request(body, onPiece);
  }

  /** Sends a message that has no answer; false when there is no connection. */
  send(message: FromPage): boolean {
    if (this.state !== "open") return false;
    this.write(message);
    return true;
  }

  /** Sends a binary frame that the next of its kind replaces; false: it was left out, since the
   * connection is not there or does not keep up. */
  sendFrame(frame: ArrayBuffer): boolean {
    return this.sending.frame(frame);
  }

  /** Reports where the mechanism is: at most 30 times a second, the last pose always. */
  sendPose(q: Float64Array, version: number, isFinal = false): void {
    this.sending.sendPose(q, version, isFinal);
  }

  private connect(): void {
    this.retry = null;
    ++this.tries;
    const make = this.options.makeSocket ?? ((url): Socket => new WebSocket(url));
    let socket: Socket;
    try {
      socket = make(this.options.url);
    } catch {
      this.lost();
      return;
    }
    this.socket = socket;
    let opened = false;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      opened = true;
      socket.send(JSON.stringify(this.hello()));
    };
    socket.onmessage = (event: { data: unknown }) => {
      if (socket === this.socket) this.receive(event.data);
    };
    socket.onerror = () => undefined; // a close follows
    socket.onclose = (event: { code?: number }) => {
      if (socket !== this.socket) return;
      // there will be no such session later either
      if (event.code === NO_SESSION) this.closed = true;
      this.lost();
      if (!opened && !this.closed) void this.askWhy();
    };
  }

  /** A socket that never opened does not say why: the studio is gone, or it lets nobody in. */
  private async askWhy(): Promise<void> {
    const { tries } = this;
    const isKnown = await (this.options.isKnown?.() ?? Promise.resolve(true)).catch(() => true);
    if (isKnown || this.closed || this.tries !== tries) return;
    this.state = "shut";
    this.handlers.onState("shut");
  }

  private hello(): Hello {
    const { watch = null, open = null, recover = null } = this.options;
    const kept = keptSession(this.options.store);
    const session = watch ?? kept?.session ?? null;
    const secret = kept !== null && session === kept.session ? kept.secret : null;
    // what to begin with is asked once: afterwards the session has it
    const first = this.first && session === null;
    return {
      kind: "hello",
      schema: SCHEMA,
      session,
      secret,
      recover: first ? recover : null,
      open: first ? open : null,
    };
  }

  private receive(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      const frame = unpackPose(data);
      if (frame !== null) this.handlers.onPose(frame);
      const live = unpackLive(data);
      if (live !== null) this.handlers.onLive?.(live);
      const picture = unpackPicture(data);
      if (picture !== null) this.handlers.onPicture?.(picture);
      const person = unpackBody(data);
      if (person !== null) this.handlers.onBody?.(person.client, person.body);
      const piece = unpackPiece(data);
      if (piece !== null) this.answers.piece(piece);
      return;
    }
    let message: ToPage;
    try {
      message = JSON.parse(String(data)) as ToPage;
    } catch {
      return; // not a message: nothing could be done about it
    }
    switch (message.kind) {
      case "welcome":
        this.delay = FIRST_DELAY;
        this.first = false;
        if (message.secret !== null)
          keepSession(this.options.store, { session: message.session, secret: message.secret });
        this.state = "open";
        this.handlers.onWelcome(message);
        this.handlers.onState("open");
        break;
      case "done":
        this.answers.done(message.request, message.result);
        break;
      case "refused":
        if (message.request === 0) this.handlers.onRefused(message.message);
        this.answers.refused(message);
        break;
      default:
        this.handlers.onMessage(message);
    }
  }

  private lost(): void {
    this.socket = null;
    this.answers.drop("the connection to the studio was lost before it answered; please try again");
    if (this.state === "open" || this.closed) this.state = "lost";
    this.handlers.onState(this.state);
    if (this.closed) return;
    // a share of chance, so that many pages do not come back at once
    const wait = this.delay * (0.75 + Math.random() / 2);
    this.delay = Math.min(LONGEST_DELAY, 2 * this.delay);
    this.retry = setTimeout(() => this.connect(), wait);
  }

  private write(message: FromPage): void {
    if (this.socket?.readyState === OPEN) this.socket.send(JSON.stringify(message));
  }
}
