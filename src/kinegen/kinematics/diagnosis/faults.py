"""Faults: the ways in which one joint may be placed wrongly, and what each does to the loops."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kinegen.joint_types import JointType
from kinegen.kernels import Floats
from kinegen.kinematics.closure import loop_poses
from kinegen.kinematics.loop_groups import (
    LoopGroup,
    joint_frames,
    link_transforms,
    loop_path,
    placed_links,
)
from kinegen.kinematics.loop_system import LoopSystem
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import JointIndex, LinkIndex
from kinegen.spatial.pose import SE3

__all__ = [
    "Change",
    "Fault",
    "FaultEffects",
    "Place",
    "apply_fault",
    "apply_faults",
    "possible_faults",
    "tilt_components",
]


class Place(enum.Enum):
    """What of a joint is wrong."""

    PLACEMENT = "placement"
    """Its frame on the parent link: what it carries is moved along."""
    LANDING = "landing"
    """The frame on which a cut joint lands."""
    AXIS = "axis"
    """The joint between its two links, which both stay where they are in the given pose."""


class Change(enum.Enum):
    """How it is wrong."""

    TILT = "tilt"
    SHIFT = "shift"


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of wrong placement of one joint."""

    joint: JointIndex
    place: Place
    change: Change
    components: tuple[int, ...]
    """Which of x, y, z of its frame, then turns about them."""


_ACROSS = (3, 4)
"""Turns about x and y: they tilt z, the joint's axis."""
_ALL_TURNS = (3, 4, 5)


def tilt_components(kind: JointType, place: Place) -> tuple[int, ...]:
    """Turns that tilt an axis of a joint, as components of a fault."""
    if kind.info.lands_on_x:
        # both axes: z tilts, x turns about z
        return {Place.AXIS: _ALL_TURNS, Place.LANDING: (4, 5)}.get(place, _ACROSS)
    turns = not all(kind.info.is_length)
    return _ACROSS if turns or place is Place.AXIS else _ALL_TURNS


def _axis_shifts(kind: JointType) -> tuple[int, ...]:
    """Shifts of a joint's axis that it cannot make up for itself."""
    if kind.info.turns_about_point:
        return (0, 1, 2)
    return (0, 1) if kind.info.turns_in_place else ()


def possible_faults(model: Model, group: LoopGroup) -> list[Fault]:
    """All faults of the joints of a group of loops."""
    found = []
    for index in group.joints:
        joint = model.joints[index]
        places = [Place.PLACEMENT, Place.LANDING] if joint.is_cut else [Place.PLACEMENT]
        if joint.type.info.floats:
            continue
        if joint.type.info.moves:
            places.append(Place.AXIS)
        for place in places:
            shifts = _axis_shifts(joint.type) if place is Place.AXIS else (0, 1, 2)
            if not joint.type.info.is_ball:
                tilts = tilt_components(joint.type, place)
                found.append(Fault(index, place, Change.TILT, tilts))
            if shifts:
                found.append(Fault(index, place, Change.SHIFT, shifts))
    return found


def apply_fault(
    system: LoopSystem, transforms: Floats, fault: Fault, amounts: Floats, X_FM: Floats
) -> None:
    """Write placements that differ from the given ones by a fault.

    Args:
        system: a variant, whose placements are written.
        transforms: the placements to begin with, (placement_count, 12).
        fault: what changes.
        amounts: by how much, scaled, one number per component.
        X_FM: pose of the joint while its links stay, (4, 4).
    """
    model = system.model
    joint = model.joints[fault.joint]
    xi = np.zeros(6)
    xi[list(fault.components)] = amounts
    xi[:3] *= system.size
    moved = SE3.exp(xi).matrix
    written = model.transforms
    written[:] = transforms
    landing = [loop.placement for loop in model.loops if loop.joint == fault.joint]
    if fault.place is Place.LANDING:
        _write(written, landing, transforms, after=moved)
        return
    _write(written, [joint.placement], transforms, after=moved)
    if fault.place is Place.AXIS:
        forth = np.linalg.inv(X_FM) @ moved @ X_FM
        back = np.linalg.inv(X_FM) @ np.linalg.inv(moved) @ X_FM
        if joint.is_cut:
            _write(written, landing, transforms, after=np.asarray(forth, dtype=float))
        else:
            carried = [i for i, link in enumerate(placed_links(model)) if link == joint.child]
            _write(written, carried, transforms, before=np.asarray(back, dtype=float))


def apply_faults(
    system: LoopSystem,
    transforms: Floats,
    faults: Iterable[tuple[Fault, Floats]],
    effects: FaultEffects,
) -> None:
    """Write placements that differ from the given ones by several faults, each with its amounts."""
    for fault, amounts in faults:
        apply_fault(system, transforms, fault, amounts, effects.Xs_FM[fault.joint])
        transforms = system.model.transforms.copy()


def _write(
    out: Floats,
    rows: list[int],
    transforms: Floats,
    *,
    before: Floats | None = None,
    after: Floats | None = None,
) -> None:
    for row in rows:
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = transforms[row, :9].reshape(3, 3), transforms[row, 9:]
        X = X if before is None else before @ X
        X = X if after is None else X @ after
        out[row, :9], out[row, 9:] = X[:3, :3].ravel(), X[:3, 3]


class FaultEffects:
    """How the residual changes with the faults of every joint."""

    def __init__(self, model: Model, q: Floats) -> None:
        """Faults of axes keep the links in place at q."""
        self._sides = np.zeros((model.constraint_count, len(model.joints)))
        """+1 where a joint moves the end M of a loop, -1 where it moves K."""
        for n, loop in enumerate(model.loops):
            for joint, side in loop_path(model, loop).items():
                self._sides[n, joint] = side
        self._landing = {loop.joint: n for n, loop in enumerate(model.loops)}
        self._carried = _carried_links(model)
        frames = _Frames(model, q, self._landing)
        Xs_WF = _transforms(frames.R_WF, frames.p_WF)
        self.Xs_FM = np.linalg.inv(Xs_WF) @ _transforms(frames.R_WM, frames.p_WM)
        """Poses of the joints there, (joint_count, 4, 4)."""
        self._Xs_MF = np.linalg.inv(self.Xs_FM)

    def columns(self, system: LoopSystem, q: Floats, faults: list[Fault]) -> list[Floats]:
        """Derivatives of the scaled residual at q by the scaled amounts of each fault."""
        at = _Frames(system.model, q, self._landing)
        loops = list(system.group.loops)
        to_rows = _row_maps(at, loops, system.size)
        made = np.zeros((len(faults), 6 * len(loops) + (3 if system.held else 0), 6))
        moves = self._moves(system, at, faults)
        sides = self._sides[np.ix_(loops, [fault.joint for fault in faults])].T
        for i, fault in enumerate(faults):
            if fault.place is Place.LANDING:
                sides[i] = [-(n == self._landing[fault.joint]) for n in loops]
        rows = sides[..., None, None] * (to_rows @ moves[:, None])
        made[:, : 6 * len(loops)] = rows.reshape(len(faults), -1, 6)
        if system.held:
            R_LW = at.R_WL[system.held.link].T
            for i, fault in enumerate(faults):
                if system.held.link in self._carried[fault.joint]:
                    made[i, -3:, 3:] = R_LW @ moves[i, 3:, 3:]
        pairs = zip(made, faults, strict=True)
        return [np.ascontiguousarray(six[:, list(fault.components)]) for six, fault in pairs]

    def _moves(self, system: LoopSystem, at: _Frames, faults: list[Fault]) -> Floats:
        """Scaled twists at the world's origin of what each fault moves, (faults, 6, 6).

        Columns are shifts along and turns about the three axes of the joint's frame.
        """
        joints = [fault.joint for fault in faults]
        R, p = at.R_WF[joints].copy(), at.p_WF[joints].copy()
        axes = [i for i, fault in enumerate(faults) if fault.place is Place.AXIS]
        for i, fault in enumerate(faults):
            if fault.place is Place.LANDING:
                n = self._landing[fault.joint]
                R[i], p[i] = at.R_WE[n, 1], at.p_WE[n, 1]
        moves = _twists(R, p / system.size)
        if axes:
            # what is behind the joint moves back, about where the axis was
            behind = [joints[i] for i in axes]
            R_WM, Xs_MF = at.R_WM[behind], self._Xs_MF[behind]
            p = at.p_WM[behind] + (R_WM @ Xs_MF[:, :3, 3:])[..., 0]
            moves[axes] -= _twists(R_WM @ Xs_MF[:, :3, :3], p / system.size)
        return moves


def _twists(R: Floats, p: Floats) -> Floats:
    """Twists at the origin of shifts along and turns about the axes of frames, (n, 6, 6)."""
    out = np.zeros((len(R), 6, 6))
    out[:, :3, :3] = out[:, 3:, 3:] = R
    out[:, :3, 3:] = _skew(p) @ R
    return out


def _row_maps(at: _Frames, loops: list[int], size: float) -> Floats:
    """From scaled twists at the origin that move the end M of each loop to its rows, (n, 6, 6)."""
    to_M, to_K = (at.R_WE[loops, end].swapaxes(1, 2) for end in (0, 1))
    out = np.zeros((len(loops), 6, 6))
    out[:, :3, :3], out[:, 3:, 3:] = to_K, to_M
    out[:, :3, 3:] = -to_K @ _skew(at.p_WE[loops, 0] / size)
    return out


def _skew(a: Floats) -> Floats:
    """Matrices of a × …, (…, 3, 3)."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    zero = np.zeros_like(x)
    return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*x.shape, 3, 3)


class _Frames:
    """Where everything is at q: joints' frames F and M, ends M and K of loops, links."""

    def __init__(self, model: Model, q: Floats, landing: dict[JointIndex, int]) -> None:
        ends = loop_poses(model, q)
        self.R_WE, self.p_WE = _matrices(ends[..., :4]), ends[..., 4:]
        self.R_WF, self.p_WF = joint_frames(model, q)
        self.R_WL, p_WL = link_transforms(model, q)
        children = [joint.child for joint in model.joints]
        self.R_WM, self.p_WM = self.R_WL[children], p_WL[children]
        for joint, n in landing.items():
            self.R_WM[joint], self.p_WM[joint] = self.R_WE[n, 0], self.p_WE[n, 0]


def _transforms(R: Floats, p: Floats) -> Floats:
    """Homogeneous matrices, (n, 4, 4)."""
    X = np.tile(np.eye(4), (len(R), 1, 1))
    X[:, :3, :3], X[:, :3, 3] = R, p
    return X


def _matrices(quats: Floats) -> Floats:
    """Rotation matrices (…, 3, 3) of unit quaternions wxyz (…, 4)."""
    w, v = quats[..., 0, None, None], quats[..., 1:]
    outer = v[..., :, None] * v[..., None, :]
    return np.asarray((2 * w**2 - 1) * np.eye(3) + 2 * outer + 2 * w * _skew(v))


def _carried_links(model: Model) -> list[set[int]]:
    """Per joint: the links that move when it does, loops left open."""
    carried: list[set[int]] = [set() for _ in model.joints]
    carrying = {joint.child: i for i, joint in enumerate(model.joints) if not joint.is_cut}
    for link in range(model.link_count):
        at = LinkIndex(link)
        while at in carrying:
            carried[carrying[at]].add(link)
            at = model.joints[carrying[at]].parent
    return carried
