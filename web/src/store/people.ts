// People in the session: where the others are, and where this page's user is, for them to see.
import type { BodyMesh } from "../wire/body-frame.ts";
import type { PersonGone, PersonHand, PersonPose, PersonSeen, WorldPeople, WorldPerson } from "../wire/messages.ts"; // prettier-ignore
import type { AvatarHost, ChoiceHost, ConnectionHost, EventHost, ModelHost, NoticeHost, PoseHost, SimulationHost } from "./hosts.ts"; // prettier-ignore

/** Between two reports of where one is [ms]: not more than 30 a second. */
const INTERVAL = 34;
const LONGEST_NAME = 40;

/** Where a person is, without the name, which is a setting. */
export type Presence = Omit<PersonPose, "kind" | "name">;

/** What a hand can show. */
export type Gesture = PersonHand["gesture"];
export const GESTURES: readonly Gesture[] = ["none", "point", "stop", "grasp"];

export class People {
  /** The others, by the number of their page. */
  readonly others = new Map<number, PersonSeen>();
  /** Those of them seen by cameras, as meshes in the world, by the number of their page. */
  readonly meshes = new Map<number, BodyMesh>();
  /** Where this page's user is; null until that is known. */
  own: Presence | null = null;
  /** Everybody in the world that runs. */
  bodies: readonly WorldPerson[] = [];
  /** Whether the user of this page has a body in worlds without wearing a headset. */
  stands = false;
  /** What its hand shows. */
  gesture: Gesture = "none";

  private sent = "";
  private wasPresent = false;
  private sentAt = -Infinity;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly studio: EventHost &
      ConnectionHost &
      ChoiceHost &
      SimulationHost &
      NoticeHost &
      PoseHost &
      AvatarHost,
    private readonly now: () => number = () => performance.now(),
  ) {
    const again = (): void => {
      this.sent = "";
      this.plan();
    };
    // whoever comes is to see those who do not move
    studio.on("watchers", again);
    studio.on("settings", () => this.plan());
    studio.on("simulation", () => this.plan());
    studio.on("avatar", () => this.plan());
    studio.on("welcome", () => {
      this.others.clear();
      this.meshes.clear();
      this.bodies = [];
      again();
      studio.emit("people", this);
    });
  }

  seen(message: PersonSeen): void {
    this.others.set(message.client, message);
    this.studio.emit("people", this);
  }

  gone({ client }: PersonGone): void {
    this.meshes.delete(client);
    if (this.others.delete(client)) this.studio.emit("people", this);
  }

  /** What cameras see of another person; null: nothing any more. */
  tookMesh(client: number, body: BodyMesh | null): void {
    if (body) this.meshes.set(client, body);
    else this.meshes.delete(client);
    this.studio.emit("people", this);
  }

  /** Number of this page; 0 where there is no studio. */
  get self(): number {
    return this.studio.welcome?.client ?? 0;
  }

  /** @internal The people in the world now. */
  took({ people }: WorldPeople): void {
    this.bodies = people;
    this.studio.emit("people", this);
  }

  /** Gives this page's user a body in worlds that run, or none. */
  stand(on: boolean): void {
    if (this.studio.refuseIfWatching()) return;
    this.stands = on;
    if (!on) this.gesture = "none";
    this.studio.emit("people", this);
  }

  /** Shows a gesture with the hand of that body. */
  show(gesture: Gesture): void {
    this.gesture = gesture;
    this.studio.emit("people", this);
  }

  /** Where this page's user is now; the others get the latest. */
  be(own: Presence): void {
    this.own = own;
    this.plan();
  }

  /** Whether nobody wants to know: no other page, and no world that runs. */
  private get isAlone(): boolean {
    const { watchers, avatar } = this.studio;
    // one who has just left the world says so, too
    const isInWorld = this.own?.present === true || this.wasPresent || avatar.isShown;
    return (watchers?.count ?? 1) < 2 && !(runsWorld(this.studio) && isInWorld);
  }

  private plan(): void {
    if (this.timer !== null || this.own === null || this.isAlone) return;
    const wait = this.sentAt + INTERVAL - this.now();
    if (wait <= 0) this.send();
    else this.timer = setTimeout(() => this.send(), wait);
  }

  private send(): void {
    this.timer = null;
    const { link, settings } = this.studio;
    if (this.own === null || !link || this.isAlone) return;
    const name = Array.from(settings.personName.trim()).slice(0, LONGEST_NAME).join("");
    const message: PersonPose = { kind: "person", name, ...this.own };
    const text = JSON.stringify(message);
    if (text === this.sent || !link.send(message)) return;
    this.sent = text;
    this.wasPresent = this.own.present ?? false;
    this.sentAt = this.now();
  }
}

/** Whether a world runs, whose sensors detect people. */
export function runsWorld({ simulation, snapshot }: ModelHost & SimulationHost): boolean {
  return simulation.isOn && (snapshot?.world ?? null) !== null;
}
