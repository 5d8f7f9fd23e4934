"""LivePeople: the people of a session in a world that a page runs, and all people for the page."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinegen.errors import UsageError
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.studio.wire.message import Pose
from kinegen.studio.wire.messages import PersonHand, PersonSeen, WorldPerson
from kinegen.world.people.body_mesh import BodyMesh
from kinegen.world.people.people import Found
from kinegen.world.people.person import Hand, Person
from kinegen.world.world import World

__all__ = ["LivePeople"]

_TURN = SO3.from_matrix([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])
"""R_SK: a head or hand as worlds have it (x ahead, z up), seen from how sessions have it (-z ahead,
y up)."""
SHADE = 0.45
"""Brightness of legs."""
ROUND = 5
"""Digits of places behind the point that a page gets."""


class LivePeople:
    """Puts people of a session into a world, and lists everybody there."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._put: dict[int, tuple[PersonSeen, BodyMesh | None]] = {}
        self._names: dict[int, str] = {}
        """Of people of the session in the world, by the number of their page."""
        self._refused = ""

    def put(self, people: Mapping[int, PersonSeen], meshes: Mapping[int, BodyMesh]) -> str:
        """Have these people of the session in the world, and no others.

        Args:
            people: By the number of their page.
            meshes: Of those whom cameras see.

        Returns:
            Why somebody could not be placed, in words, when that is new; else ''.
        """
        there = self._world.people
        names = self._unique(people)
        for name in [*there]:
            if not there.is_scripted(name) and name not in names.values():
                there.remove(name)
        refused = ""
        placed = {client: (seen, meshes.get(client)) for client, seen in people.items()}
        for client, (seen, mesh) in placed.items():
            known, worn = self._put.get(client, (None, None))
            is_same = known is seen and worn is mesh and self._names.get(client) == names[client]
            if is_same:
                continue
            person = seen.person
            # cameras alone show where somebody is whose page does not
            head = _place(person.head) if person.present else None
            hands = [
                Hand(one.side, _place(one.pose), one.gesture, one.holds)
                for one in person.hands
                if one.shape != "pointer" and person.present
            ]
            scale = person.scale if person.present else 1.0
            try:
                there.place(names[client], head, hands, mesh=mesh, scale=scale, color=seen.color)
            except UsageError as error:
                refused = str(error)
        self._put, self._names = placed, names
        is_new = refused != self._refused
        self._refused = refused
        return refused if is_new else ""

    def forget(self) -> None:
        """The world was brought to another time: others may be in it."""
        self._put = {}

    def shown(self) -> list[WorldPerson]:
        """Everybody, as pages draw them."""
        clients = {name: client for client, name in self._names.items()}
        there = self._world.people
        return [
            _shown(
                one, 0 if there.is_scripted(one.person.name) else clients.get(one.person.name, 0)
            )
            for one in there.found()
        ]

    def _unique(self, people: Mapping[int, PersonSeen]) -> dict[int, str]:
        """Names that differ from each other and from those of everything in the world."""
        taken = {*self._world.people.scripted, *self._world.nodes, "floor"}
        found: dict[int, str] = {}
        for client in sorted(people):
            name = first = people[client].person.name
            number = 1
            while name in taken:
                number += 1
                name = f"{first} {number}"
            taken.add(name)
            found[client] = name
        return found


def _place(pose: Pose) -> SE3:
    X = SE3.from_pose(pose)
    return SE3(X.so3 @ _TURN, X.translation)


def _pose(X: SE3) -> Pose:
    w, x, y, z = np.round((X.so3 @ _TURN.inverse()).quat, ROUND + 2).tolist()
    a, b, c = np.round(X.translation, ROUND).tolist()
    return (w, x, y, z, a, b, c)


def _shown(found: Found, client: int) -> WorldPerson:
    person, capsules = found.person, found.body.capsules
    known = {hand.side for hand in person.hands}
    sides = iter(("left", "right"))  # as bodies have them
    rows: list[float] = []
    is_first = True
    # pages have the mesh of somebody in the session already
    parts = found.body.parts if client == 0 or person.mesh is None else ()
    for part, start, end, radius in zip(
        parts, capsules.starts, capsules.ends, capsules.radii, strict=False
    ):
        # the page draws heads and known hands with more detail
        if part == "head" and is_first:
            is_first = False
            continue
        if part == "hand" and next(sides) in known:
            continue
        shade = SHADE if part == "leg" else 1.0
        rows += [*np.round([*start, *end, radius], ROUND).tolist(), shade]
    return WorldPerson(
        client, person.name, person.color, _pose(person.head), _hands(person), person.size, rows
    )


def _hands(person: Person) -> list[PersonHand]:
    return [
        PersonHand(one.side, "hand", _pose(one.pose), one.gesture, one.holds)
        for one in person.hands
    ]
