"""People: persons in a world, placed by the file, by Python or by the studio."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.dynamics.simulation.system import is_number
from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats
from kinegen.spatial.pose import SE3
from kinegen.world.drawing.colors import check_color
from kinegen.world.people.body import Body, body_of
from kinegen.world.people.body_mesh import BodyMesh, ColouredSurface, body_mesh
from kinegen.world.people.person import HEIGHT, Gesture, Hand, Person, Side, check_person, standing
from kinegen.world.people.route import COLORS, Route

__all__ = ["Found", "Nobody", "People"]

MOST = 32
"""People in a world."""
MOST_PLACEMENTS = 1 << 16
"""Placements that are kept for going back, about 40 MB; half of them are dropped when there are
more. A person that moves 30 times a second fills them in 36 minutes."""
MOST_BYTES = 1 << 28
"""[bytes] Meshes in these placements; half of the placements are dropped when there are more. A
person whose mesh of 4000 triangles arrives five times a second fills them in a quarter of an hour.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A person, and the body that sensors detect."""

    person: Person
    body: Body


class People(Mapping[str, Person]):
    """The people of a world by name: sensors detect them, nothing collides with them.

    People of the file walk along their routes. :meth:`stand`, :meth:`place` and :meth:`remove`
    change people while the world runs, from its next step on. The world records these steps, so
    that it can go back in time and repeat them.
    """

    def __init__(
        self,
        routes: Mapping[str, Route],
        clock: Callable[[], float],
        *,
        up: Floats,
        floor: float | None,
        taken: Collection[str] = (),
    ) -> None:
        """Begin with the people of the file.

        Args:
            routes: Theirs, by name.
            clock: The world's time [s].
            up: Away from gravity, a unit vector.
            floor: Its height along ``up`` [m]; None: there is none.
            taken: Names that links and objects have.
        """
        self._routes, self._clock = dict(routes), clock
        self._up, self._floor, self._taken = up, floor, frozenset(taken)
        self._placed: dict[str, Person | None] = {}
        """Those who were placed or, None, removed by a call; others are on their routes."""
        self._journal: dict[int, dict[str, Person | None]] = {}
        """Placements by the step before which they were made, in order of steps."""
        self._kept = self._bytes = 0
        """Of the journal: its placements, and the memory of their meshes."""
        self._version = 0
        self._looked: tuple[float, int] | None = None
        self._found: tuple[Found, ...] = ()
        self._bodies: dict[str, Found] = {}
        self.watch: Callable[[], int] = lambda: 0
        """Called before somebody is placed or removed; the world's number of steps."""
        self.overflow: Callable[[int], None] = lambda count: None
        """Called with a step before which placements are no longer known."""

    def __repr__(self) -> str:
        return f"People({', '.join(self)})"

    # Reading

    def __getitem__(self, name: str) -> Person:
        for one in self.found():
            if one.person.name == name:
                return one.person
        raise unknown_name("person", name, "this world", [*self])

    def __contains__(self, name: object) -> bool:
        return any(one.person.name == name for one in self.found())

    def __iter__(self) -> Iterator[str]:
        return iter([one.person.name for one in self.found()])

    def __len__(self) -> int:
        return len(self.found())

    @property
    def scripted(self) -> tuple[str, ...]:
        """Names of the file's people, present or not."""
        return tuple(self._routes)

    def is_scripted(self, name: str) -> bool:
        """Whether a person currently walks along a route of the file."""
        return name in self._routes and name not in self._placed

    def found(self) -> tuple[Found, ...]:
        """All present people, with their bodies."""
        now = (self._clock(), self._version)
        if self._looked != now:
            self._looked = now
            there: dict[str, Person] = {
                name: route.at(now[0])
                for name, route in self._routes.items()
                if name not in self._placed
            }
            there |= {name: one for name, one in self._placed.items() if one is not None}
            self._bodies = {name: self._body(one) for name, one in there.items()}
            self._found = tuple(self._bodies.values())
        return self._found

    def _body(self, person: Person) -> Found:
        known = self._bodies.get(person.name)
        if known is None or known.person is not person:
            is_same = known is not None and known.person.mesh is person.mesh
            mesh = known.body.mesh if known is not None and is_same else None
            return Found(person, body_of(person, self._up, self._floor, mesh=mesh))
        return known

    def cast(self, origin: Floats, directions: Floats) -> Floats:
        """Distances [m] along unit directions (n, 3) to the nearest body; inf: none."""
        found = np.full(len(directions), np.inf)
        for one in self.found():
            found = np.minimum(found, one.body.surface.cast(origin, directions))
        return found

    # Changes

    def stand(
        self,
        name: str,
        at: Iterable[float],
        *,
        facing: float = 0.0,
        height: float = HEIGHT,
        gesture: Gesture = "none",
        side: Side = "right",
        color: str | None = None,
    ) -> Person:
        """Add a person standing upright, or move one there.

        Args:
            name: Of the person.
            at: Position of the feet x, y, z [m].
            facing: Direction of the eyes, about z from the x axis [rad].
            height: [m]
            gesture: 'none', 'point', 'stop' (a flat hand held up) or 'grasp'.
            side: The hand that shows it: 'left' or 'right'.
            color: A colour's name, or "#rrggbb"; None: unchanged, or chosen by Kinegen.
        """
        shown = self._color(name, color)
        return self._put(
            standing(name, at, facing=facing, height=height, gesture=gesture, side=side,
                     color=shown)
        )  # fmt: skip

    def place(
        self,
        name: str,
        head: SE3 | None = None,
        hands: Iterable[Hand] = (),
        *,
        mesh: BodyMesh | ColouredSurface | TriangleMesh | None = None,
        scale: float = 1.0,
        height: float = HEIGHT,
        color: str | None = None,
    ) -> Person:
        """Place the head and hands of a person; trunk, arms and legs follow, or are a mesh.

        Args:
            name: Of the person.
            head: X_WP between the eyes: x ahead, z up. None: below the top of the mesh.
            hands: None, one or both.
            mesh: What sensors and cameras detect instead of capsules: a closed mesh in the world
                [m], such as a :class:`kinegen.hull.Hull`. It stays as it is until the next call.
            scale: Metres of the world per metre of the person.
            height: Of the person, standing upright [m of the person].
            color: A colour's name, or "#rrggbb"; None: unchanged, or chosen by Kinegen.
        """
        shown = self._color(name, color)
        surface = None if mesh is None else body_mesh(mesh, f"person '{name}'")
        if head is None:
            if surface is None:
                raise UsageError(f"person '{name}' needs a head or a mesh")
            head = surface.head(self._up, height / HEIGHT if is_number(height) else 1.0)
        return self._put(Person(name, head, tuple(hands), scale, height, shown, mesh=surface))

    def remove(self, name: str) -> None:
        """Remove a person."""
        self[name]
        self._change(name, None)

    # Coming back

    def keep(self) -> dict[str, Person | None]:
        """Placements and removals, for :meth:`bring_back`."""
        return dict(self._placed)

    def bring_back(self, kept: Mapping[str, Person | None]) -> None:
        """Return to the state that :meth:`keep` returned."""
        self._placed = dict(kept)
        self._version += 1

    def was_changed(self, count: int) -> bool:
        """Whether a person was placed or removed before step ``count``."""
        return count in self._journal

    def replay(self, count: int) -> None:
        """Repeat the changes that were made before step ``count``."""
        if count in self._journal:
            self._placed |= self._journal[count]
            self._version += 1

    def forget_from(self, count: int) -> None:
        """Forget the changes that were made before step ``count`` and later."""
        if self._journal and count <= next(reversed(self._journal)):
            self._keep({n: rows for n, rows in self._journal.items() if n < count})

    # Inside

    def _put(self, person: Person) -> Person:
        check_person(person)
        if person.name in self._taken:
            raise UsageError(
                f"'{person.name}' is a link or object of this world: choose another name for the "
                "person"
            )
        if person.name not in self and len(self) >= MOST:
            raise UsageError(f"a world has at most {MOST} people")
        self._change(person.name, person)
        return person

    def _color(self, name: str, given: str | None) -> str:
        if given is not None:
            check_color(given, f"person '{name}'")
            return given
        if name in self:
            return self[name].color
        used = [one.person.color for one in self.found()]
        return min(COLORS, key=used.count)

    def _change(self, name: str, person: Person | None) -> None:
        count = self.watch()
        self._bytes += _news(person, self._placed.get(name))
        self._placed[name] = person
        rows = self._journal.setdefault(count, {})
        self._kept += name not in rows
        rows[name] = person
        self._version += 1
        if self._kept > MOST_PLACEMENTS or self._bytes > MOST_BYTES:
            steps = list(self._journal)
            first = steps[len(steps) // 2]
            self._keep({n: one for n, one in self._journal.items() if n >= first})
            self.overflow(first)

    def _keep(self, journal: dict[int, dict[str, Person | None]]) -> None:
        """Have this part of the journal only."""
        self._journal = journal
        self._kept = self._bytes = 0
        before: dict[str, Person | None] = {}
        for rows in journal.values():
            self._kept += len(rows)
            self._bytes += sum(_news(one, before.get(name)) for name, one in rows.items())
            before |= rows


def _news(person: Person | None, before: Person | None) -> int:
    """Memory that the mesh of a person needs [bytes], where it is not the one of before."""
    if person is None or person.mesh is None:
        return 0
    return 0 if before is not None and before.mesh is person.mesh else person.mesh.nbytes


class Nobody:
    """The people of a scene that has none."""

    scripted: tuple[str, ...] = ()

    def found(self) -> tuple[Any, ...]:
        """Nobody."""
        return ()
