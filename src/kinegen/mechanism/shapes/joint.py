"""Bodies of joints: one look per joint type, half on the parent link, half on the child."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinegen.joint_types import JointType
from kinegen.mechanism.shapes import proportions as proportion
from kinegen.mechanism.shapes.data import Box, Cylinder, Matrix3, Primitive, Role, Sphere

__all__ = ["JointLook", "joint_bodies"]

ALONG_X: Matrix3 = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))
"""R whose z is the frame's x."""


@dataclass(slots=True)
class JointLook:
    """Numbers a joint's body is made from."""

    radius: float
    """Of the bars it connects [m]."""
    has_motor: bool
    travel: float = 0.0
    """Displacement along z that a rod or rail must bridge [m]."""
    has_rail: bool = False
    """Whether a slider runs on a rail (on the ground) rather than out of a sleeve."""
    parent: dict[str, Any] = field(default_factory=dict)
    """Branch and tone of the parent link."""
    child: dict[str, Any] = field(default_factory=dict)
    """Branch and tone of the child link."""


Bodies = tuple[list[Primitive], list[Primitive]]


def joint_bodies(kind: JointType, look: JointLook) -> Bodies:
    """Primitives of a joint: on the parent in frame F, on the child in frame M."""
    builder = _BUILDERS.get(kind)
    return builder(look) if builder else ([], [])


def housing_radius(look: JointLook) -> float:
    """Outer radius of a revolute joint's housing [m]."""
    return (
        proportion.MOTOR_HOUSING_RADIUS if look.has_motor else proportion.HOUSING_RADIUS
    ) * look.radius


def housing_length(look: JointLook) -> float:
    """Length of a revolute joint's housing along its axis [m]."""
    return (
        proportion.MOTOR_HOUSING_LENGTH if look.has_motor else proportion.HOUSING_LENGTH
    ) * look.radius


def _motor_ring(look: JointLook, radius: float) -> Primitive:
    """The coloured band that says: here is a motor."""
    return Cylinder(
        radius=proportion.RING_RADIUS * radius,
        length=proportion.RING_LENGTH * look.radius,
        role=Role.MOTOR,
        **look.parent,
    )


def _revolute(look: JointLook) -> Bodies:
    r, outer, length = look.radius, housing_radius(look), housing_length(look)
    parent: list[Primitive] = [
        Cylinder(radius=outer, length=length, role=Role.JOINT, **look.parent)
    ]
    if look.has_motor:
        parent.append(_motor_ring(look, outer))
    cap = Cylinder(
        radius=proportion.CAP_RADIUS * outer,
        length=length + proportion.CAP_EXCESS * r,
        role=Role.BAR,
        **look.child,
    )
    return parent, [cap]


def _prismatic(look: JointLook) -> Bodies:
    r, travel = look.radius, look.travel
    sign = -1.0 if travel < 0 else 1.0
    reach = abs(travel)
    if look.has_rail:
        # A rail on the ground from a little before zero to a little beyond the travel.
        length = reach + proportion.OVERRUN * r
        rail = Box(
            size=(proportion.RAIL_WIDTH * r, proportion.RAIL_WIDTH * r, length),
            translation=(0.0, 0.0, sign * reach / 2),
            role=Role.GROUND,
            **look.parent,
        )
        stops: list[Primitive] = [
            Box(
                size=(
                    proportion.STOP_WIDTH * r,
                    proportion.STOP_WIDTH * r,
                    proportion.STOP_LENGTH * r,
                ),
                translation=(0.0, 0.0, sign * reach / 2 + side * length / 2),
                role=Role.MOTOR if look.has_motor and side < 0 else Role.GROUND,
                **look.parent,
            )
            for side in (-1.0, 1.0)
        ]
        carriage = Box(
            size=(
                proportion.CARRIAGE_WIDTH * r,
                proportion.CARRIAGE_WIDTH * r,
                proportion.CARRIAGE_LENGTH * r,
            ),
            role=Role.JOINT,
            **look.child,
        )
        return [rail, *stops], [carriage]
    sleeve_length = max(proportion.SLEEVE_SHARE * reach, proportion.SHORTEST_CYLINDER * r)
    sleeve = Cylinder(
        radius=proportion.SLEEVE_RADIUS * r,
        length=sleeve_length,
        translation=(0.0, 0.0, sign * sleeve_length / 2),
        role=Role.BAR,
        **look.parent,
    )
    collar = Cylinder(
        radius=proportion.COLLAR_RADIUS * r,
        length=proportion.COLLAR_LENGTH * r,
        translation=(0.0, 0.0, sign * sleeve_length),
        role=Role.MOTOR if look.has_motor else Role.JOINT,
        **look.parent,
    )
    rod_length = max(proportion.ROD_SHARE * reach, proportion.SHORTEST_CYLINDER * r)
    rod = Cylinder(
        radius=proportion.ROD_RADIUS * r,
        length=rod_length,
        translation=(0.0, 0.0, -sign * rod_length / 2),
        role=Role.BAR,
        **look.child,
    )
    return [sleeve, collar], [rod]


def _universal(look: JointLook) -> Bodies:
    r = look.radius
    pin, length = proportion.CROSS_RADIUS * r, proportion.CROSS_LENGTH * r
    hub = Sphere(radius=proportion.HUB_RADIUS * r, role=Role.JOINT, **look.parent)
    parent: list[Primitive] = [
        Cylinder(radius=pin, length=length, role=Role.JOINT, **look.parent),
        hub,
    ]
    if look.has_motor:
        parent.append(_motor_ring(look, proportion.HUB_RADIUS * r))
    cross = Cylinder(radius=pin, length=length, rotation=ALONG_X, role=Role.JOINT, **look.child)
    return parent, [cross]


def _spherical(look: JointLook) -> Bodies:
    r = look.radius
    socket: list[Primitive] = []
    if look.has_motor:
        socket.append(_motor_ring(look, proportion.BALL_RADIUS * r))
    return socket, [Sphere(radius=proportion.BALL_RADIUS * r, role=Role.JOINT, **look.child)]


def _collar(look: JointLook, radius: float, length: float) -> list[Primitive]:
    """What holds a rod, of a size in radii of the joint, with the ring of its motor."""
    r = look.radius
    made: list[Primitive] = [
        Cylinder(radius=radius * r, length=length * r, role=Role.JOINT, **look.parent)
    ]
    if look.has_motor:
        made.append(_motor_ring(look, radius * r))
    return made


def _cylindrical(look: JointLook) -> Bodies:
    sleeve = _collar(look, proportion.BUSH_RADIUS, proportion.BUSH_LENGTH)
    return sleeve, [_rod(look)]


def _screw(look: JointLook) -> Bodies:
    r = look.radius
    nut = _collar(look, proportion.NUT_RADIUS, proportion.NUT_LENGTH)
    rod = _rod(look)
    centre, half = rod.translation[2], rod.length / 2
    count = int(
        np.clip(
            round(rod.length / (proportion.THREAD_PITCH * r)),
            proportion.FEWEST_THREADS,
            proportion.MOST_THREADS,
        )
    )
    threads = [
        Cylinder(
            radius=r,
            length=proportion.THREAD_LENGTH * r,
            translation=(0.0, 0.0, centre - half + rod.length * (i + 0.5) / count),
            role=Role.JOINT,
            **look.child,
        )
        for i in range(count)
    ]
    return nut, [rod, *threads]


def _rod(look: JointLook) -> Cylinder:
    """A shaft that reaches from the child back through the parent's sleeve."""
    r, sign = look.radius, -1.0 if look.travel < 0 else 1.0
    length = abs(look.travel) + proportion.OVERRUN * r
    return Cylinder(
        radius=proportion.SHAFT_RADIUS * r,
        length=length,
        translation=(0.0, 0.0, -sign * abs(look.travel) / 2),
        role=Role.BAR,
        **look.child,
    )


def _planar(look: JointLook) -> Bodies:
    r = look.radius
    table = Box(
        size=(
            proportion.TABLE_WIDTH * r,
            proportion.TABLE_WIDTH * r,
            proportion.TABLE_THICKNESS * r,
        ),
        translation=(0.0, 0.0, -proportion.TABLE_DROP * r),
        role=Role.GROUND,
        **look.parent,
    )
    puck = Cylinder(radius=proportion.PUCK_RADIUS * r, length=r, role=Role.JOINT, **look.child)
    return [table], [puck]


_BUILDERS: dict[JointType, Callable[[JointLook], Bodies]] = {
    JointType.REVOLUTE: _revolute,
    JointType.PRISMATIC: _prismatic,
    JointType.UNIVERSAL: _universal,
    JointType.SPHERICAL: _spherical,
    JointType.CYLINDRICAL: _cylindrical,
    JointType.SCREW: _screw,
    JointType.PLANAR: _planar,
}
