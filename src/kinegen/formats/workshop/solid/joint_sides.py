"""Both sides of every kind of joint as bodies: bosses, sockets, rails, sleeves, forks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kinegen.formats.workshop.sizes import Sizes
from kinegen.formats.workshop.solid.draft import Draft, End, Travel, block, rod, unit
from kinegen.formats.workshop.solid.hardware import CAP, head_height
from kinegen.kernels import Floats
from kinegen.mechanism.shapes.data import Box, Cylinder, Sphere
from kinegen.mechanism.shapes.solid import capsule_between, matrix, rotation_with_z, vector

__all__ = [
    "CARRIAGE",
    "ROD_END",
    "ball_side",
    "bar_radius",
    "cross_size",
    "fork_side",
    "hinge_side",
    "slide_side",
    "telescope_side",
]

BAR = 0.3
"""Radius of bars [widths], at most half the thickness."""
BALL = 0.3
"""Radius of the ball of a spherical joint [widths]."""
OPENING = 0.45
"""How far from a ball's middle its socket is cut open [radii of the ball]: less than a half stays
open, so that the ball snaps in."""
NECK = 0.8
"""Length of the thin neck of a ball [widths]."""
RAIL = 0.5
"""Side of a rail [widths]."""
CARRIAGE = 1.5
"""Length of a carriage or sleeve [widths]."""
ROD_END = 0.5
"""How far before the joint of its part a telescope's rod ends [widths]."""
CROSS = 0.6
"""Side of a universal joint's cross [widths]."""
EAR = 0.28
"""Radius of a fork's ears [widths]: less than half a cross, so that those of two forks pass."""


def bar_radius(sizes: Sizes) -> float:
    """Of round bars [m]."""
    return min(BAR * sizes.width, sizes.thickness / 2)


def hinge_side(draft: Draft, end: End, sizes: Sizes) -> None:
    """A boss with a hole, and the room of the other boss and of the pin's ends.

    The parent's boss lies below the joint's origin, the child's above it.
    """
    side = 1.0 if end.is_child else -1.0
    near, far = sizes.spacer / 2, sizes.spacer / 2 + sizes.thickness
    end.anchor, end.is_boss = end.origin + side * (near + far) / 2 * end.z, True
    draft.bodies.append(rod(end.X_SJ, sizes.width / 2, side * near, side * far))
    reach = far + 2 * head_height(sizes)
    draft.cut.append(rod(end.X_SJ, sizes.drilled / 2, -reach, reach))
    room = sizes.width / 2 + sizes.clearance + sizes.spacer
    draft.kept_out.append(rod(end.X_SJ, room, -side * reach, side * near))
    head = CAP * sizes.hole / 2 + sizes.clearance
    draft.kept_out.append(rod(end.X_SJ, head, side * far, side * 2 * reach))


def ball_side(draft: Draft, end: End, sizes: Sizes, towards: Floats) -> None:
    """A ball on the child, a socket on the parent.

    Args:
        draft: The part.
        end: Its side of the joint.
        sizes: Of bars and clearances.
        towards: From the ball to the rest of the child, where the socket is open.
    """
    radius, centre = BALL * sizes.width, vector(end.origin)
    end.anchor = end.origin
    if end.is_child:
        draft.bodies.append(Sphere(radius=radius, translation=centre))
        # A thin neck, so that the ball can swing in its socket.
        inwards = draft.inwards(end)
        length = min(NECK * sizes.width, float(np.linalg.norm(inwards)))
        if length > 1e-9:
            end.anchor = end.origin + length * unit(inwards, end.z)
            draft.bodies.append(capsule_between(end.origin, end.anchor, radius / 2))
            room = NECK * sizes.width - bar_radius(sizes)
            draft.kept_out.append(Sphere(radius=room, translation=centre))
        return
    draft.bodies.append(Sphere(radius=sizes.width / 2, translation=centre))
    draft.cut.append(Sphere(radius=radius + sizes.clearance / 2, translation=centre))
    away = unit(towards, end.z)
    # Never towards the part's own bar, which the opening would cut off.
    own = draft.inwards(end)
    if np.linalg.norm(own) > 1e-9:
        own = own / np.linalg.norm(own)
        if float(away @ own) > 0:
            away = unit(away - float(away @ own) * own, -own)
    height = sizes.width
    middle = vector(end.origin + (OPENING * radius + height / 2) * away)
    R = matrix(rotation_with_z(away))
    draft.cut.append(
        Cylinder(radius=0.52 * sizes.width, length=height, rotation=R, translation=middle)
    )


def slide_side(draft: Draft, end: End, sizes: Sizes, travel: Travel) -> None:
    """A rail on the parent, a carriage on the child; round where it may turn as well."""
    half, side = CARRIAGE * sizes.width / 2, RAIL * sizes.width
    is_round = not end.joint.type.info.is_slide
    low, high = travel.low - half, travel.high + half
    if end.is_child:
        end.anchor = end.origin
        draft.bodies.append(block(end.X_SJ, sizes.width, -half, half))
        reach = high - low + 2 * sizes.thickness
        bore = side + sizes.clearance
        draft.cut.append(
            rod(end.X_SJ, bore / 2, -reach, reach)
            if is_round
            else block(end.X_SJ, bore, -reach, reach)
        )
        return
    foot = low - sizes.thickness
    end.anchor = end.origin + foot * end.z
    draft.bodies.append(
        rod(end.X_SJ, side / 2, foot, high) if is_round else block(end.X_SJ, side, foot, high)
    )
    room = 0.75 * sizes.width + 1.5 * sizes.clearance
    draft.kept_out.append(rod(end.X_SJ, room, low, high))


def telescope_side(draft: Draft, end: End, sizes: Sizes, travel: Travel) -> str:
    """A rod on the child that slides in a sleeve of the parent; why not, where it cannot."""
    half, side = CARRIAGE * sizes.width / 2, RAIL * sizes.width
    is_round = not end.joint.type.info.is_slide
    top = travel.low - 0.75 * sizes.width  # of the sleeve: the child's own joint comes no nearer
    long = travel.high - (top - 2 * half)
    lowest = travel.low - long
    free = 1.5 * sizes.width
    if lowest < free:
        return (
            f"joint '{end.joint.name}' is too short for its travel: a rod in a sleeve does not fit"
        )
    if end.is_child:
        high = -ROD_END * sizes.width
        end.anchor = end.origin + high * end.z
        draft.bodies.append(
            rod(end.X_SJ, side / 2, -long, high) if is_round else block(end.X_SJ, side, -long, high)
        )
        return ""
    draft.bodies.append(block(end.X_SJ, sizes.width, top - 2 * half, top))
    bore = side + sizes.clearance
    ends = lowest - sizes.width / 4, top + half
    draft.cut.append(rod(end.X_SJ, bore / 2, *ends) if is_round else block(end.X_SJ, bore, *ends))
    # Two bars beside the rod carry the sleeve.
    foot = end.origin + (lowest - sizes.width / 2) * end.z
    end.anchor = foot
    radius = bar_radius(sizes)
    x = end.X_SJ.so3.matrix[:, 0]
    for offset in (-sizes.width / 2 * x, sizes.width / 2 * x):
        upper = end.origin + (top - half) * end.z + offset
        draft.bodies.append(capsule_between(foot, foot + offset, radius))
        draft.bodies.append(capsule_between(foot + offset, upper, radius))
    return ""


def cross_size(sizes: Sizes) -> tuple[float, float, float]:
    """Of a universal joint: side of its cross, from its middle to a fork's ear, and beyond [m]."""
    side = CROSS * sizes.width
    inner = side / 2 + sizes.spacer / 2 + sizes.clearance / 2
    return side, inner, inner + sizes.thickness / 2


def fork_side(draft: Draft, end: End, sizes: Sizes, axis: Floats, inwards: Floats) -> None:
    """A fork whose two ears hold a cross.

    Args:
        draft: The part.
        end: Its side of the joint.
        sizes: Of bars and clearances.
        axis: Of the ears: z on the parent, x on the child.
        inwards: From the cross to the fork's bridge: along the child's bar, and away from it.
    """
    _, inner, outer = cross_size(sizes)
    radius = EAR * sizes.width
    # Ears of the other fork, and the heads of its pins, pass below the bridge.
    swung = max(math.hypot(outer, radius), outer + head_height(sizes))
    bridge = swung + sizes.spacer + sizes.clearance
    across = inwards - float(inwards @ axis) * axis
    perpendicular = rotation_with_z(axis)[:, 0]
    way = unit(across if np.linalg.norm(across) > 0.1 * np.linalg.norm(inwards) else across * 0,
               perpendicular)  # fmt: skip
    R = np.column_stack([way, np.cross(axis, way), axis])
    thick = outer - inner
    for side in (-1.0, 1.0):
        middle = end.origin + side * (inner + outer) / 2 * axis
        draft.bodies.append(
            Cylinder(radius=radius, length=thick, rotation=matrix(R), translation=vector(middle))
        )
        reach = bridge + thick
        draft.bodies.append(_box(R, (reach, 2 * radius, thick), middle + reach / 2 * way))
    draft.bodies.append(
        _box(R, (thick, 2 * radius, 2 * outer), end.origin + (bridge + thick / 2) * way)
    )
    draft.cut.append(
        Cylinder(radius=sizes.drilled / 2, length=4 * outer, rotation=matrix(R),
                 translation=vector(end.origin))
    )  # fmt: skip
    draft.kept_out.append(Sphere(radius=bridge + thick / 4, translation=vector(end.origin)))
    end.anchor, end.room = end.origin + (bridge + thick / 2) * way, bridge + thick / 4


def _box(R: Floats, size: Sequence[float], middle: Floats) -> Box:
    x, y, z = size
    return Box(size=(x, y, z), rotation=matrix(R), translation=vector(middle))
