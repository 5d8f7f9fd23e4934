"""Contacts: where the bodies of a system touch or are about to, for any engine.

The same bodies answer what is at or near a point, how deep a tip is in them, and what rays see.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.contact.mounts import Standing, lifted, standing, usual_start
from kinegen.dynamics.contact.shapes import contact_bodies
from kinegen.dynamics.simulation.system import System
from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats, Ints, ShapeArrays, ShapeKind, shapes
from kinegen.kernels.protocols.contact import FoundContacts
from kinegen.kernels.turn import Turn, in_turn
from kinegen.kinematics.collisions.pairs import meeting
from kinegen.mechanism.any_model import AnyModel
from kinegen.results import Result

__all__ = ["Collisions", "Contacts", "Nearest", "RayHits"]

MARGIN = 1e-3
"""Least distance [m] from which on bodies count as near each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Contacts(Result):
    """The n points where bodies touch or nearly touch."""

    link_a: Ints
    link_b: Ints
    """Links, (n,); 0 for the floor and fixed objects."""
    points: Floats
    """Midway between the two surfaces, world axes, (n, 3) [m]."""
    normals: Floats
    """From a to b, (n, 3)."""
    distances: Floats
    """(n,) [m]; negative: depth."""
    friction: Floats
    """Coefficient of sliding friction, (n,)."""
    restitution: Floats
    """(n,)"""
    torsion: Floats
    """Torsional friction: moment against turning on the spot per normal force, (n,) [m]."""
    rolling: Floats
    """Rolling friction: moment against rolling per normal force, (n,) [m]."""
    geoms: Ints
    """The two shapes of each, (n, 2)."""

    def columns(self) -> dict[str, Floats | Ints]:
        """A row per contact."""
        found: dict[str, Floats | Ints] = {"link a": self.link_a, "link b": self.link_b}
        found |= {f"{axis} [m]": self.points[:, i] for i, axis in enumerate("xyz")}
        found |= {f"normal {axis}": self.normals[:, i] for i, axis in enumerate("xyz")}
        return found | {
            "distance [m]": self.distances,
            "friction": self.friction,
            "restitution": self.restitution,
        }

    def __len__(self) -> int:
        return len(self.link_a)

    @property
    def deepest(self) -> float:
        """Largest penetration of two bodies [m]."""
        return float(max(0.0, -self.distances.min())) if len(self) else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Nearest(Result):
    """The body nearest to a point."""

    link: int
    """0 for the floor and fixed objects."""
    name: str
    """The link's name, "floor", or that of the fixed object."""
    distance: float
    """Distance from the point, or the surface of the tip, to the body [m]; negative: depth."""
    point: Floats
    """The nearest point of the body's surface, world axes [m]."""
    normal: Floats
    """Normal out of the body there."""


@dataclass(frozen=True, slots=True, eq=False)
class RayHits(Result):
    """The first body that each of n rays hits."""

    distances: Floats
    """Distances from the origins [m], (n,); inf: no hit."""
    links: Ints
    """Links, (n,); 0 for the floor and fixed objects, -1: no hit."""
    names: tuple[str, ...]
    """The link's name, "floor", that of the fixed object, or ""."""
    points: Floats
    """Points of the hits, world axes [m], (n, 3); inf: no hit."""
    normals: Floats
    """Normals out of the body there, (n, 3); 0: no hit."""


class Collisions:
    """Finds the contacts of one system at any configuration.

    Objects and the floor touch everything except links that are mounted in them. Links of one robot
    touch each other if the file gives the shapes of both, or as its ``collisions`` states; links
    that a joint connects, and bodies that overlap at the start, do not. Different robots touch. A
    mesh counts by its convex parts, or its hull.
    """

    def __init__(self, model: AnyModel | System, *, step: float = 1e-3) -> None:
        """Prepare the bodies whose contacts are found.

        Args:
            model: A model or a mechanism, whose bodies then touch; or a system with contacts.
            step: Of the simulation that they are for [s].
        """
        system = model if isinstance(model, System) else System.of(model, contacts=True)
        if not system.contacts.enabled:
            raise UsageError(
                f"the bodies of mechanism '{system.model.name}' have no contacts: create its "
                "system with contacts=True or a floor"
            )
        self._step = step
        self._lock = Turn()
        self.system = system
        self.bodies = contact_bodies(system)
        """The shapes that touch."""
        our = system.model
        self.meets = meeting(our, self.bodies, objects=system.object_names)
        """Which of them touch each other, (shapes, shapes)."""
        self.geom_link: Ints = np.array(self.bodies.links, dtype=np.int32).reshape(-1)
        """Link of each body's shape, (shapes,)."""
        self.geom_names = list(self.bodies.names)
        """Link, fixed object, or "floor" of each body's shape."""
        self._X = np.zeros((our.link_count, 12))
        self._twists = np.zeros((our.link_count, 6))
        self._bind()
        pairs, remarks = self.standing(usual_start(our))
        for one, other in pairs:
            self.meets[one, other] = self.meets[other, one] = 0
        self._bind()
        self.mounted = (*remarks, *self.bodies.remarks)
        """What passes through what, in words."""
        self.reach = self._reaches()
        """How far each link's bodies reach from its origin [m], (link_count,)."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its system: what it finds depends on nothing else."""
        return partial(Collisions, step=self._step), (self.system,)

    @property
    def arrays(self) -> ShapeArrays:
        """The shapes and the pairs that can touch, in the form that the kernels use."""
        return self.bodies.arrays(self.meets, self.system.model.link_count)

    def standing(self, q: Floats) -> Standing:
        """Pairs of shapes that overlap at a start (nq,) and should not touch, and remarks."""
        found = self._find_at(q)
        return standing(self.system.model, self.system.object_names, self.bodies, found)

    @in_turn
    def find(self, q: Floats, *, margin: float = MARGIN) -> Contacts:
        """All contacts with a distance below a margin [m] at a closed configuration (nq,)."""
        self._place(q)
        return self.described(self._bound.find(margin))

    def described(self, found: FoundContacts) -> Contacts:
        """Contacts of shapes with their links and surfaces."""
        pairs, points, normals, distances = found
        link_a, link_b = np.ascontiguousarray(self.geom_link[pairs].reshape(-1, 2).T)
        one, other = self._surfaces[pairs[:, 0]], self._surfaces[pairs[:, 1]]
        said, unsaid = np.maximum(one, other).reshape(-1, 2, 4).transpose(1, 2, 0)
        numbers = np.ascontiguousarray(np.where(said < 0, unsaid, said))
        friction, restitution, torsion, rolling = numbers
        return Contacts(
            link_a, link_b, points, normals, distances, friction, restitution, torsion, rolling,
            pairs,
        )  # fmt: skip

    def lifted(self, q: Floats) -> Floats:
        """A start (nq,) in which no floating body is deep in the floor or in a fixed object."""
        return lifted(self.system.model, self.geom_link, self._find_at, q)

    def fastest(self, q: Floats, v: Floats) -> float:
        """An upper bound of the speed of all points of all bodies [m/s]."""
        twists = self._twists
        self.system.model.kernels.link_twists(q, v, twists)
        squares = twists * twists
        linear = np.sqrt(squares[:, :3].sum(axis=1))
        return float(np.max(linear + self.reach * np.sqrt(squares[:, 3:].sum(axis=1))))

    def speeds(self, q: Floats, v: Floats, found: Contacts) -> Floats:
        """How fast bodies move apart at contacts [m/s], (n,); negative: they come nearer."""
        self.system.model.kernels.link_twists(q, v, self._twists)
        self.system.model.kernels.forward_links(q, self._X)

        def of(links: Ints) -> Floats:
            arms = found.points - self._X[links, 9:]
            return np.asarray(self._twists[links, :3] + np.cross(self._twists[links, 3:], arms))

        apart = of(found.link_b) - of(found.link_a)
        return np.asarray(np.einsum("ij,ij->i", apart, found.normals))

    @in_turn
    def nearest(
        self, q: Floats | None, point: npt.ArrayLike, *, radius: float = 0.0
    ) -> Nearest | None:
        """The body nearest to a point, or the one that contains it; None if there are no bodies.

        Args:
            q: Closed configuration (nq,); None: that of the last call.
            point: World axes [m].
            radius: Of a ball around the point, such as a haptic tip [m].
        """
        if q is not None:
            self._place(q)
        x = np.ascontiguousarray(point, dtype=np.float64)
        distance, shape, normal = self._bound.nearest(x)
        if shape < 0:
            return None
        link, name = int(self.geom_link[shape]), self.geom_names[shape]
        return Nearest(link, name, distance - radius, x - distance * normal, normal)

    @in_turn
    def cast_rays(
        self,
        q: Floats | None,
        origins: npt.ArrayLike,
        directions: npt.ArrayLike,
        *,
        most: float = np.inf,
        skip: Collection[str] = (),
    ) -> RayHits:
        """What each ray hits first: links, objects or the floor.

        Args:
            q: Closed configuration (nq,); None: that of the last call.
            origins: World axes [m], (n, 3) or (3,) for all.
            directions: World axes, of any length but 0, (n, 3).
            most: Largest distance [m].
            skip: Names of links and objects that rays pass through, such as the link that carries a
                sensor.

        A ray that begins inside a body meets its surface from inside.
        """
        ways = np.ascontiguousarray(np.reshape(np.asarray(directions, np.float64), (-1, 3)))
        starts = np.asarray(origins, dtype=np.float64).reshape(-1, 3)
        starts = np.ascontiguousarray(np.broadcast_to(starts, ways.shape))
        if not np.isfinite(starts).all() or not (np.linalg.norm(ways, axis=1) > 0).all():
            raise UsageError("rays need finite origins and directions of a length greater than 0")
        known = {*self.system.model.link_names, *self.geom_names}
        for name in skip:
            if name not in known:
                raise unknown_name(
                    "link or object", name, f"'{self.system.model.name}'", sorted(known)
                )
        if q is not None:
            self._place(q)
        seen = np.array([name not in skip for name in self.geom_names], dtype=np.int32)
        distances, hit, normals = self._bound.cast_rays(starts, ways, float(most), seen)
        lengths = np.linalg.norm(ways, axis=1)[:, None]
        points = np.full(starts.shape, np.inf)
        met = hit >= 0
        points[met] = starts[met] + distances[met, None] * (ways / lengths)[met]
        links = np.where(met, self.geom_link[hit] if len(self.geom_link) else -1, -1)
        names = tuple(self.geom_names[i] if i >= 0 else "" for i in hit.tolist())
        return RayHits(distances, links.astype(np.int32), names, points, normals)

    def _bind(self) -> None:
        arrays = self.arrays
        self._bound = shapes(arrays)
        said = arrays.surfaces[:, 4:] > 0
        numbers = arrays.surfaces[:, :4]
        self._surfaces = np.stack(
            [np.where(said, numbers, -1.0), np.where(said, -1.0, numbers)], axis=1
        )

    def _place(self, q: Floats) -> None:
        self.system.model.kernels.forward_links(np.ascontiguousarray(q, np.float64), self._X)
        self._bound.place(self._X)

    @in_turn
    def _find_at(self, q: Floats) -> FoundContacts:
        self._place(q)
        return self._bound.find(0.0)

    def _reaches(self) -> Floats:
        """How far each link's bodies reach from its origin [m]."""
        reach = np.zeros(self.system.model.link_count)
        ints, reals = self.arrays.ints, self.arrays.reals
        for i, (link, size) in enumerate(zip(self.geom_link, reals[:, 12:], strict=True)):
            if link == 0:
                continue
            hull = self.bodies.hulls.get(i)
            own = np.linalg.norm(hull.corners, axis=1).max() if hull else np.linalg.norm(size)
            if ints[i, 0] == ShapeKind.CAPSULE:
                own = size[0] + size[1]
            reach[link] = max(reach[link], own + float(np.linalg.norm(reals[i, 9:12])))
        return reach
