"""System: what an engine moves, a mechanism with its springs, free objects and surfaces."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.contact.objects import with_objects
from kinegen.dynamics.simulation.springs import Springs, springs_of
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model

__all__ = ["ContactSettings", "System", "is_number"]

FRICTION = 0.6
"""Coefficient of sliding friction where a file gives none: dry metal on plastic, roughly."""


@dataclass(frozen=True, slots=True, eq=False)
class ContactSettings:
    """What bodies do when they touch."""

    enabled: bool
    """Whether bodies touch at all."""
    floor: float | None
    """Height of the floor above the world's origin, along `up` [m]; None: no floor."""
    up: Floats
    """Unit vector (3,) perpendicular to the floor: against gravity; where none acts, against the
    file's; z where the file has none either."""
    friction: Floats
    """Coefficient of sliding friction per link, (link_count,); that of link 0 is the floor's."""
    restitution: Floats
    """0 inelastic, 1 elastic, per link, (link_count,)."""
    torsion: Floats
    """Torsional friction per link: moment against turning per normal force [m], (link_count,)."""
    rolling: Floats
    """Rolling friction per link: moment against rolling per normal force [m], (link_count,)."""
    given: npt.NDArray[np.bool_]
    """Whether the file says either, per link: what it says counts over what it does not."""


@dataclass(slots=True, eq=False)
class System:
    """A model with everything that acts within it; engines read it and never change it."""

    model: Model
    """The system's own, with every free object of the scene as a link on a free joint."""
    springs: Springs
    contacts: ContactSettings
    start_v: Floats
    """Velocity at the start, (nv,): that of thrown objects."""
    object_names: tuple[str, ...] = ()
    """Links that are free objects of the scene."""
    fixed_objects: tuple[Mapping[str, Any], ...] = ()
    """Objects that never move: shapes to touch, (name, shape, pose in the world)."""
    tree: npt.NDArray[np.bool_] = field(init=False)
    """Which v belong to the tree, (nv,) of bool; the others are cut joints' variables."""

    def __post_init__(self) -> None:
        self.tree = np.ones(self.model.nv, dtype=bool)
        for joint in self.model.joints:
            self.tree[joint.v] = not joint.is_cut

    @classmethod
    def of(
        cls,
        model: AnyModel | System,
        *,
        objects: bool = False,
        contacts: bool | None = None,
        floor: float | None = None,
        gravity: tuple[float, float, float] | None = None,
    ) -> System:
        """The system of a mechanism or model, with its current numbers.

        Args:
            model: A model, which is copied, or a mechanism; a system is returned unchanged.
            objects: Whether the objects of the scene are included.
            contacts: Whether bodies can touch each other; None: if there are objects or a floor.
            floor: Height of a floor perpendicular to gravity, measured against gravity from the
                world's origin [m], if any.
            gravity: Acceleration of gravity [m/s²], instead of the file's.
        """
        if isinstance(model, System):
            if objects or contacts is not None or floor is not None or gravity is not None:
                raise UsageError(
                    "a System already has its gravity, objects and floor: pass them to System.of"
                )
            return model
        if floor is not None and not is_number(floor):
            raise UsageError(f"the floor must be a finite height [m], got {floor!r}")
        # what a run changes (gravity, rotors with backlash) is the system's alone
        own = copy.deepcopy(model) if isinstance(model, Model) else model_of(model)
        fixed: tuple[Mapping[str, Any], ...] = ()
        thrown: Mapping[str, Floats] = {}
        if objects and own.compiled_from.scene.get("objects"):
            whole = with_objects(own)
            own, fixed, thrown = whole.model, whole.fixed, whole.velocities
        pulls = [own.gravity.copy()]
        if gravity is not None:
            for axis, value in zip("xyz", _gravity(gravity), strict=True):
                own.set_number(own.link_names[0], f"gravity.{axis}", value)
            pulls.insert(0, own.gravity)
        there = bool(fixed or thrown) or floor is not None
        start_v = np.zeros(own.nv)
        for name, twist in thrown.items():
            start_v[own.joint(name).v] = twist
        return cls(
            own,
            springs_of(own),
            _contact_settings(own, there if contacts is None else contacts, floor, pulls),
            start_v,
            tuple(thrown),
            fixed,
        )

    def spring_energy(self, q: Floats) -> float:
        """Energy in the springs between points at q [J]."""
        transforms = np.empty((self.model.link_count, 12))
        self.model.kernels.forward_links(q, transforms)
        return self.springs.potential(transforms)

    def refresh(self) -> None:
        """Read the springs again after parameters of the model changed."""
        self.springs = springs_of(self.model)


def is_number(value: object) -> bool:
    """Whether a value is one finite number; True and False are not."""
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)


def _gravity(given: Any) -> list[float]:
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise UsageError(f"gravity must be three finite numbers [m/s²], got {given!r}")
    return [float(x) for x in numbers]


def _contact_settings(
    model: Model,
    enabled: bool,
    floor: float | None,
    pulls: Sequence[Floats],
) -> ContactSettings:
    """Surfaces of all links and objects as the file says, the others as usual.

    Args:
        model: With every free object as a link.
        enabled: Whether bodies touch.
        floor: Height of the floor, if any [m].
        pulls: Accelerations of gravity; the floor is perpendicular to the first that is not 0.
    """
    friction = np.full(model.link_count, FRICTION)
    restitution, torsion, rolling = (np.zeros(model.link_count) for _ in range(3))
    given = np.zeros(model.link_count, dtype=bool)
    values = dict(model.parameters)
    mechanism = model.compiled_from
    keys = {
        "friction": friction,
        "restitution": restitution,
        "torsional_friction": torsion,
        "rolling_friction": rolling,
    }
    rows: dict[str, Mapping[str, Any] | None] = {model.link_names[0]: mechanism.base.surface}
    rows |= {name: joint.link.surface for name, joint in mechanism.joints.items()}
    rows |= {row["name"]: row for row in mechanism.scene.get("objects", ())}
    for link, name in enumerate(model.link_names):
        row = rows.get(name) or {}
        for key, numbers in keys.items():
            if key in row:
                numbers[link] = row[key].evaluate(values)
                given[link] = True
    down = next((g / size for g in pulls if (size := np.linalg.norm(g)) > 0), None)
    up = np.array([0.0, 0.0, 1.0]) if down is None else -down
    return ContactSettings(enabled, floor, up, friction, restitution, torsion, rolling, given)
