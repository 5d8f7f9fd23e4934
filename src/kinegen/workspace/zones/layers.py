"""Quality layers of zones: one number per pose of a mechanism with loops, as clouds have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import RANK
from kinegen.kinematics.closure import loop_jacobian
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.solving.assembling.assembly import inputs_of
from kinegen.kinematics.solving.locking import locked_variables
from kinegen.mechanism.model import Model
from kinegen.workspace.clouds.layers import Layer, density, layer_of, layer_values
from kinegen.workspace.clouds.ranges import joint_ranges
from kinegen.workspace.clouds.sweep import grid_sweep
from kinegen.workspace.zones.result import Zone

__all__ = ["quality", "with_layer"]

PASSIVE_RANK = 1e-9
"""Passive motions that the loops resist less than this are left out of a solution."""


def with_layer(model: Model, zone: Zone, layer: str, inputs: Sequence[str] | None = None) -> Zone:
    """A zone whose points have values, worked out from the poses that its modes keep.

    Args:
        model: The compiled mechanism.
        zone: Made with its poses.
        layer: As for clouds: 'manipulability', 'singularity', 'limits', 'density' or 'joint:NAME'.
        inputs: Joints that drive the mechanism; default: those with motors.
    """
    ranges = joint_ranges(model, None)
    kind, one = layer_of(layer, ranges)
    if kind is Layer.LINK:
        raise UsageError("a zone has only one frame: colour it by mode, or use another layer")
    if kind is Layer.DEXTERITY:
        raise UsageError("dexterity is a layer of clouds: use another layer for a zone")
    poses = [mode.qs for mode in zone.modes if mode.qs is not None]
    if len(poses) < len(zone.modes):
        raise UsageError("the layer of a zone needs its poses: compute it with poses=True")
    together = np.concatenate(poses).T
    if kind is Layer.DENSITY:
        values = density(zone.points.T[None])[0] if together.shape[1] else np.zeros(0)
    elif kind in {Layer.MANIPULABILITY, Layer.SINGULARITY}:
        names = tuple(inputs_of(model) if inputs is None else inputs)
        values = quality(model, zone.frame, names, together, kind)
    else:
        sweep = grid_sweep(model, ranges)
        values = layer_values(sweep, kind, one, [zone.frame], together)[0]
    ends = np.cumsum([mode.count for mode in zone.modes])[:-1]
    modes = tuple(
        replace(mode, values=part)
        for mode, part in zip(zone.modes, np.split(values, ends), strict=True)
    )
    return replace(zone, modes=modes, layer=layer)


def quality(model: Model, frame: str, inputs: Sequence[str], qs: Floats, layer: Layer) -> Floats:
    """Manipulability or nearness to a singularity of poses (nq, n), (n,).

    Both look at how the frame's origin moves with the inputs while the loops stay closed. The
    manipulability is the product of its usual singular values; where the loops let parts move
    although the inputs hold, the nearness to a singularity is 0 too.
    """
    n = qs.shape[1]
    driven = locked_variables(model, inputs)
    if driven is None or not n:
        raise UsageError(f"mechanism '{model.name}' has no inputs: name them")
    is_input = driven.astype(bool)
    loops = np.empty((n, 6 * model.constraint_count, model.nv))
    moves = np.empty((n, 3, model.nv))
    for i, q in enumerate(np.ascontiguousarray(qs.T)):
        loops[i] = loop_jacobian(model, q)
        moves[i] = jacobian(model, q, frame)[:3]
    loops.reshape(n, -1, 2, 3, model.nv)[:, :, 0] /= model.size
    passive = loops[:, :, ~is_input]
    follow = -np.linalg.pinv(passive, rcond=PASSIVE_RANK) @ loops[:, :, is_input]
    J = moves[:, :, is_input] + moves[:, :, ~is_input] @ follow
    values = np.linalg.svd(J, compute_uv=False)
    # others are singular values that the frame never has
    rank = int((values.max(axis=0) > RANK * values.max()).sum())
    if layer is Layer.MANIPULABILITY:
        return np.asarray(np.prod(values[:, :rank], axis=1))
    held = np.linalg.svd(passive, compute_uv=False)
    # spins that the loops never resist are no singularities
    usual = int((held.max(axis=0) > RANK * held.max()).sum()) if held.size else 0
    near = values[:, max(rank - 1, 0)] / model.size
    return np.asarray(np.minimum(near, held[:, usual - 1]) if usual else near)
