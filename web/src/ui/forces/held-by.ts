// Who holds the mechanism, and how hard: a row per person, and all hands together.
import { ownerOf } from "../../store/simulation/hands.ts";
import type { LiveHand } from "../../wire/frames.ts";
import type { PersonSeen } from "../../wire/messages.ts";

export interface HeldBy {
  /** One per person; the force is that of all their hands, as a vector [N]. */
  rows: { name: string; color: string | null; force: number }[];
  /** Of all hands, as a vector [N]. */
  together: number;
}

/** Null where this page's hands are the only ones. */
export function heldBy(
  { ownHands, otherHands }: { ownHands: readonly LiveHand[]; otherHands: readonly LiveHand[] },
  people: readonly PersonSeen[],
): HeldBy | null {
  if (otherHands.length === 0) return null;
  const rows = ownHands.length
    ? [{ name: "You", color: "var(--accent)" as string | null, force: sum(ownHands) }]
    : [];
  for (const client of new Set(otherHands.map((hand) => hand.client))) {
    const hands = otherHands.filter((hand) => hand.client === client);
    const { name, color } = ownerOf(hands[0], people);
    // two guests may have chosen one name
    const isTaken = rows.some((row) => row.name === name);
    rows.push({ name: isTaken ? `${name} (${client})` : name, color, force: sum(hands) });
  }
  return { rows, together: sum([...ownHands, ...otherHands]) };
}

const sum = (hands: readonly LiveHand[]): number =>
  Math.hypot(...[0, 1, 2].map((axis) => hands.reduce((all, { force }) => all + force[axis], 0)));
