"""Placement numbers: the six numbers of a file that place a frame where it should be."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.mechanism.graph import PLACEMENT_KEYS, PlacementKind
from kinegen.mechanism.model import Model
from kinegen.spatial.rotation import SO3

__all__ = ["NumberChange", "kleinfinger_numbers", "number_changes", "pose_numbers"]

_SAME = 1e-6
"""Numbers that differ by less [rad, share of the largest length] are the same."""
_PARALLEL = 1e-7
"""Below this sine two axes count as parallel, and have no common normal of their own."""
_ANGLES = frozenset({"gamma", "alpha", "theta", "roll", "pitch", "yaw"})
_ROUND_ANGLE = math.radians(15)


@dataclass(frozen=True, slots=True)
class NumberChange:
    """One number of the file and what it should be [m, rad]."""

    owner: str
    """The joint or frame whose row it is in."""
    key: str
    """Its key there, such as ``alpha`` or ``closes.d``."""
    old: float
    new: float
    is_tidy: bool
    """Whether the new one looks meant: a round angle, zero, or as in several other rows."""

    @property
    def is_angle(self) -> bool:
        """Whether it is in rad, not m."""
        return self.key.rpartition(".")[2] in _ANGLES


def number_changes(model: Model, transforms: Floats) -> tuple[NumberChange, ...]:
    """The numbers that must change for all placements to become the given ones, (n, 12)."""
    owners = [(joint.placement, joint.name, "") for joint in model.joints]
    owners += [(loop.placement, model.joints[loop.joint].name, "closes.") for loop in model.loops]
    owners += [(frame.placement, frame.name, "") for frame in model.frames]
    kinds = model.blocks.int_part("placement_kind")
    numbers = model.blocks.real_part("placements").reshape(-1, 6)
    frame_of = {row: frame for row, frame in model.blocks.int_part("based").reshape(-1, 2).tolist()}
    longest = float(np.abs(model.transforms[:, 9:]).max()) or 1.0
    changes = []
    for row, owner, prefix in owners:
        under = frame_of.get(row)
        concerned = [row] if under is None else [row, under]
        if np.array_equal(transforms[concerned], model.transforms[concerned]):
            continue
        R, p = transforms[row, :9].reshape(3, 3), transforms[row, 9:]
        if under is not None:  # its numbers begin at the frame it sits on
            R_LF, p_LF = transforms[under, :9].reshape(3, 3), transforms[under, 9:]
            R, p = R_LF.T @ R, R_LF.T @ (p - p_LF)
        kind = PlacementKind(int(kinds[row]))
        read = kleinfinger_numbers if kind is PlacementKind.KLEINFINGER else pose_numbers
        wanted = read(R, p, numbers[row])
        same_kind = numbers[kinds == kinds[row]]
        for i, key in enumerate(PLACEMENT_KEYS[kind]):
            old, new = float(numbers[row, i]), float(wanted[i])
            unit = 1.0 if key in _ANGLES else longest
            if abs(new - old) > _SAME * unit:
                others = int((np.abs(np.abs(same_kind[:, i]) - abs(new)) < _SAME * unit).sum())
                tidy = _is_tidy(new / unit, old / unit, key in _ANGLES, others)
                changes.append(NumberChange(owner, prefix + key, old, new, tidy))
    return tuple(changes)


def _is_tidy(value: float, old: float, is_angle: bool, others: int) -> bool:
    if abs(value) < _SAME or others > 1:
        return True
    # a right angle is rarely a slip for one of 30°
    round_ones = math.pi / 2 if abs(math.remainder(old, math.pi / 2)) < _SAME else _ROUND_ANGLE
    return is_angle and abs(math.remainder(value, round_ones)) < _SAME


def kleinfinger_numbers(R: Floats, p: Floats, near: Floats) -> Floats:
    """gamma, b, alpha, d, theta, r of a placement, of several choices that nearest to given ones.

    ``Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)`` leads along the common normal of the two z
    axes; where they are parallel, b is free and kept.
    """
    sine = math.hypot(R[0, 2], R[1, 2])
    choices = []
    for side in (1.0, -1.0):
        if sine > _PARALLEL:
            gamma = math.atan2(side * R[0, 2], -side * R[1, 2])
        elif math.hypot(p[0], p[1]) > 1e-12:
            gamma = math.atan2(side * p[1], side * p[0])
        else:
            gamma = float(near[0])
        alpha = math.atan2(side * sine, R[2, 2])
        c, s = math.cos(gamma), math.sin(gamma)
        d = c * p[0] + s * p[1]
        if sine > _PARALLEL:
            r = (s * p[0] - c * p[1]) / math.sin(alpha)
            b = p[2] - math.cos(alpha) * r
        else:
            b = float(near[1])
            r = (p[2] - b) / math.cos(alpha)
        x = SO3.exp([0, 0, gamma]).matrix @ SO3.exp([alpha, 0, 0]).matrix
        turned = x.T @ R
        theta = math.atan2(turned[1, 0], turned[0, 0])
        choices.append(_unwound(np.array([gamma, b, alpha, d, theta, r]), near, (0, 2, 4)))
    return min(choices, key=lambda numbers: float(np.abs(numbers - near).sum()))


def pose_numbers(R: Floats, p: Floats, near: Floats) -> Floats:
    """x, y, z, roll, pitch, yaw of a placement."""
    return _unwound(np.array([*p, *SO3.from_matrix(R).rpy]), near, (3, 4, 5))


def _unwound(numbers: Floats, near: Floats, angles: tuple[int, ...]) -> Floats:
    """The numbers with angles within half a turn of given ones, and no digits from rounding."""
    for i in angles:
        numbers[i] = near[i] + math.remainder(numbers[i] - near[i], math.tau)
    numbers[np.abs(numbers) < 1e-12] = 0.0
    return numbers
