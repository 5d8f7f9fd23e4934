import { expect, it } from "vitest";

import { heldBy } from "../../../src/ui/forces/held-by.ts";
import type { LiveHand } from "../../../src/wire/frames.ts";
import type { PersonSeen } from "../../../src/wire/messages.ts";

const hand = (client: number, number: number, force: LiveHand["force"]): LiveHand => ({
  ...{ client, hand: number, force, place: [0, 0, 0], target: [0, 0, 0], moment: [0, 0, 0] },
  ...{ stiffness: 1, damping: 1, depth: 0 },
});
const ada = { client: 4, color: "#123456", person: { name: "Ada" } } as PersonSeen;

it("adds the forces of each person, and of all, as vectors", () => {
  const found = heldBy(
    {
      ownHands: [hand(1, 1, [0, 0, 3])],
      otherHands: [hand(4, 1, [2, 0, 2]), hand(4, 2, [-2, 0, 2])],
    },
    [ada],
  );
  expect(found).toEqual({
    rows: [
      { name: "You", color: "var(--accent)", force: 3 },
      { name: "Ada", color: "#123456", force: 4 },
    ],
    together: 7,
  });
});

it("names guests that were never seen, the file's own hand, and tells two of one name apart", () => {
  const otherHands = [hand(4, 1, [1, 0, 0]), hand(5, 1, [1, 0, 0]), hand(0, 0, [1, 0, 0])];
  const twin = { ...ada, client: 5 };
  const names = (people: PersonSeen[]) =>
    heldBy({ ownHands: [], otherHands }, people)?.rows.map(({ name }) => name);
  expect(names([ada, twin])).toEqual(["Ada", "Ada (5)", "Script"]);
  expect(names([])).toEqual(["Guest 4", "Guest 5", "Script"]);
});

it("says nothing where nobody else has a hand on it", () => {
  expect(heldBy({ ownHands: [hand(1, 1, [0, 0, 3])], otherHands: [] }, [ada])).toBeNull();
});
