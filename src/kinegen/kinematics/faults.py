"""Faults: the ways in which one joint may be placed wrongly, and what each does to the loops."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.reference.rotation import cross_matrix
from kinegen.kinematics.closure import loop_poses
from kinegen.kinematics.loop_groups import (
    LoopGroup,
    joint_frames,
    link_transforms,
    loop_path,
    placed_links,
)
from kinegen.kinematics.loop_system import LoopSystem
from kinegen.mechanism.joint_types import JointType
from kinegen.mechanism.model import JointIndex, Model, ModelJoint
from kinegen.spatial import SE3, SO3

__all__ = ["Change", "Fault", "FaultEffects", "Place", "apply_fault", "possible_faults"]


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
_TILTS: dict[tuple[JointType, Place], tuple[int, ...]] = {
    (JointType.PRISMATIC, Place.PLACEMENT): (3, 4, 5),
    (JointType.PRISMATIC, Place.LANDING): (3, 4, 5),
    # both axes: z tilts, x turns about z
    (JointType.UNIVERSAL, Place.AXIS): (3, 4, 5),
    (JointType.UNIVERSAL, Place.LANDING): (4, 5),
    (JointType.FIXED, Place.PLACEMENT): (3, 4, 5),
    (JointType.FIXED, Place.LANDING): (3, 4, 5),
}
_AXIS_SHIFTS: dict[JointType, tuple[int, ...]] = {
    JointType.REVOLUTE: (0, 1),
    JointType.SCREW: (0, 1),
    JointType.CYLINDRICAL: (0, 1),
    JointType.UNIVERSAL: (0, 1, 2),
    JointType.SPHERICAL: (0, 1, 2),
}


def possible_faults(model: Model, group: LoopGroup) -> list[Fault]:
    """All faults of the joints of a group of loops."""
    found = []
    for index in group.joints:
        joint = model.joints[index]
        places = [Place.PLACEMENT, Place.LANDING] if joint.is_cut else [Place.PLACEMENT]
        if joint.type is JointType.FREE:
            continue
        if joint.type is not JointType.FIXED:
            places.append(Place.AXIS)
        for place in places:
            shifts = _AXIS_SHIFTS.get(joint.type, ()) if place is Place.AXIS else (0, 1, 2)
            if joint.type is not JointType.SPHERICAL:
                tilts = _TILTS.get((joint.type, place), _ACROSS)
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
        back = np.linalg.inv(X_FM) @ np.linalg.inv(moved) @ X_FM
        if joint.is_cut:
            _write(written, landing, transforms, after=np.linalg.inv(back))
        else:
            carried = [i for i, link in enumerate(placed_links(model)) if link == joint.child]
            _write(written, carried, transforms, before=back)


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
        self._paths = [loop_path(model, loop) for loop in model.loops]
        self._landing = {loop.joint: n for n, loop in enumerate(model.loops)}
        self._carried = _carried_links(model)
        self.Xs_FM = np.array([_joint_pose(model, q, joint) for joint in model.joints])
        """Poses of the joints there, (joint_count, 4, 4)."""
        self._Xs_MF = np.linalg.inv(self.Xs_FM)

    def columns(self, system: LoopSystem, q: Floats, faults: list[Fault]) -> list[Floats]:
        """Derivatives of the scaled residual at q by the scaled amounts of each fault."""
        model = system.model
        R_WF, p_WF = joint_frames(model, q)
        R_WL, p_WL = link_transforms(model, q)
        ends = loop_poses(model, q)
        R_WE, p_WE = _matrices(ends[..., :4]), ends[..., 4:]
        row_of = {loop: 6 * n for n, loop in enumerate(system.group.loops)}
        made: dict[tuple[JointIndex, Place], Floats] = {}
        for fault in faults:
            i, place = fault.joint, fault.place
            if (i, place) in made:
                continue
            columns = np.zeros((6 * len(row_of) + (3 if system.held else 0), 6))
            made[i, place] = columns
            loops = [(n, self._paths[n][i]) for n in row_of if i in self._paths[n]]
            cut = self._landing.get(i)
            if place is Place.LANDING:
                assert cut is not None
                loops, frames = [(cut, -1)], [(R_WE[cut, 1], p_WE[cut, 1], 1)]
            else:
                frames = [(R_WF[i], p_WF[i], 1)]
            if place is Place.AXIS:
                child = model.joints[i].child
                R_WM = R_WL[child] if cut is None else R_WE[cut, 0]
                p_WM = p_WL[child] if cut is None else p_WE[cut, 0]
                X_MF = self._Xs_MF[i]
                frames.append((R_WM @ X_MF[:3, :3], p_WM + R_WM @ X_MF[:3, 3], -1))
            for R, p, sign in frames:
                for n, side in loops:
                    rows = columns[row_of[n] : row_of[n] + 6]
                    arm = cross_matrix((p_WE[n, 0] - p) / system.size)
                    rows[:3, :3] += sign * side * R_WE[n, 1].T @ R
                    rows[:3, 3:] -= sign * side * R_WE[n, 1].T @ arm @ R
                    rows[3:, 3:] += sign * side * R_WE[n, 0].T @ R
                if system.held and cut is None and system.held.link in self._carried[i]:
                    columns[-3:, 3:] += sign * R_WL[system.held.link].T @ R
        return [made[f.joint, f.place][:, list(f.components)] for f in faults]


def _matrices(quats: Floats) -> Floats:
    """Rotation matrices (…, 3, 3) of unit quaternions wxyz (…, 4)."""
    w, v = quats[..., 0, None, None], quats[..., 1:]
    outer = v[..., :, None] * v[..., None, :]
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    zero = np.zeros_like(x)
    skew = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*x.shape, 3, 3)
    return np.asarray((2 * w**2 - 1) * np.eye(3) + 2 * outer + 2 * w * skew)


def _carried_links(model: Model) -> list[set[int]]:
    """Per joint: the links that move when it does, loops left open."""
    carried: list[set[int]] = [set() for _ in model.joints]
    carrying = {joint.child: i for i, joint in enumerate(model.joints) if not joint.is_cut}
    for link in range(model.link_count):
        at = link
        while at in carrying:
            carried[carrying[at]].add(link)
            at = model.joints[carrying[at]].parent
    return carried


def _joint_pose(model: Model, q: Floats, joint: ModelJoint) -> Floats:
    """X_FM, (4, 4)."""
    at = q[joint.q]
    z = np.array([0.0, 0.0, 1.0])
    match joint.type:
        case JointType.REVOLUTE:
            return SE3(SO3.exp(at[0] * z)).matrix
        case JointType.PRISMATIC:
            return SE3(SO3.identity(), at[0] * z).matrix
        case JointType.SCREW:
            lead = model.number(joint.name, "pitch") / (2 * np.pi)
            return SE3(SO3.exp(at[0] * z), lead * at[0] * z).matrix
        case JointType.CYLINDRICAL:
            return SE3(SO3.exp(at[0] * z), at[1] * z).matrix
        case JointType.UNIVERSAL:
            return SE3(SO3.exp(at[0] * z) @ SO3.exp(np.array([at[1], 0.0, 0.0]))).matrix
        case JointType.SPHERICAL:
            return SE3(SO3(at)).matrix
        case JointType.PLANAR:
            return SE3(SO3.exp(at[2] * z), np.array([at[0], at[1], 0.0])).matrix
        case JointType.FREE:
            return SE3.from_pose(at).matrix
        case _:
            return np.eye(4)
