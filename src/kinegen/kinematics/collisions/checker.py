"""Collision checks: which bodies of a mechanism touch or are near, at any configuration."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import AssemblyError, UsageError, thread_count, unknown_name
from kinegen.kernels import BoundClearance, Floats, Ints, clearance
from kinegen.kinematics.collisions.bodies import ContactShapes
from kinegen.kinematics.collisions.pairs import crowded_links, meeting, tied_links
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.scene import object_poses
from kinegen.kinematics.solving.assembling.assembly import assemble
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.skeleton import read_skeleton
from kinegen.results import Columns, Result
from kinegen.spatial.pose import SE3

__all__ = [
    "CLEARANCE",
    "Avoid",
    "BodyPair",
    "Clearances",
    "CollisionChecker",
    "collisions",
    "depth_text",
]

SURFACE = np.zeros(5)
"""Distances do not depend on friction."""
TOUCH = 1e-6
"""Depth, in sizes of the mechanism, up to which bodies only rest on each other."""

CLEARANCE = 1e-3
"""Distance that drags keep between bodies, in sizes of the mechanism."""


class BodyPair(NamedTuple):
    """Two bodies that meet: links, objects, or "floor"."""

    a: str
    b: str


@dataclass(frozen=True, slots=True, eq=False)
class Clearances(Result):
    """The n pairs of bodies that are closer to each other than a margin, pose by pose."""

    poses: Ints
    """Index of the configuration, (n,); 0 for a single one."""
    a: tuple[str, ...]
    b: tuple[str, ...]
    """Link, object, or "floor"."""
    distances: Floats
    """(n,) [m]; negative: how far they would have to move apart."""
    normals: Floats
    """Unit vectors from a to b, world axes, (n, 3)."""
    points_a: Floats
    points_b: Floats
    """Nearest points of both bodies, world axes, (n, 3) [m]; where they overlap, the deepest."""
    gradients: Floats | None
    """Change of each distance with the nv velocities, (n, nv) [m/rad, 1]; None: not requested."""
    pose_count: int
    """How many configurations were checked."""
    margin: float
    """[m]"""
    tolerance: float
    """Depth up to which bodies only rest on each other [m]."""
    remarks: tuple[str, ...] = field(default=())
    """What is not checked, in words."""

    def __len__(self) -> int:
        return len(self.a)

    @property
    def touching(self) -> npt.NDArray[np.bool_]:
        """Whether each pair overlaps, (n,)."""
        return np.asarray(self.distances < -self.tolerance)

    @property
    def colliding(self) -> npt.NDArray[np.bool_]:
        """In which configurations bodies overlap, (pose_count,)."""
        found = np.zeros(self.pose_count, dtype=bool)
        found[self.poses[self.touching]] = True
        return found

    @property
    def least(self) -> Floats:
        """The least distance in each configuration, (pose_count,) [m]; inf: beyond the margin."""
        found = np.full(self.pose_count, np.inf)
        np.minimum.at(found, self.poses, self.distances)
        return found

    def columns(self) -> Columns:
        """A row per pair."""
        found: dict[str, Any] = {"pose": self.poses, "a": self.a, "b": self.b}
        found["distance [m]"] = self.distances
        for name, points in (("a", self.points_a), ("b", self.points_b)):
            found |= {f"{axis} of {name} [m]": points[:, k] for k, axis in enumerate("xyz")}
        return found


def depth_text(distance: float) -> str:
    """A distance in words: ``3.0 mm deep`` or ``12 mm apart``."""
    size = f"{abs(distance) * 1e3:.3g} mm"
    return f"{size} deep" if distance < 0 else f"{size} apart"


class CollisionChecker:
    """Measures the distances between the bodies of a mechanism, in compiled code.

    Links, the objects of the scene where they are at the start, and a floor if one is given. A
    link's body is its ``collision``, otherwise its ``shape``, otherwise the one drawn
    automatically. Some pairs are not checked, because they overlap by construction: links that a
    joint connects, bodies that overlap at the file's start (see ``remarks``), the pairs under the
    file's ``collisions: {except: …}``, and automatic shapes that are only for display: the bars of
    a planar mechanism against each other, and links whose joints are side by side on a third link.
    ``collisions: {self: …}`` decides for all links of a robot.
    """

    def __init__(
        self,
        model: AnyModel,
        *,
        floor: float | None = None,
        objects: bool = True,
        places: Mapping[str, SE3] | None = None,
        without: Collection[str] = (),
    ) -> None:
        """Prepare the bodies.

        Args:
            model: A model or a mechanism, with its current numbers.
            floor: Height of a floor perpendicular to gravity [m]; None: that of the file's
                ``world``, if it has one.
            objects: Whether the objects of the scene are included.
            places: Where objects are, X_WO by name; others as at the start.
            without: Objects that are no obstacles, such as one that is carried.
        """
        self.model = model = model_of(model)
        self._made_of = floor, objects, places, without
        home = _home(model)
        self.bodies = ContactShapes()
        """The shapes of all bodies."""
        self.bodies.add_links(model, lambda _: SURFACE)
        if objects:
            self._add_objects(home, places or {}, without)
        height = _file_floor(model) if floor is None else floor
        if height is not None:
            self._add_floor(height)
        names = self.bodies.names
        self.body_names = tuple(dict.fromkeys(names))
        """Links, objects and floor that have a shape."""
        number = {name: i for i, name in enumerate(self.body_names)}
        self.body: Ints = np.array([number[name] for name in names], np.int32).reshape(-1)
        """Body of each shape."""
        drawn = read_skeleton(model, {}).plane is None
        self.meets = meeting(model, self.bodies, drawn=drawn)
        """Which shapes may touch each other, (shapes, shapes)."""
        links = np.array(self.bodies.links, dtype=int)
        self.meets[crowded_links(model, home)[np.ix_(links, links)]] = 0
        self.tolerance = TOUCH * model.size
        self._bind()
        self.remarks = (*self.bodies.remarks, *self._leave_out(home))
        """What is not checked, in words."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it was made of."""
        floor, objects, places, without = self._made_of
        make = partial(
            CollisionChecker, floor=floor, objects=objects, places=places, without=tuple(without)
        )
        return make, (self.model,)

    def _bind(self) -> None:
        arrays = self.bodies.arrays(self.meets, self.model.link_count)
        self.bound: BoundClearance = clearance(self.model.ints, self.model.reals, self.body, arrays)
        """The kernels' own."""

    def pair_names(self, number: int) -> BodyPair:
        """The names of the bodies of two shapes, given by their numbers in the kernels."""
        one, other = np.argwhere(np.triu(self.meets, 1))[number].tolist()
        return BodyPair(self.bodies.names[one], self.bodies.names[other])

    def _add_objects(
        self, home: Floats, places: Mapping[str, SE3], without: Collection[str]
    ) -> None:
        mechanism = self.model.compiled_from
        rows = {row["name"]: row for row in mechanism.scene.get("objects", ())}
        for name in (*places, *without):
            if name not in rows:
                raise unknown_name("object", name, "the scene", rows)
        for name, X_WO in object_poses(mechanism, self.model, home).items():
            if name in without:
                continue
            at = places.get(name, X_WO)
            self.bodies.add_object(self.model, name, rows[name]["shape"], at, SURFACE)

    def _add_floor(self, height: float) -> None:
        if not np.isfinite(height):
            raise UsageError(f"the floor must be a finite height [m], got {height!r}")
        pull = float(np.linalg.norm(self.model.gravity))
        up = -self.model.gravity / pull if pull > 0 else np.array([0.0, 0.0, 1.0])
        self.bodies.add_floor(float(height), up, SURFACE)

    def _leave_out(self, home: Floats) -> list[str]:
        """Exclude the pairs that overlap at the start, except what floats."""
        links, names = np.array(self.bodies.links, int), np.array(self.bodies.names, object)
        floats = ~tied_links(self.model)
        found = self.bound.measure(home[None], -self.tolerance, False, 1)
        overlapping: list[str] = []
        for one, other in found[1].tolist():
            a, b = names[one], names[other]
            ground = 0 in (links[one], links[other])
            if ground and floats[max(links[one], links[other])]:
                continue
            alike = np.outer(names == a, names == b)
            self.meets[alike | alike.T] = 0
            overlapping.append(f"{a} and {b} overlap at the start, so they are not checked")
        if overlapping:
            self._bind()
        return overlapping

    def measure(
        self,
        q: Configuration = None,
        *,
        margin: float = 0.0,
        gradients: bool = False,
        threads: int = 0,
    ) -> Clearances:
        """Pairs of bodies nearer than a margin, one row each; see :func:`collisions`."""
        if not (np.isfinite(margin) and margin >= 0):
            raise UsageError(f"margin must be 0 or more [m], got {margin!r}")
        qs = _rows(self.model, q)
        at, pairs, numbers, slopes = self.bound.measure(
            qs, float(margin), gradients, thread_count(threads)
        )
        names = self.bodies.names
        return Clearances(
            at,
            tuple(names[i] for i in pairs[:, 0].tolist()),
            tuple(names[j] for j in pairs[:, 1].tolist()),
            numbers[:, 0], numbers[:, 1:4], numbers[:, 4:7], numbers[:, 7:],
            slopes if gradients else None, len(qs), float(margin), self.tolerance, self.remarks,
        )  # fmt: skip


Avoid: TypeAlias = bool | CollisionChecker
"""Whether collisions are avoided: with links and objects, or with what a checker knows."""


def avoided(model: Model, avoid: Avoid, clearance: float | None) -> tuple[CollisionChecker, float]:
    """The checker that was asked for, and the distance to keep [m], checked."""
    checker = avoid if isinstance(avoid, CollisionChecker) else checker_of(model)
    if checker.model is not model:
        raise UsageError("the collision checker was made for another model")
    keep = CLEARANCE * model.size if clearance is None else float(clearance)
    if not (np.isfinite(keep) and keep >= 0):
        raise UsageError(f"clearance must be 0 or more [m], got {clearance!r}")
    return checker, keep


def collisions(
    model: AnyModel,
    q: Configuration = None,
    *,
    margin: float = 0.0,
    floor: float | None = None,
    objects: bool = True,
    gradients: bool = False,
    threads: int = 0,
) -> Clearances:
    """The bodies that overlap in a configuration, or are closer to each other than a margin [m].

    Args:
        model: The compiled mechanism; bodies are prepared once for its current numbers.
        q: One configuration, or many as (n, nq).
        margin: Distances up to this are listed [m]; 0: bodies that overlap.
        floor: Height of a floor perpendicular to gravity [m]; None: that of the file's ``world``,
            if it has one.
        objects: Whether the objects of the scene count.
        gradients: Whether the change of each distance with the joints is returned.
        threads: For many configurations; 0 for all cores.

    See :class:`CollisionChecker` for what is checked.
    """
    checker = checker_of(model_of(model), floor=floor, objects=objects)
    return checker.measure(q, margin=margin, gradients=gradients, threads=threads)


_MADE: weakref.WeakKeyDictionary[Model, tuple[tuple[Any, ...], CollisionChecker]]
_MADE = weakref.WeakKeyDictionary()


def checker_of(
    model: Model, *, floor: float | None = None, objects: bool = True
) -> CollisionChecker:
    """A checker for a model with its current numbers: the one of the last call if it fits."""
    key = (floor, objects, model.reals.tobytes())
    made = _MADE.get(model)
    if made is None or made[0] != key:
        made = key, CollisionChecker(model, floor=floor, objects=objects)
        _MADE[model] = made
    return made[1]


def _file_floor(model: Model) -> float | None:
    """The height of the floor that the file declares [m]."""
    given = model.compiled_from.world.get("floor")
    return None if given is None else float(given.evaluate(dict(model.parameters)))


def _home(model: Model) -> Floats:
    """The file's start with its loops closed, where they can be, (nq,)."""
    if not model.constraint_count:
        return model.start()
    try:
        return assemble(model).q
    except AssemblyError:
        return model.start()


def _rows(model: Model, q: Configuration) -> Floats:
    """One configuration, or many, as (n, nq)."""
    if q is None or isinstance(q, Mapping) or np.ndim(q) < 2:
        return np.ascontiguousarray(configuration(model, q))[None]
    rows = np.ascontiguousarray(q, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != model.nq:
        raise UsageError(
            f"q of mechanism '{model.name}' must be ({model.nq},) or (n, {model.nq}), got "
            f"{rows.shape}"
        )
    if not np.isfinite(rows).all():
        raise UsageError("q contains numbers that are not finite")
    return rows
