"""Contacts: where the bodies of a system touch or are about to, for any engine.

MuJoCo's collision pipeline finds them at poses of ours. The same bodies answer what is at or near a
point, and how deep a tip is in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.contact.mounts import lifted
from kinegen.dynamics.contact.signed_distances import PLANE, signed_distance
from kinegen.dynamics.engines.mujoco.mjcf import import_mujoco, mujoco_model
from kinegen.dynamics.simulation.system import System
from kinegen.errors import UsageError
from kinegen.kernels import Floats, Ints
from kinegen.mechanism.any_model import AnyModel
from kinegen.results import Result

__all__ = ["Collisions", "Contacts", "Nearest"]

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
    """From the point, or the tip's surface, to the body's [m]; negative: depth."""
    point: Floats
    """The nearest point of the body's surface, world axes [m]."""
    normal: Floats
    """Out of the body there."""


_NONE = Contacts(
    np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros((0, 3)), np.zeros((0, 3)),
    np.zeros(0), np.zeros(0), np.zeros(0), np.zeros((0, 2), np.int32),
)  # fmt: skip


class Collisions:
    """Finds the contacts of one system at any configuration.

    Links of the same mechanism pass through each other; objects and the floor touch everything
    except links that are mounted in them. Shapes are boxes, cylinders, capsules and spheres as
    drawn; a plate counts as its bounding box, and meshes are ignored.
    """

    def __init__(self, model: AnyModel | System, *, step: float = 1e-3) -> None:
        """Prepare to look for contacts.

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
        self._mj = import_mujoco("contact between bodies")
        self._step = step
        self.system = system
        self._twin = mujoco_model(system, step, "euler", False)
        twin = self._twin.model
        self._data = self._mj.MjData(twin)
        self.geom_link: Ints = self._twin.geom_link
        """Link of each body's shape, (geoms,)."""
        self.mounted = self._twin.mounted
        """Which links pass through what they stand in at the start, in words."""
        self._surfaces = _surfaces(twin)
        self._pairs: tuple[bytes, Any] = b"", None
        self._kinds = twin.geom_type.tolist()
        self._sizes = twin.geom_size.tolist()
        self._round = np.where(twin.geom_type == PLANE, np.inf, twin.geom_rbound)
        reach = np.linalg.norm(twin.geom_pos, axis=1) + twin.geom_rbound
        self._reach = np.zeros(system.model.link_count)
        np.maximum.at(self._reach, self.geom_link, reach)
        self._twists = np.zeros((system.model.link_count, 6))
        self.geom_names = [self._name(g) for g in range(twin.ngeom)]
        """Link, fixed object, or "floor" of each body's shape."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its system: what it finds depends on nothing else."""
        return partial(Collisions, step=self._step), (self.system,)

    def find(self, q: Floats, *, margin: float = MARGIN) -> Contacts:
        """All contacts with a distance below a margin [m] at a closed configuration (nq,)."""
        mj, model, data = self._mj, self._twin.model, self._data
        self._place(q)
        # margins of both bodies count, the larger of the two
        if model.ngeom and model.geom_margin[0] != margin:
            model.geom_margin[:] = margin
            model.body_margin[:] = margin
        mj.mj_collision(model, data)
        if not data.ncon:
            return _NONE
        found = data.contact
        pairs = found.geom
        key = pairs.tobytes()
        if key != self._pairs[0]:
            self._pairs = key, self._of_pairs(pairs)
        link_a, link_b, friction, restitution, geoms = self._pairs[1]
        points, normals = np.ascontiguousarray(found.pos), found.frame[:, :3].copy()
        distances = np.ascontiguousarray(found.dist)
        return Contacts(link_a, link_b, points, normals, distances, friction, restitution, geoms)

    def _of_pairs(self, pairs: Ints) -> tuple[Ints, Ints, Floats, Floats, Ints]:
        """Links, friction, restitution and shapes of contacts, which last for many steps."""
        geoms = pairs.astype(np.int32)
        link_a, link_b = np.ascontiguousarray(self.geom_link[geoms].T)
        one, other = self._surfaces[geoms[:, 0]], self._surfaces[geoms[:, 1]]
        said, unsaid = np.maximum(one, other).transpose(1, 2, 0)
        friction, restitution = np.ascontiguousarray(np.where(said < 0, unsaid, said))
        return link_a, link_b, friction, restitution, geoms

    def lifted(self, q: Floats) -> Floats:
        """A start (nq,) in which no floating body is deep in the floor or in a fixed object."""
        return lifted(self._mj, self._twin, self._data, self.system, q)

    def fastest(self, q: Floats, v: Floats) -> float:
        """An upper bound of the speed of all points of all bodies [m/s]."""
        twists = self._twists
        self.system.model.kernels.link_twists(q, v, twists)
        squares = twists * twists
        linear = np.sqrt(squares[:, :3].sum(axis=1))
        return float(np.max(linear + self._reach * np.sqrt(squares[:, 3:].sum(axis=1))))

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
        if not len(self.geom_link):
            return None
        data = self._data
        x = np.asarray(point, dtype=np.float64)
        away = x - data.geom_xpos
        # balls around the bodies say which can be nearest
        least = np.sqrt(np.einsum("ni,ni->n", away, away)) - self._round
        best, distance, normal = 0, np.inf, np.zeros(3)
        for g in np.argsort(least).tolist():
            if least[g] > distance:
                break
            R = data.geom_xmat[g].reshape(3, 3)
            found, out = signed_distance(self._kinds[g], self._sizes[g], (away[g] @ R).tolist())
            if found < distance:
                best, distance, normal = g, found, R @ out
        return Nearest(
            int(self.geom_link[best]),
            self.geom_names[best],
            distance - radius,
            x - distance * normal,
            normal,
        )

    def _place(self, q: Floats) -> None:
        self._twin.place(self._mj, self._data, q)

    def _name(self, geom: int) -> str:
        link = int(self.geom_link[geom])
        if link:
            return self.system.model.link_names[link]
        name: Any = self._twin.model.geom(geom).name
        return str(name).rpartition(":")[0] or str(name) or self.system.model.link_names[0]


def _surfaces(model: Any) -> Floats:
    """Friction and restitution of each geom, (geoms, 2, 2): as the file says, or as it does not.

    The one that does not hold is -1. Of a pair what is said counts, the larger of two.
    """
    numbers = np.zeros((model.ngeom, 2))
    numbers[:, 0] = model.geom_friction[:, 0]
    if model.ngeom:
        numbers[:, 1] = model.geom_user[:, 0]
    said = model.geom_priority[:, None] > 0
    return np.stack([np.where(said, numbers, -1.0), np.where(said, -1.0, numbers)], axis=1)
