// Hands on a running simulation: pulls and pushes, sent to the studio once per picture.
import type { HandleSpec, Target, Vec3 } from "../../kernel/dragger.ts";
import type { LiveHand } from "../../wire/frames.ts";
import type { FromPage, PersonSeen } from "../../wire/messages.ts";
import { Held } from "../pose/holding.ts";
import type { Grab } from "../types.ts";

type Triple = [number, number, number];
type Quat = [number, number, number, number];

/** One hand. */
export interface Hand {
  number: number;
  /** Link, frame or object. */
  site: string;
  /** In its axes [m]. */
  point: Triple;
  /** Where the hand or the tip is [m]. */
  target: Triple;
  /** Out of the surface when it was touched: a push; null: a pull. */
  normal: Triple | null;
  /** How the site should be turned, wxyz: the whole pose is held; null: the place alone. */
  quat: Quat | null;
  /** Until it is sent. */
  isFresh: boolean;
}

/** Whose a hand of the simulation is: the colour, null for none, and the name. */
export function ownerOf(
  { client }: LiveHand,
  people: readonly PersonSeen[],
): { color: string | null; name: string } {
  const seen = people.find((one) => one.client === client);
  if (seen) return { color: seen.color, name: seen.person.name };
  return { color: null, name: client === 0 ? "Script" : `Guest ${client}` };
}

export class Hands {
  readonly all: Hand[] = [];
  private next = 1;

  constructor(
    private readonly send: (message: FromPage) => boolean,
    private readonly changed: () => void,
    private readonly stirred: () => void,
  ) {}

  /** A part is held by a spring until the grab is released. */
  pull(site: string, spec: HandleSpec): Grab {
    const hand = this.add(site, spec.point ?? [0, 0, 0], spec.position ?? [0, 0, 0], null);
    if (spec.kind === "pose" && spec.quat) hand.quat = [...spec.quat] as Quat;
    return new Held(
      spec,
      (_, target: Target) => {
        if (target.quat) hand.quat = [...target.quat] as Quat;
        this.move(hand, target.position ?? hand.target);
      },
      () => this.release(hand),
    );
  }

  /** A tip presses on a surface. */
  push(site: string, point: Vec3, at: Vec3, normal: Vec3): Hand {
    return this.add(site, point, at, normal);
  }

  move(hand: Hand, to: Vec3): void {
    hand.target = [to[0], to[1], to[2]];
    hand.isFresh = true;
    this.stirred();
  }

  release(hand: Hand): void {
    const at = this.all.indexOf(hand);
    if (at < 0) return;
    this.all.splice(at, 1);
    this.send({ kind: "release", hand: hand.number });
    this.changed();
  }

  releaseAll(): void {
    for (const hand of [...this.all]) this.release(hand);
  }

  /** Sends what has moved; once per picture. */
  flush(): void {
    for (const hand of this.all) {
      if (!hand.isFresh) continue;
      const { number, site, point, target, normal, quat } = hand;
      const message = { hand: number, site, point, target, normal, quat };
      hand.isFresh = !this.send({ kind: "touch", ...message });
    }
  }

  private add(site: string, point: Vec3, at: Vec3, normal: Vec3 | null): Hand {
    const hand: Hand = {
      ...{ number: this.next++, site, point: triple(point), target: triple(at) },
      ...{ normal: normal && triple(normal), quat: null, isFresh: true },
    };
    this.all.push(hand);
    this.changed();
    return hand;
  }
}

const triple = (v: Vec3): Triple => [v[0], v[1], v[2]];
