"""The axes of gears and belts: by which joints two links turn against the one that carries both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.mechanism.graph import Coupling, CouplingKind, Joint, Mechanism, Placement

__all__ = ["AxisError", "GearAxes", "Wheel", "gear_axes"]

_SAME = 1e-6
"""Axes that differ by less [rad, or share of what lies between them] are the same."""


class AxisError(ValueError):
    """Why two links cannot be joined by gears or a belt; ``args[0]`` is a sentence."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """A link that turns about an axis of the carrier."""

    link: str
    turns: Mapping[str, float]
    """Joints whose first variables, times these signs, add up to its angle against the carrier."""
    point: Floats
    """Where its joint sits at the start, world axes [m], (3,)."""
    axis: Floats
    """Of its own turning, world axes, (3,)."""


@dataclass(frozen=True, slots=True)
class GearAxes:
    """Two wheels and how their axes lie."""

    carrier: str
    first: Wheel
    second: Wheel
    sense: float
    """+1 where both turn about one direction as gears see it, -1 where about opposite ones."""
    distance: float
    """Of parallel axes [m]; 0 for axes that meet."""
    are_parallel: bool


def gear_axes(mechanism: Mechanism, coupling: Coupling, values: Mapping[str, float]) -> GearAxes:
    """How the axes of gears or pulleys lie at the start; AxisError where they do not fit.

    Args:
        mechanism: The mechanism.
        coupling: Its gears or belt.
        values: Of the parameters [SI].
    """
    tree = _Tree(mechanism, values)
    a, b = coupling.members
    candidates = [coupling.carrier] if coupling.carrier else tree.carriers(a, b)
    reasons: list[str] = []
    for carrier in candidates:
        try:
            first, second = tree.wheel(a, carrier), tree.wheel(b, carrier)
        except AxisError as error:
            reasons.append(str(error))
            continue
        return _placed(coupling, carrier, first, second)
    raise AxisError(reasons[0] if reasons else f"'{a}' and '{b}' have no link that carries both")


def _placed(coupling: Coupling, carrier: str, a: Wheel, b: Wheel) -> GearAxes:
    between = b.point - a.point
    across = np.cross(a.axis, b.axis)
    size = float(np.linalg.norm(between))
    what = "gears" if coupling.kind is CouplingKind.GEARS else f"wheels of a {coupling.kind.value}"
    if np.linalg.norm(across) < _SAME:
        distance = float(np.linalg.norm(between - a.axis * (a.axis @ between)))
        if distance <= _SAME * max(size, 1e-9):
            raise AxisError(
                f"the axes of '{a.link}' and '{b.link}' coincide: {what} need axes at a distance"
            )
        sense = float(np.sign(a.axis @ b.axis))
        return GearAxes(carrier, a, b, sense, distance, True)
    if coupling.kind is not CouplingKind.GEARS:
        raise AxisError(f"the axes of '{a.link}' and '{b.link}' are not parallel")
    normal = across / np.linalg.norm(across)
    if abs(normal @ between) > _SAME * max(size, 1e-9):
        raise AxisError(
            f"the axes of '{a.link}' and '{b.link}' are neither parallel nor do they meet; "
            "specify a 'relation' of the joints instead of 'gears'"
        )
    # where they meet: the gears of a pair stand on the sides of the apex that their joints are on
    along = np.linalg.lstsq(np.column_stack([a.axis, -b.axis]), between, rcond=None)[0]
    apex = a.point + along[0] * a.axis
    sides = [float(wheel.axis @ (wheel.point - apex)) for wheel in (a, b)]
    sense = 1.0
    for side in sides:
        if abs(side) > _SAME * max(size, 1e-9):
            sense *= np.sign(side)
    return GearAxes(carrier, a, b, float(sense), 0.0, False)


class _Tree:
    """Where the links of a mechanism are at its start, as far as asked for."""

    def __init__(self, mechanism: Mechanism, values: Mapping[str, float]) -> None:
        self._joints, self._frames = mechanism.joints, mechanism.frames
        self._link_of, self._base = mechanism.link_of, mechanism.base_name
        self._values = values
        self._placed: dict[str, Floats] = {self._base: np.eye(4)}

    def chain(self, link: str) -> list[Joint]:
        """The joints that carry a link, its own first."""
        found: list[Joint] = []
        while link != self._base and len(found) <= len(self._joints):
            found.append(self._joints[link])
            link = self._link_of(found[-1].parent)
        return found

    def carriers(self, a: str, b: str) -> list[str]:
        """Links that may carry the axes of both."""
        links = [link for link in (b, a) if link != self._base]
        parents = [self._link_of(self._joints[link].parent) for link in links]
        return list(dict.fromkeys(parents))

    def frame(self, joint: Joint) -> Floats:
        """X_WF of a joint's frame on its parent at the start."""
        return np.asarray(self._seat(joint.parent) @ self._place(joint.placement))

    def _seat(self, name: str) -> Floats:
        """X_W of a link or of a frame on one."""
        frame = self._frames.get(name)
        if frame is None:
            return self.link(name)
        return np.asarray(self._seat(frame.parent) @ self._place(frame.placement))

    def _place(self, placement: Placement) -> Floats:
        from kinegen.kernels.reference.base.transform import place

        numbers = np.array([number.evaluate(self._values) for number in placement.numbers])
        return np.asarray(place(placement.kind.value, numbers))

    def link(self, name: str) -> Floats:
        """X_WL of a link at the start."""
        from kinegen.kernels.reference.base.transform import joint_steps

        if name not in self._placed:
            for joint in reversed(self.chain(name)):
                if joint.name in self._placed:
                    continue
                info = joint.type.info
                start = [number.evaluate(self._values) for number in joint.start] or info.identity
                pitch = 0.0 if joint.pitch is None else joint.pitch.evaluate(self._values)
                X = self.frame(joint)
                for step in joint_steps(info.code, np.array(start, dtype=float), pitch):
                    X = X @ step.transform
                self._placed[joint.name] = X
        return self._placed[name]

    def wheel(self, link: str, carrier: str) -> Wheel:
        """A link as a wheel on a carrier; AxisError where it does not turn about one axis of it."""
        own, other = self.chain(link), self.chain(carrier)
        shared = {joint.name for joint in own} & {joint.name for joint in other}
        path = [(joint, 1.0) for joint in own if joint.name not in shared]
        path += [(joint, -1.0) for joint in other if joint.name not in shared]
        moving = [(joint, side) for joint, side in path if joint.type.info.moves]
        if not moving:
            raise AxisError(f"'{link}' does not turn on '{carrier}', which carries both axes")
        frames = [self.frame(joint) for joint, _ in moving]
        axis, point = frames[0][:3, 2], frames[0][:3, 3]
        turns: dict[str, float] = {}
        for (joint, side), X in zip(moving, frames, strict=True):
            if not joint.type.info.turns_in_place:
                raise AxisError(
                    f"'{link}' moves relative to '{carrier}' by the {joint.type.value} joint "
                    f"'{joint.name}': gears and pulleys turn on hinges"
                )
            away = X[:3, 3] - point
            tilt = np.linalg.norm(np.cross(axis, X[:3, 2]))
            beside = np.linalg.norm(away - axis * (axis @ away))
            if tilt > _SAME or beside > _SAME * max(float(np.linalg.norm(X[:3, 3])), 1e-3):
                raise AxisError(
                    f"'{link}' does not rotate about a single axis of '{carrier}': the axis of "
                    f"'{joint.name}' is a different line"
                )
            turns[joint.name] = side * float(np.sign(axis @ X[:3, 2]))
        return Wheel(link, turns, point, axis)
