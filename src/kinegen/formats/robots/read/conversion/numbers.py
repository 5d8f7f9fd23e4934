"""The numbers of a robot as formulas: places, centres and inertias in the frames of its links.

Robots have tens of thousands of them, so the compiled form is used where it is installed;
:class:`PlainNumbers` says what it does.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Protocol, TypeAlias

from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    compose,
    is_identity,
    rotate_inertia,
    to_rpy,
)
from kinegen.kernels import backend
from kinegen.raff.formulas.formula import Formula

__all__ = ["PlainNumbers", "RobotNumbers", "robot_numbers"]

_Three: TypeAlias = tuple[Formula, Formula, Formula]
_Six: TypeAlias = tuple[Formula, Formula, Formula, Formula, Formula, Formula]
_ZERO = Formula.constant(0.0)


class RobotNumbers(Protocol):
    """What makes formulas of a robot's numbers."""

    def constant(self, value: float) -> Formula:
        """A number as a formula; zeros share one."""
        ...

    def constants(self, values: Iterable[float]) -> tuple[Formula, ...]:
        """Numbers as formulas."""
        ...

    def placed(self, *transforms: Transform) -> _Six:
        """The product of transforms as x, y, z, roll, pitch, yaw."""
        ...

    def body(
        self, X: Transform, X_LC: Transform, inertia: tuple[float, ...]
    ) -> tuple[_Three, _Six]:
        """Centre and inertia (xx yy zz xy xz yz) of a body, given about X_LC, in the frame of X."""
        ...

    def shape(
        self, X: Transform, X_LS: Transform
    ) -> tuple[list[Formula] | None, list[Formula] | None]:
        """Position and angles of a shape in the frame of X; None where they are 0."""
        ...

    def is_body(self, inertia: tuple[float, ...]) -> bool:
        """Whether an inertia (xx yy zz xy xz yz) is surely that of a body."""
        ...


class PlainNumbers:
    """The formulas in Python: the specification of the compiled form."""

    def constant(self, value: float) -> Formula:
        """A number as a formula."""
        return Formula.constant(value) if value else _ZERO

    def constants(self, values: Iterable[float]) -> tuple[Formula, ...]:
        """Numbers as formulas."""
        return tuple(map(self.constant, values))

    def placed(self, *transforms: Transform) -> _Six:
        """A product of transforms."""
        xyz, rpy = to_rpy(functools.reduce(compose, transforms, IDENTITY))
        return self.constants((*xyz, *rpy))  # type: ignore[return-value]

    def body(
        self, X: Transform, X_LC: Transform, inertia: tuple[float, ...]
    ) -> tuple[_Three, _Six]:
        """Centre and inertia of a body."""
        X_C = compose(X, X_LC)
        turned = rotate_inertia(X_C, inertia)
        return self.constants(X_C[9:]), self.constants(turned)  # type: ignore[return-value]

    def shape(
        self, X: Transform, X_LS: Transform
    ) -> tuple[list[Formula] | None, list[Formula] | None]:
        """Position and angles of a shape."""
        place = compose(X, X_LS)
        if is_identity(place):
            return None, None
        xyz, rpy = (list(self.constants(part)) if any(part) else None for part in to_rpy(place))
        return xyz, rpy

    def is_body(self, inertia: tuple[float, ...]) -> bool:
        """Whether half the trace minus the inertia is positive definite.

        That is what the triangle inequality of principal moments means.
        """
        xx, yy, zz, xy, xz, yz = inertia
        half = (xx + yy + zz) / 2
        a, b, c = half - xx, half - yy, half - zz
        det = a * (b * c - yz * yz) - xy * (xy * c + yz * xz) - xz * (xy * yz + b * xz)
        return a > 0 and a * b - xy * xy > 0 and det > 0


@functools.cache
def robot_numbers() -> RobotNumbers:
    """The compiled form, or the one in Python."""
    made: RobotNumbers | None = backend.robot_numbers(_ZERO, IDENTITY)
    return PlainNumbers() if made is None else made
