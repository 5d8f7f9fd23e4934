"""Proposals for joint maps: what a frame can hold over a box of places, and a box that suits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.analytic.closed_form import (
    AnalyticKind,
    analytic_geometry,
    solve_wrist_angle,
)
from kinegen.kinematics.closure import loop_jacobian
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.neat import neat_number, pose_extent
from kinegen.kinematics.positions import pose
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.results import Result

__all__ = ["Hold", "MapProposal", "propose_map"]

Hold = Literal["wrist", "rotation", "free"]
"""What a frame keeps at every place."""

COUNTS = {0: 1, 1: 41, 2: 21, 3: 11}
"""Values per axis of the proposed box, by how many axes the frame moves along."""
STILL = 1e-6
"""A frame moves along an axis when it gets this share of its fastest motion there."""
SHARE, SHARE_LOOPS = 0.35, 0.25
"""Half the box in extents of the mechanism: loops reach less far."""


@dataclass(frozen=True, slots=True, eq=False)
class MapProposal(Result):
    """Suggested settings for the joint map of a frame."""

    frame: str
    holds: tuple[Hold, ...]
    """What the frame can keep at every place: 'wrist', 'rotation', 'free'; the usual one first."""
    text: str
    """Why the arm has a closed form; empty without one."""
    wrist_angle: float | None
    """The present angle of the hand above the horizontal [rad], if it can be kept."""
    dof: int
    """In how many directions the frame can move."""
    box: dict[str, tuple[float, float, int]]
    """Axis → lowest, highest [m] and number of values, as :func:`joint_map` takes it."""


def propose_map(model: AnyModel, q: Configuration = None, frame: str | None = None) -> MapProposal:
    """What a frame can keep over a box of positions, and a suggested box around it.

    Args:
        model: The mechanism or its model.
        q: Its pose, loops closed; default: the file's start.
        frame: A frame or link; default: the last.
    """
    model = model_of(model)
    frame = frame or model.site_names[-1]
    q = configuration(model, q)
    geometry = analytic_geometry(model, frame)
    kind = None if geometry is None else geometry.kind
    here = pose(model, q, frame).translation
    moves, dof, holds = _dof(model, q, frame)
    count = COUNTS[sum(moves)]
    half = neat_number((SHARE_LOOPS if model.constraint_count else SHARE) * pose_extent(model, q))
    grid = half / 10
    box = {}
    for k, axis in enumerate("xyz"):
        middle = round(float(here[k]) / grid) * grid
        ends = (middle - half, middle + half, count) if moves[k] else (here[k], here[k], 1)
        box[axis] = (round(float(ends[0]), 9), round(float(ends[1]), 9), int(ends[2]))
    if kind is AnalyticKind.PITCH_ARM:
        holds = ("wrist",)
    elif kind is AnalyticKind.POSITION:
        holds = ("free",)
    elif kind is not None:
        holds = ("rotation",)
    angle = _wrist_angle(model, q, frame, here) if holds == ("wrist",) else None
    text = "" if geometry is None else geometry.reason
    return MapProposal(frame, holds, text, angle, dof, box)


def _dof(model: Model, q: Floats, frame: str) -> tuple[list[bool], int, tuple[Hold, ...]]:
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
    dof, whole_dof = (
        int((np.linalg.svd(part, compute_uv=False) > STILL * fastest).sum()) for part in (J[:3], J)
    )
    holds: tuple[Hold, ...] = ("rotation", "free") if whole_dof > dof else ("free",)
    if (speeds[3:] <= STILL * fastest).all():
        holds = ("rotation",)  # it never turns: other turns belong to other ways of assembly
    return [bool(speed > STILL * fastest) for speed in speeds[:3]], dof, holds


def _wrist_angle(model: Model, q: Floats, frame: str, here: Floats) -> float:
    """The hand's angle above the horizontal now [rad]: the one whose answers come next to q."""

    def miss(angle: float) -> float:
        found = solve_wrist_angle(model, frame, here, angle, start=q)
        return min((float(np.abs(one.q - q).max()) for one in found if one.exact), default=math.inf)

    step = math.radians(2.0)
    best = min(np.arange(-math.pi, math.pi, step), key=miss)
    for _ in range(24):
        step /= 2
        best = min((best - step, best, best + step), key=miss)
    return float(best)
