"""Painter: solids fixed on links, from their place in the world at the start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.layout import TRANSFORM_SIZE
from kinegen.mechanism.couplings.gear_axes import AxisError
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelCoupling
from kinegen.mechanism.shapes.data import (
    Matrix3,
    Primitive,
    Role,
    Vector3,
)

__all__ = ["Gear", "Painter"]


@dataclass(slots=True)
class Gear:
    """A gear that is drawn already."""

    centre: Floats
    axis: Floats
    radius: float
    teeth: float
    phase: float
    """Angle of a tooth's middle about the axis, from the painter's first direction across it."""
    inside: bool = False


@dataclass(slots=True)
class Painter:
    """The parts that are drawn so far, and where things are at the start."""

    model: Model
    parts: list[list[Primitive]] = field(init=False)
    poses: Floats = field(init=False)
    mechanism: Mechanism = field(init=False)
    gears: dict[str, list[Gear]] = field(default_factory=dict)
    """By link."""

    def __post_init__(self) -> None:
        self.parts = [[] for _ in self.model.link_names]
        if self.model.couplings:
            self.mechanism = self.model.compiled_from
            self.poses = np.empty((self.model.link_count, TRANSFORM_SIZE))
            self.model.kernels.forward_links(self.model.start(), self.poses)

    def values(self) -> dict[str, float]:
        """The values of all parameters [SI]."""
        return dict(self.model.parameters)

    def put(
        self, link: int, shape: type[Primitive], R_W: Floats, p_W: Floats, **keys: object
    ) -> None:
        """Fix a solid on a link, from its place in the world at the start."""
        R, p = self.poses[link, :9].reshape(3, 3), self.poses[link, 9:]
        local, place = R.T @ R_W, R.T @ (p_W - p)
        rotation: Matrix3 = tuple(tuple(float(x) for x in row) for row in local)  # type: ignore[assignment]
        translation: Vector3 = tuple(float(x) for x in place)  # type: ignore[assignment]
        role = Role.GROUND if link == 0 else Role.BAR
        made = shape(rotation=rotation, translation=translation, role=role, branch=link, **keys)  # type: ignore[arg-type]
        self.parts[link].append(made)

    def link(self, name: str) -> int:
        """The index of a link."""
        return self.model.link_names.index(name)

    def axis_of(self, name: str) -> tuple[int, Floats, Floats]:
        """The link that a variable moves, and the place and axis of its joint at the start."""
        joints = self.model.joints
        index = next(
            (
                i
                for i, joint in enumerate(joints)
                if name in (joint.name, *_names(joint.name, name))
            ),
            None,
        )
        if index is None or joints[index].is_cut:
            raise AxisError(name)
        joint = joints[index]
        R, p = self.poses[joint.parent, :9].reshape(3, 3), self.poses[joint.parent, 9:]
        placed = self.model.transforms[joint.placement]
        return int(joint.child), p + R @ placed[9:], (R @ placed[:9].reshape(3, 3))[:, 2]

    def height(self, coupling: ModelCoupling, x: float) -> float:
        """The profile of a cam, by the kernels: what its equation lacks with the follower at 0."""
        q = self.model.start()
        for index, value in zip(coupling.joints, (0.0, x), strict=True):
            q[self.model.joints[index].q] = value
        phi = np.empty(6 * self.model.constraint_count)
        self.model.kernels.loop_residual(q, phi)
        return -float(phi[coupling.row])


def _names(joint: str, name: str) -> Iterator[str]:
    if name.startswith(joint + "."):
        yield name
