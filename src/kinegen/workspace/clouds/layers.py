"""Quality layers: one number per pose or point of a cloud, by which it is coloured."""

from __future__ import annotations

import enum
from collections.abc import Sequence

import numpy as np

from kinegen.errors import UsageError, did_you_mean
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import RANK
from kinegen.kinematics.batch import site_columns
from kinegen.workspace.clouds.ranges import JointRange
from kinegen.workspace.clouds.sweep import Sweep

__all__ = ["Layer", "density", "layer_of", "layer_values", "position_jacobians"]

STEP = 1e-6
"""Of central differences [rad, sizes]: rounding and curvature both stay below 1e-9."""
BINS = 64
"""Cells per axis in which the density counts points."""


class Layer(enum.StrEnum):
    """The quantity that colours a cloud."""

    LINK = "link"
    """Which link or frame a point belongs to: its index."""
    JOINT = "joint"
    """The value of one joint [rad, m]; written 'joint:NAME'."""
    MANIPULABILITY = "manipulability"
    """Yoshikawa's measure of the frame's position: product of the singular values [m^rank]."""
    LIMITS = "limits"
    """Nearness to joint limits: 0 at a limit, 1 in the middle of every range."""
    SINGULARITY = "singularity"
    """Smallest usual singular value of the frame's position over the size: 0 at a singularity."""
    DENSITY = "density"
    """Points of the same frame in the same cell of a 64 x 64 x 64 grid."""
    DEXTERITY = "dexterity"
    """The share of directions in which the last frame can point in a point's cell."""

    @property
    def is_by_place(self) -> bool:
        """Whether its values belong to cells, so that they are known only after all poses."""
        return self in (Layer.DENSITY, Layer.DEXTERITY)


def layer_of(text: str, ranges: Sequence[JointRange]) -> tuple[Layer, JointRange | None]:
    """A layer from its name, with the range that 'joint:NAME' speaks of."""
    kind, _, name = text.partition(":")
    if kind not in {layer.value for layer in Layer}:
        hint = did_you_mean(kind, [layer.value for layer in Layer]) or ";"
        raise UsageError(
            f"there is no layer '{text}'{hint} layers: {', '.join(layer.value for layer in Layer)}"
            " (joint as joint:NAME)"
        )
    layer = Layer(kind)
    if layer is not Layer.JOINT:
        return layer, None
    for one in ranges:
        if one.name == name:
            return layer, one
    moving = ", ".join(f"joint:{one.name}" for one in ranges)
    raise UsageError(f"layer '{text}' does not name a joint of the sweep; its joints: {moving}")


def layer_values(
    sweep: Sweep, layer: Layer, one: JointRange | None, frames: Sequence[str], qs: Floats
) -> Floats:
    """Values of a layer, (k, n) for k frames and the n columns of qs.

    Quality layers look at the last frame; density and dexterity are worked out at the end, by
    :func:`density` and :func:`kinegen.workspace.progressive.cells.dexterity_cells`.
    """
    n, model = qs.shape[1], sweep.model
    if layer is Layer.LINK or layer.is_by_place:
        return np.repeat(np.arange(len(frames), dtype=float)[:, None], n, axis=1)
    if layer is Layer.JOINT and one is not None:
        row = qs[one.variable]
    elif layer is Layer.LIMITS:
        row = np.ones(n)
        for each in (*sweep.ranges, *sweep.bounds):
            if 0 < each.width < np.inf and not each.is_turn:
                middle = (each.lower + each.upper) / 2
                near = 1 - np.abs(qs[each.variable] - middle) / (each.width / 2)
                row = np.minimum(row, near)
    else:
        values = _singular_values(sweep, frames[-1], qs)
        # others are singular values that the arm never has
        rank = int((values.max(axis=0) > RANK * values.max()).sum()) if n else 0
        row = np.prod(values[:, :rank], axis=1)
        if layer is Layer.SINGULARITY:
            row = values[:, max(rank - 1, 0)] / model.size
    return np.repeat(row[None], len(frames), axis=0)


def density(points: Floats, bins: int = BINS) -> Floats:
    """How many points of the same frame share each point's cell, (k, n) for points (k, 3, n)."""
    flat = points.transpose(0, 2, 1).reshape(-1, 3)
    low, high = flat.min(axis=0), flat.max(axis=0)
    wide = np.where(high > low, high - low, 1.0)
    out = np.empty((points.shape[0], points.shape[2]))
    for k, frame in enumerate(points):
        cell = np.minimum(
            (bins * (frame - low[:, None]) / wide[:, None]).astype(np.int64), bins - 1
        )
        index = (cell[0] * bins + cell[1]) * bins + cell[2]
        out[k] = np.bincount(index, minlength=bins**3)[index]
    return out


def position_jacobians(sweep: Sweep, frame: str, qs: Floats) -> Floats:
    """How a frame's origin moves with each range's variable, (n, 3, ranges), for a tree."""
    columns = []
    for one in sweep.ranges:
        step = STEP * (1.0 if one.quantity == "angle" else sweep.model.size)
        ends = []
        for side in (step, -step):
            moved = qs.copy()
            moved[one.variable] += side
            ends.append(site_columns(sweep.model, sweep.follow(moved), [frame])[0])
        columns.append((ends[0] - ends[1]) / (2 * step))
    return np.stack(columns, axis=-1).transpose(1, 0, 2)


def _singular_values(sweep: Sweep, frame: str, qs: Floats) -> Floats:
    """Singular values of the position Jacobians, (n, 3), largest first [m]."""
    J = position_jacobians(sweep, frame, qs)
    squares = np.linalg.eigvalsh(J @ J.transpose(0, 2, 1))[:, ::-1]
    values: Floats = np.sqrt(np.maximum(squares, 0.0))
    return values
