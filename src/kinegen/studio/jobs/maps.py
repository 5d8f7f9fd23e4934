"""Joint-space maps and backlash, as the page asks for them."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.analytic.closed_form import (
    AnalyticKind,
    analytic_geometry,
    solve_wrist_angle,
)
from kinegen.kinematics.closure import loop_jacobian
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.positions import pose, poses
from kinegen.mechanism.model import Model
from kinegen.studio.jobs.analyses import Progress
from kinegen.studio.jobs.arguments import Asked
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.workspace.backlash_cloud import backlash as make_backlash
from kinegen.workspace.joint_maps import Branch
from kinegen.workspace.joint_maps import joint_map as make_map

__all__ = ["backlash", "frame_of", "joint_map"]

Arguments = Mapping[str, Any]

MOST_PLACES = 40_000
MOST_VALUES = 400_000
"""Joint values of one branch: places times joints."""
COUNTS = {0: 1, 1: 41, 2: 21, 3: 11}
"""Values per axis of the proposed box, by how many axes the frame moves along."""
STILL = 1e-6
"""A frame moves along an axis when it gets this share of its fastest motion there."""


def joint_map(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """Joint values of every branch over a box of places.

    Args:
        piece: The mechanism.
        q: Its pose.
        arguments: ``frame``; ``box``: axis → lowest, highest, count [m]; ``hold``: what the frame
            keeps at every place, 'wrist' (with ``wrist_angle`` [rad]), 'rotation' or 'free'. With
            ``about`` nothing is mapped: the answer says what can be held, and proposes a box.
        report: Is told how far it is, and sent what was found: ``qs`` of each branch (float64,
            joint values by places), ``lamps`` of each (bytes, joints by places), ``beyond``
            (float32).
    """
    model, asked = piece.model, Asked(arguments)
    frame = frame_of(model, asked)
    if asked.flag("about"):
        return _about(model, q, frame)
    box = _box(model, asked)
    geometry = analytic_geometry(model, frame)
    hold = asked.choice("hold", ("wrist", "rotation", "free"), "free")
    angle = asked.number("wrist_angle", -math.tau, math.tau) if hold == "wrist" else None
    if hold == "wrist" and angle is None:
        raise UsageError("to keep the wrist angle, give wrist_angle")
    # arms of three joints have a closed form that needs no rotation and does not look at it
    plain = geometry is not None and geometry.kind is AnalyticKind.POSITION
    rotation = pose(model, q, frame).so3 if hold == "rotation" or plain else None
    begin = time.perf_counter()

    def told(done: int, total: int) -> None:
        report("Joint map", done / max(total, 1))

    found = make_map(model, box, frame, wrist_angle=angle, rotation=rotation, q=q, progress=told)
    elapsed = time.perf_counter() - begin
    for n, branch in enumerate(found.branches):
        report.piece({"part": "qs", "branch": n}, np.ascontiguousarray(branch.qs, "<f8").tobytes())
        report.piece({"part": "lamps", "branch": n}, branch.lamps.astype(np.uint8).tobytes())
    known = np.isfinite(found.beyond)
    if known.all():
        report.piece({"part": "beyond"}, found.beyond.astype("<f4").tobytes())
    grid = found.points.reshape(3, *found.shape)
    here = pose(model, q, frame).translation
    return {
        "frame": frame,
        "joints": list(found.joints),
        "shape": list(found.shape),
        "axes": [grid[0, :, 0, 0].tolist(), grid[1, 0, :, 0].tolist(), grid[2, 0, 0, :].tolist()],
        "branches": [
            {
                "name": branch.name,
                "reached": int(branch.reached.sum()),
                "within": int(branch.within.sum()),
            }
            for branch in found.branches
        ],
        "present": _present(model, found.branches, found.points, here, q),
        "seconds": elapsed,
    }


def backlash(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """How far backlash and tolerances let a frame move.

    Args:
        piece: The mechanism.
        q: Its pose.
        arguments: ``frame``; ``joints``: joint → angular backlash [rad]; ``length`` [m]: tolerance
            of bars and backlash of slides; ``wobble`` [rad]: tilt of hinge axes.
        report: Is sent the cloud as ``points``: float32, place by place, from where the frame
            should be [m].
    """
    model, asked = piece.model, Asked(arguments)
    frame = frame_of(model, asked)
    given = asked.part("joints") or Asked({})
    angles = {joint.name: given.number(joint.name, 0.0, math.pi) for joint in model.joints}
    report("Backlash of the joints", None)
    found = make_backlash(
        model, frame, q=q,
        joints={name: angle for name, angle in angles.items() if angle is not None},
        length=asked.number("length", 0.0, 1e3) or 0.0,
        wobble=asked.number("wobble", 0.0, math.pi / 2) or 0.0,
    )  # fmt: skip
    where = pose(model, found.q, frame).translation
    away = np.ascontiguousarray((found.points - where[:, None]).T, "<f4")
    report.piece({"part": "points"}, away.tobytes())
    return {
        "frame": frame,
        "at": where.tolist(),
        "points": len(away),
        "lower": found.lower.tolist(),
        "upper": found.upper.tolist(),
        "bound": found.bound.tolist(),
        "turn": found.turn.tolist(),
        "worst": found.worst,
        "worst_q": found.worst_q.tolist(),
        "shares": [{"name": name, "share": share} for name, share in found.shares.items()],
        "seconds": found.elapsed,
    }


def frame_of(model: Model, asked: Asked) -> str:
    """The frame or link that is asked for; the file's last when none is."""
    name = asked.word("frame") or str(model.site_names[-1])
    model.site(name)
    return name


def _box(model: Model, asked: Asked) -> dict[str, tuple[float, float, int]]:
    given = asked.part("box")
    if given is None:
        raise UsageError("a box gives lowest, highest and count for x, y or z")
    box: dict[str, tuple[float, float, int]] = {}
    for axis in "xyz":
        ends = given.floats(axis, 3)
        if ends is None:
            continue
        low, high, count = (float(end) for end in ends)
        if low > high:
            raise UsageError(f"the box on {axis} is reversed: {low:g} m … {high:g} m")
        if count != int(count) or count < 1:
            raise UsageError(
                f"the count on {axis} must be a whole number of at least 1, got {count:g}"
            )
        box[axis] = (low, high, int(count))
    total = math.prod(ends[2] for ends in box.values())
    most = min(MOST_PLACES, MOST_VALUES // max(model.nq, 1))
    if total > most:
        raise UsageError(
            f"{total:,} places are more than the {most:,} that the page can show for this "
            "mechanism: use fewer values per axis"
        )
    return box


def _present(
    model: Model, branches: tuple[Branch, ...], points: Floats, here: Floats, q: Floats
) -> int:
    """The branch that the mechanism stands in: the nearest at the place next to the frame."""
    order = np.linalg.norm(points - here[:, None], axis=0).argsort(kind="stable")
    v = np.empty(model.nv)
    for place in order[:200]:
        moves = []
        for branch in branches:
            if not branch.reached[place]:
                moves.append(math.inf)
                continue
            model.kernels.difference(q, np.ascontiguousarray(branch.qs[:, place]), v)
            moves.append(float(np.linalg.norm(v)))
        if min(moves) < math.inf:
            return int(np.argmin(moves))
    return 0


def _about(model: Model, q: Floats, frame: str) -> dict[str, Any]:
    """What the frame can hold over a box, and a box that suits."""
    geometry = analytic_geometry(model, frame)
    kind = None if geometry is None else geometry.kind
    here = pose(model, q, frame).translation
    moves, freedom, holds = _freedom(model, q, frame)
    count = COUNTS[sum(moves)]
    sites = np.array([X.translation for X in poses(model, q).values()])
    share = 0.25 if model.loops else 0.35
    half = _nice(share * float(np.linalg.norm(np.ptp(sites, axis=0))) or model.size)
    grid = half / 10
    box = {}
    for k, axis in enumerate("xyz"):
        middle = round(float(here[k]) / grid) * grid
        ends = [middle - half, middle + half, count] if moves[k] else [here[k], here[k], 1]
        box[axis] = [round(float(ends[0]), 9), round(float(ends[1]), 9), int(ends[2])]
    if kind is AnalyticKind.PITCH_ARM:
        holds = ["wrist"]
    elif kind is AnalyticKind.POSITION:
        holds = ["free"]
    elif kind is not None:
        holds = ["rotation"]
    return {
        "frame": frame,
        "holds": holds,
        "text": "" if geometry is None else geometry.reason,
        "wrist_angle": _wrist_angle(model, q, frame, here) if holds == ["wrist"] else None,
        "freedom": freedom,
        "box": box,
    }


def _freedom(model: Model, q: Floats, frame: str) -> tuple[list[bool], int, list[str]]:
    """How the frame can move, loops kept: along which axes, in how many ways, what it can hold."""
    J = jacobian(model, q, frame)
    J_phi = loop_jacobian(model, q)
    if J_phi.size:
        _, values, right = np.linalg.svd(J_phi)
        rank = int((values > STILL * values.max(initial=1e-300)).sum())
        J = J @ right[rank:].T
    J = np.vstack([J[:3] / model.size, J[3:]])
    speeds = np.linalg.norm(J, axis=1)
    fastest = max(float(speeds.max(initial=0.0)), 1e-300)
    freedom, whole_freedom = (
        int((np.linalg.svd(part, compute_uv=False) > STILL * fastest).sum()) for part in (J[:3], J)
    )
    holds = ["rotation", "free"] if whole_freedom > freedom else ["free"]
    if (speeds[3:] <= STILL * fastest).all():
        holds = ["rotation"]  # it never turns: other turns belong to other ways of assembly
    return [bool(speed > STILL * fastest) for speed in speeds[:3]], freedom, holds


def _wrist_angle(model: Model, q: Floats, frame: str, here: Floats) -> float:
    """The hand's angle above the horizontal now [rad]: the one whose answers come next to q."""

    def miss(angle: float) -> float:
        found = solve_wrist_angle(model, frame, here, angle, seed=q)
        return min((float(np.abs(one.q - q).max()) for one in found if one.exact), default=math.inf)

    step = math.radians(2.0)
    best = min(np.arange(-math.pi, math.pi, step), key=miss)
    for _ in range(24):
        step /= 2
        best = min((best - step, best, best + step), key=miss)
    return float(best)


def _nice(x: float) -> float:
    """1, 2 or 5 times a power of ten, not above x."""
    power = 10.0 ** math.floor(math.log10(max(x, 1e-9)))
    return max(k for k in (1, 2, 5) if k * power <= x * (1 + 1e-9)) * power
