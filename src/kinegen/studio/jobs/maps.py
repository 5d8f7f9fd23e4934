"""Joint-space maps and backlash, as the page asks for them."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.positions import pose
from kinegen.mechanism.model import Model
from kinegen.studio.jobs.analyses import Progress
from kinegen.studio.jobs.arguments import Asked
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.workspace.backlash_cloud import backlash as make_backlash
from kinegen.workspace.joint_maps import joint_map as make_map
from kinegen.workspace.joint_maps import present_branch
from kinegen.workspace.map_proposal import propose_map

__all__ = ["backlash", "frame_of", "joint_map"]

Arguments = Mapping[str, Any]

MOST_PLACES = 40_000
MOST_VALUES = 400_000
"""Joint values of one branch: places times joints."""


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
    hold = asked.choice("hold", ("wrist", "rotation", "free"), "free")
    angle = asked.number("wrist_angle", -math.tau, math.tau) if hold == "wrist" else None
    if hold == "wrist" and angle is None:
        raise UsageError("to hold the wrist give wrist_angle")
    rotation = pose(model, q, frame).so3 if hold == "rotation" else None
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
        "present": present_branch(model, found, q),
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


def _about(model: Model, q: Floats, frame: str) -> dict[str, Any]:
    """What the frame can hold over a box, and a box that suits."""
    found = propose_map(model, q, frame)
    return {
        "frame": found.frame,
        "holds": list(found.holds),
        "text": found.text,
        "wrist_angle": found.wrist_angle,
        "freedom": found.freedom,
        "box": {axis: list(ends) for axis, ends in found.box.items()},
    }
