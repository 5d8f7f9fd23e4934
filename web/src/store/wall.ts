// The wall of screens in a session: where its room is, where the viewer's head is, who leads.
import type { HeadPose, WallState } from "../wire/messages.ts";
import type { EventHost, NoticeHost, ConnectionHost } from "./hosts.ts";
import { Moments } from "./moments.ts";

/** Between two reports [ms]: not more than 60 a second, as often as they are passed on. */
const INTERVAL = 16;

type Pose = NonNullable<WallState["at"]>;

export class Wall {
  /** As the studio last sent it; null: nobody has moved room or head. */
  state: WallState | null = null;
  /** Whether this window moves the room through the world. */
  leads = false;
  /** Whether the room stays level while the camera looks down. */
  upright = true;
  /** What this window draws together with the other screens; an ordinary window draws at once. */
  readonly moments = new Moments((number) => {
    if (this.screen !== null) this.studio.link?.send({ kind: "screen_drawn", number });
  });

  private readonly head: Sender<HeadPose>;
  private readonly room: Sender<{ at: Pose; scale: number }>;
  /** Whether the studio has named this window as the one that leads. */
  private isNamed = false;

  constructor(
    private readonly studio: EventHost & ConnectionHost & NoticeHost,
    /** The screen that this window is; null: an ordinary window. */
    readonly screen: string | null = null,
    now: () => number = () => performance.now(),
  ) {
    this.head = new Sender(now, (message) => this.send(message));
    this.room = new Sender(now, (place) => this.send({ kind: "place_wall", ...place }));
    studio.on("welcome", () => {
      this.state = null;
      this.isNamed = false;
      this.room.forget();
      this.head.forget();
      this.moments.begin();
      studio.emit("wall", this);
    });
  }

  /** Begins or ends moving the room with this window's camera. */
  lead(on: boolean): void {
    this.leads = on && !this.studio.readOnly && this.screen === null;
    this.isNamed = false;
    this.room.forget();
    this.studio.emit("wall", this);
  }

  setUpright(on: boolean): void {
    this.upright = on;
    this.studio.emit("wall", this);
  }

  /** The room as this window's camera has it; sent where it has changed. */
  place(at: Pose, scale: number): void {
    const round = (x: number): number => Number(x.toPrecision(9));
    this.room.put({ at: at.map(round) as Pose, scale: round(scale) });
  }

  /** Where the head is, by a person who tries it out; null: at the file's eye again. */
  lookFrom(place: readonly [number, number, number] | null): void {
    const head: Pose | null = place && [1, 0, 0, 0, ...place];
    this.head.put({ kind: "head", head, source: "a person" });
  }

  took(state: WallState): void {
    this.state = state;
    const isOwn = state.lead === this.studio.welcome?.client;
    if (this.leads && this.isNamed && !isOwn && state.lead !== 0) this.leads = false;
    this.isNamed ||= isOwn;
    this.studio.emit("wall", this);
  }

  private send(message: Parameters<NonNullable<ConnectionHost["link"]>["send"]>[0]): boolean {
    return !this.studio.readOnly && (this.studio.link?.send(message) ?? false);
  }
}

/** Sends the latest of something, not too often, and nothing twice. */
class Sender<T> {
  private sent = "";
  private sentAt = -Infinity;
  private waits: T | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly now: () => number,
    private readonly send: (what: T) => boolean,
  ) {}

  put(what: T): void {
    this.waits = what;
    if (this.timer !== null) return;
    const wait = this.sentAt + INTERVAL - this.now();
    if (wait <= 0) this.flush();
    else this.timer = setTimeout(() => this.flush(), wait);
  }

  /** What comes next is sent even if it was sent before. */
  forget(): void {
    this.sent = "";
  }

  private flush(): void {
    this.timer = null;
    const what = this.waits;
    this.waits = null;
    const text = JSON.stringify(what);
    if (what === null || text === this.sent || !this.send(what)) return;
    this.sent = text;
    this.sentAt = this.now();
  }
}
