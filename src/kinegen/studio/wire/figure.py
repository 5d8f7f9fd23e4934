"""Figure: a mechanism as a few strokes, small enough for a list."""

from __future__ import annotations

import numpy as np

from kinegen.errors import AssemblyError
from kinegen.kernels import Floats
from kinegen.kinematics.closure import loop_poses
from kinegen.kinematics.positions import forward
from kinegen.kinematics.solving.assembling.assembly import assemble
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.skeleton import read_skeleton

__all__ = ["FIELD", "stick_figure"]

FIELD = (44.0, 34.0)
"""Width and height that the strokes fill, a margin left."""
_MARGIN = 4.0
_CORNER = np.array([[0.82, -0.57, 0.0], [0.26, 0.37, 1.0]])
"""Right and up of an eye that looks from a corner, a little from above."""


def stick_figure(model: Model) -> str:
    """An SVG path of the start pose: bars from each link's joint to what the link carries."""
    try:
        q: Floats | None = assemble(model).q
    except AssemblyError:
        q = None
    places = forward(model, q)[:, 4:7]
    ends = loop_poses(model, q).reshape(-1, 2, 7)[:, :, 4:7]
    bars = [
        (places[joint.parent], places[joint.child])
        for joint in model.joints
        if not joint.is_cut and joint.parent != 0
    ]
    for loop, (on_parent, on_child) in zip(model.loops, ends, strict=False):
        cut = model.joints[loop.joint]
        bars += [(places[cut.parent], on_parent)] * (cut.parent != 0)
        bars += [(places[cut.child], on_child)] * (cut.child != 0)
    first_frame = model.link_count
    bars += [
        (places[frame.link], places[first_frame + i])
        for i, frame in enumerate(model.frames)
        if frame.link != 0
    ]
    return _path(np.array(bars).reshape(-1, 2, 3), _axes(model))


def _axes(model: Model) -> Floats:
    """Right and up of the eye: straight onto the plane of a planar mechanism."""
    plane = read_skeleton(model, {}).plane
    if plane is None:
        return _CORNER
    normal = np.asarray(plane.normal)
    up = np.array([0.0, 0.0, 1.0]) if abs(normal[2]) < 0.7 else np.array([0.0, 1.0, 0.0])
    right = np.cross(up, normal)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(normal, right)])


def _path(bars: Floats, axes: Floats) -> str:
    if not len(bars):
        return ""
    flat = bars @ axes.T * (1.0, -1.0)
    low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    room = np.array(FIELD) - 2 * _MARGIN
    scale = float((room / np.maximum(high - low, 1e-9)).min())
    flat = (flat - (low + high) / 2) * scale + np.array(FIELD) / 2
    lines = dict.fromkeys(f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}" for a, b in flat)
    return "".join(lines)
