// Python programs in the session: what they show, and what people do with their controls.
import type {
  InputItem,
  ItemHidden,
  ItemShown,
  PictureWanted,
  PlayWanted,
  ProgramData,
  Programs as ProgramList,
} from "../../wire/messages.ts";
import type { EventHost, ModelHost, MotionHost, NoticeHost, ConnectionHost } from "../hosts.ts";
import { Traces } from "./traces.ts";

/** What a program shows. */
export type Item = ItemShown["data"];
export type Control = Extract<
  Item,
  { kind: "slider" | "button" | "checkbox" | "choice" | "readout" | "plot" }
>;
export type Drawn = Exclude<Item, Control>;

/** Something that is shown, with whose it is; another object whenever it changes. */
export interface ShownItem<T extends Item = Item> {
  readonly program: number;
  readonly name: string;
  readonly data: T;
}

/** A picture that a program asked for. */
export interface PictureRequest extends PictureWanted {
  reply(png: Blob): void;
  fail(words: string): void;
}

const CONTROLS: ReadonlySet<string> = new Set([
  "slider",
  "button",
  "checkbox",
  "choice",
  "readout",
  "plot",
]);

/** Names an item among those of all programs. */
export const keyOf = ({ program, name }: ShownItem): string => `${program}/${name}`;

export const isControl = (item: Item): item is Control => CONTROLS.has(item.kind);

export class Programs {
  list: readonly ProgramData[] = [];
  /** By program, in the order in which they were shown first. */
  private readonly items = new Map<number, Map<string, ShownItem>>();
  /** Whether nothing came since the connection was made. */
  private isNew = true;
  /** Name of the motion that a program wanted to be played. */
  private playing: string | null = null;

  private readonly traces: Traces;

  constructor(
    private readonly studio: EventHost & ModelHost & ConnectionHost & MotionHost & NoticeHost,
  ) {
    this.traces = new Traces(studio);
    studio.on("pose", (source) => this.traces.moved(source === "snapshot"));
    studio.on("playback", (player) => {
      if (this.playing === null || player.playing) return;
      const name = this.playing;
      this.playing = null;
      studio.link?.send({ kind: "played", name });
    });
  }

  /** A new connection: what is there comes again. */
  welcomed(): void {
    this.isNew = true;
    if (this.list.length === 0 && this.items.size === 0) return;
    this.list = [];
    this.items.clear();
    this.changed();
  }

  took(message: ProgramList): void {
    // a page that comes into a session is not notified of those that are there
    const known = this.isNew ? message.programs : this.list;
    this.isNew = false;
    for (const { name, connected, program } of message.programs)
      if (connected && !known.some((one) => one.program === program && one.connected))
        this.studio.notice("info", `The program '${name}' has connected`);
    this.list = message.programs;
    this.changed();
  }

  shown({ program, item, data }: Omit<ItemShown, "kind">): void {
    const own = this.items.get(program) ?? new Map<string, ShownItem>();
    this.items.set(program, own);
    own.set(item, { program, name: item, data });
    this.changed();
  }

  hidden({ program, item }: ItemHidden): void {
    this.items.get(program)?.delete(item);
    this.changed();
  }

  /** Removes everything that a program shows. */
  forget(program: number): void {
    if (this.items.delete(program)) this.changed();
  }

  /** The controls of a program, in order. */
  controls(program: number): ShownItem<Control>[] {
    const own = [...(this.items.get(program)?.values() ?? [])];
    return own.filter((one): one is ShownItem<Control> => isControl(one.data));
  }

  /** What all programs draw into the view. */
  get drawn(): ShownItem<Drawn>[] {
    const all = [...this.items.values()].flatMap((own) => [...own.values()]);
    return all.filter((one): one is ShownItem<Drawn> => !isControl(one.data));
  }

  /** Where the point of a trace has been [m], by the item's key. */
  trace(key: string): readonly (readonly [number, number, number])[] {
    return this.traces.points(key);
  }

  /** Somebody used a control. */
  use({ program, name, data }: ShownItem<Control>, value: InputItem["value"]): void {
    if (this.studio.readOnly) return;
    const own = this.items.get(program);
    if (own?.has(name) && "value" in data)
      own.set(name, { program, name, data: { ...data, value } as Control });
    this.studio.link?.send({ kind: "input_item", program, item: name, value });
    this.changed();
  }

  play({ motion, rate, loop }: PlayWanted): void {
    const { player } = this.studio;
    player.load(motion);
    player.setRate(rate);
    player.setLoop(loop);
    player.play();
    this.playing = motion.name;
    // one without length has ended already
    if (!player.playing) {
      this.playing = null;
      this.studio.link?.send({ kind: "played", name: motion.name });
    }
  }

  picture(wanted: PictureWanted): void {
    const { link } = this.studio;
    const { picture } = wanted;
    const fail = (error: string): void =>
      void link?.send({ kind: "picture_taken", picture, png: "", error });
    const reply = (png: Blob): void => {
      void base64(png).then(
        (text) => link?.send({ kind: "picture_taken", picture, png: text, error: "" }),
        (error: Error) => fail(error.message),
      );
    };
    this.studio.emit("picture", { ...wanted, reply, fail });
  }

  private changed(): void {
    const traced = this.drawn.flatMap((one) =>
      one.data.kind === "trace" ? [[keyOf(one), one.data] as const] : [],
    );
    this.traces.follow(new Map(traced));
    this.studio.emit("programs", this);
  }
}

function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(new Error("the picture cannot be read"));
    reader.readAsDataURL(blob);
  });
}
