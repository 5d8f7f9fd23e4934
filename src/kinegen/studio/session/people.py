"""People: where the users of a session are, checked and passed on to the others."""

from __future__ import annotations

import asyncio
import dataclasses
import math
from typing import TYPE_CHECKING

from kinegen.studio.wire.codec import WireError, encode
from kinegen.studio.wire.frames import BodyFrame, body_of, no_body, pack_body, unpack_body
from kinegen.studio.wire.message import Pose
from kinegen.studio.wire.messages import PersonGone, PersonPose, PersonSeen

if TYPE_CHECKING:
    from kinegen.studio.session.room import Client, Room

__all__ = ["COLORS", "People", "checked_pose"]

RELAY = 1 / 30
"""[s] Where a person is, is passed on at most this often."""
BODY_RELAY = 1 / 5
"""[s] A person's body is passed on at most this often."""
BODY = "person_body"
"""Key under which a body waits to be sent, with the number of the page."""
FARTHEST = 1e6
"""[m] Coordinates beyond this are refused."""
COLORS = (
    "#3b82f6", "#f97316", "#10b981", "#a855f7", "#ec4899", "#eab308", "#06b6d4", "#ef4444",
)  # fmt: skip
"""Of people, in the order in which they come; beyond, colours are used again."""


class People:
    """The persons of a room by the number of their page. All methods run in the event loop."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._seen: dict[int, PersonSeen] = {}
        self._watching: set[int] = set()
        """Numbers of view-only pages: whoever is there changes nothing, so has no body."""
        self._passed: dict[int, float] = {}
        """[s, loop time] When each was passed on last."""
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._bodies: dict[int, bytes] = {}
        """Meshes of people seen by cameras: the latest of each, as a frame."""
        self._bodies_passed: dict[int, float] = {}
        """[s, loop time]"""
        self._body_timers: dict[int, asyncio.TimerHandle] = {}

    def __len__(self) -> int:
        return len(self._seen)

    def take(self, client: Client, person: PersonPose) -> None:
        """A page reports where its user is; view-only pages may, since it changes nothing."""
        if client.program is not None:
            raise WireError("a program has no head or hands; only pages send 'person'")
        if client.number not in self._room.clients:
            return  # it has just left
        sides = [hand.side for hand in person.hands]
        if len(set(sides)) < len(sides):
            raise WireError(f"a person can have one {sides[0]} hand, got {len(sides)}")
        head = checked_pose(person.head, "head")
        hands = [
            dataclasses.replace(hand, pose=checked_pose(hand.pose, f"{hand.side} hand"))
            for hand in person.hands
        ]
        name = _clean(person.name) or f"Guest {client.number}"
        if client.read_only:
            self._watching.add(client.number)
        known = self._seen.get(client.number)
        had_body = known is not None and self._has_body(known)
        color = known.color if known else self._unused_color()
        clean = dataclasses.replace(person, name=name, head=head, hands=hands)
        seen = self._seen[client.number] = PersonSeen(client.number, color, clean)
        if had_body and not self._has_body(seen):
            self._room.live.person(PersonGone(client.number))
        self._pass_on_later(client.number)

    def take_body(self, client: Client, frame: bytes) -> None:
        """A page sends its user's body, a coloured mesh; view-only pages may too."""
        if client.program is not None:
            raise WireError("a program has no body; only pages send one")
        if client.number not in self._room.clients:
            return  # it has just left
        body = unpack_body(frame)  # refuses what is none
        number = client.number
        if client.read_only:
            self._watching.add(number)
        if len(body.triangles):
            self._bodies[number] = body_of(number, frame)
        elif self._bodies.pop(number, None) is None:
            return
        if number in self._body_timers:
            return  # the latest body is taken when its turn comes
        loop = asyncio.get_running_loop()
        due = self._bodies_passed.get(number, -math.inf) + BODY_RELAY
        if due <= loop.time():
            self._pass_body_on(number)
        else:
            self._body_timers[number] = loop.call_at(due, self._pass_body_on, number)

    @property
    def bodies(self) -> dict[int, BodyFrame]:
        """The meshes now, by the number of the page."""
        return {number: unpack_body(frame) for number, frame in self._bodies.items()}

    @property
    def meshes(self) -> dict[int, bytes]:
        """Frames of the meshes that a world that runs detects, by the number of the page."""
        return {n: frame for n, frame in self._bodies.items() if n not in self._watching}

    def entered(self, client: Client) -> None:
        """Show a page the people in the session."""
        for number, seen in self._seen.items():
            if number != client.number:
                client.outbox.put(seen, key=str(number))
        for number, frame in self._bodies.items():
            if number != client.number:
                client.outbox.put_latest(f"{BODY}/{number}", frame)

    def left(self, client: Client) -> None:
        """A page is gone, and its person with it."""
        number = client.number
        self._passed.pop(number, None)
        self._bodies_passed.pop(number, None)
        if self._bodies.pop(number, None) is not None and number not in self._watching:
            self._room.live.mesh(number, b"")
        for timers in (self._timers, self._body_timers):
            timer = timers.pop(number, None)
            if timer is not None:
                timer.cancel()
        self._watching.discard(number)
        if self._seen.pop(number, None) is None:
            return
        gone = PersonGone(number)
        self._room.live.person(gone)
        for page in self._room.programs.pages():
            # takes the place of a pose that waits: nobody comes back as a ghost
            page.outbox.put_latest(f"{PersonSeen.KIND}/{number}", lambda: encode(gone))

    def present(self) -> list[PersonSeen]:
        """Those who have a body in a world that runs: in a headset, by choice, or seen by cameras.

        Those who only watch have none.
        """
        return [seen for seen in self._seen.values() if self._has_body(seen)]

    def _has_body(self, seen: PersonSeen) -> bool:
        is_there = seen.person.present or seen.client in self._bodies
        return is_there and seen.client not in self._watching

    def _pass_on_later(self, number: int) -> None:
        if number in self._timers:
            return  # the latest pose is taken when its turn comes
        loop = asyncio.get_running_loop()
        due = self._passed.get(number, -math.inf) + RELAY
        if due <= loop.time():
            self._pass_on(number)
        else:
            self._timers[number] = loop.call_at(due, self._pass_on, number)

    def _pass_on(self, number: int) -> None:
        self._timers.pop(number, None)
        self._passed[number] = asyncio.get_running_loop().time()
        seen = self._seen[number]
        for page in self._room.programs.pages():
            if page.number != number:
                page.outbox.put(seen, key=str(number))
        if self._has_body(seen):
            self._room.live.person(seen)

    def _pass_body_on(self, number: int) -> None:
        self._body_timers.pop(number, None)
        self._bodies_passed[number] = asyncio.get_running_loop().time()
        frame = self._bodies.get(number) or pack_body(no_body(number))
        for page in self._room.programs.pages():
            if page.number != number:
                page.outbox.put_latest(f"{BODY}/{number}", frame)
        if number in self._watching:
            return
        self._room.live.mesh(number, self._bodies.get(number, b""))
        seen = self._seen.get(number)
        if seen is not None:
            is_there = self._has_body(seen)
            self._room.live.person(seen if is_there else PersonGone(number))

    def _unused_color(self) -> str:
        used = [seen.color for seen in self._seen.values()]
        return min(COLORS, key=used.count)


def checked_pose(pose: Pose, what: str) -> Pose:
    """A pose with a unit quaternion; refuses what is no pose."""
    w, x, y, z, *place = pose
    length = math.hypot(w, x, y, z)
    if not 0.5 < length < 2:
        raise WireError(f"the {what}'s quaternion must have length 1, got {length:g}")
    if not all(abs(number) <= FARTHEST for number in place):
        raise WireError(f"the {what} must be within {FARTHEST:g} m of the origin, got {place}")
    return (w / length, x / length, y / length, z / length, place[0], place[1], place[2])


def _clean(name: str) -> str:
    """A name without control characters and outer spaces."""
    return "".join(letter for letter in name if letter.isprintable()).strip()
