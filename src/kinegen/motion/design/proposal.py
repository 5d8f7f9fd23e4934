"""Proposals for designs: curves and a box near a frame, in round numbers, to begin with."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinegen.curves.ellipses import plane_axes
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.neat import neat_number, pose_extent
from kinegen.kinematics.positions import pose
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.shapes.skeleton import read_skeleton
from kinegen.results import Result

__all__ = ["GoalProposal", "ProposedCurve", "propose_goals"]

POINTS = 12
"""Of a ready curve."""
SIZE = 0.15
"""Half a curve in extents of the mechanism."""
NEAT = (1, 2, 3, 5, 8)
"""Digits of its size."""

_Shape = tuple[str, bool, Callable[[Floats], Floats]]
SHAPES: dict[str, _Shape] = {
    "line": ("Straight line", False, lambda s: np.array([2 * s - 1, 0 * s])),
    "circle": ("Circle", True, lambda s: np.array([np.cos(math.tau * s), np.sin(math.tau * s)])),
    "ellipse": (
        "Ellipse",
        True,
        lambda s: np.array([np.cos(math.tau * s), 0.6 * np.sin(math.tau * s)]),
    ),
    "eight": (
        "Figure eight",
        True,
        lambda s: np.array([np.sin(math.tau * s), 0.5 * np.sin(2 * math.tau * s)]),
    ),
    "drop": (
        "Step (flat below)",
        True,
        lambda s: np.array([np.cos(math.tau * s), 0.5 * np.maximum(0, np.sin(math.tau * s))]),
    ),
}
"""Title, whether it closes, and its places in the plane over a share of 0 … 1."""


@dataclass(frozen=True, slots=True, eq=False)
class ProposedCurve:
    """Points that a frame could pass."""

    name: str
    title: str
    is_closed: bool
    points: Floats
    """[m], (n, 3)"""
    note: str = ""
    """Where they come from."""


@dataclass(frozen=True, slots=True, eq=False)
class GoalProposal(Result):
    """Suggested goals for a design."""

    frame: str
    curves: tuple[ProposedCurve, ...]
    """Curves to follow."""
    box: Floats
    """Box to cover: two opposite corners [m], (2, 3)."""
    normal: Floats
    """Normal of the plane to draw in: that of the mechanism if it is planar, else the vertical,
    (3,)."""
    is_flat: bool
    """Whether the mechanism moves in that plane only."""
    at: Floats
    """Position of the frame [m], (3,)."""


def propose_goals(
    model: AnyModel, q: Configuration = None, frame: str | None = None
) -> GoalProposal:
    """Curves near a frame, and a box around it, as goals for a design.

    Args:
        model: The mechanism or its model.
        q: Its pose, loops closed; default: the file's start.
        frame: A frame or link; default: the last.
    """
    model = model_of(model)
    frame, q = frame or model.site_names[-1], configuration(model, q)
    here = pose(model, q, frame).translation
    plane = read_skeleton(model, {}).plane
    normal = np.array([0.0, 0.0, 1.0]) if plane is None else np.asarray(plane.normal, dtype=float)
    across, along = plane_axes(normal)
    size = neat_number(SIZE * pose_extent(model, q), NEAT)
    # round numbers are easier to think about than those of the moment
    grid = 10.0 ** math.floor(math.log10(size))
    centre = np.round(here / grid) * grid
    if plane is not None:
        centre = centre + normal * float(normal @ (here - centre))
    curves = [
        _curve(name, shape, centre, size * across, size * along) for name, shape in SHAPES.items()
    ]
    if plane is not None and abs(normal[2]) > 1 - 1e-9:
        curves.append(_published(float(here[2])))
    low = centre - size * (np.abs(across) + np.abs(along) + (normal if plane is None else 0))
    box = np.array([low, 2 * centre - low])
    return GoalProposal(frame, tuple(curves), box, normal, plane is not None, here)


def _curve(name: str, shape: _Shape, centre: Floats, u: Floats, v: Floats) -> ProposedCurve:
    title, closed, form = shape
    shares = np.linspace(0, 1, POINTS, endpoint=not closed)
    a, b = form(shares)
    return ProposedCurve(name, title, closed, centre + a[:, None] * u + b[:, None] * v)


def _published(z: float) -> ProposedCurve:
    """Case 3 of Acharyya and Mandal: nine points of an ellipse, their numbers as centimetres.

    Performance of EAs for four-bar linkage synthesis, Mechanism and Machine Theory 44, 2009.
    """
    angle = np.radians(40 * np.arange(9))
    xyz = np.stack([0.1 + 0.1 * np.cos(angle), 0.1 + 0.08 * np.sin(angle), z + 0 * angle], axis=1)
    note = "Acharyya and Mandal, Mechanism and Machine Theory 44, case 3: a classic test for "
    note += "four-bars"
    return ProposedCurve("published", "Published ellipse (2009)", True, xyz, note)
