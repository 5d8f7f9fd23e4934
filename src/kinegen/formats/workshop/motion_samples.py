"""Poses that a mechanism passes through while it moves: where its parts may touch."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.closure import loop_jacobian
from kinegen.kinematics.configurations import Configuration, configuration, integrate
from kinegen.kinematics.solving.assembling.assembly import close
from kinegen.mechanism.model import Model

__all__ = ["POSES", "motion_samples", "travel_of"]

POSES = 240
"""Of one sample: a crank turns in steps of a few degrees."""
STEP = math.radians(5)
"""How far the fastest joint turns from one pose to the next [rad]; slides by its share of the
mechanism's size."""
LEG = 24
"""Poses after which a mechanism with several degrees of freedom takes another direction."""
_FREE = 1e-7
"""Singular values below this share of the largest one are zero: directions that loops leave."""


def motion_samples(model: Model, q: Configuration = None, *, count: int = POSES) -> Floats:
    """Poses with closed loops within the limits, (n, nq), the first one q; the same every time.

    The mechanism moves in one direction as far as it can, then in the other; one with several
    degrees of freedom takes random turns.
    """
    start = configuration(model, q)
    random = np.random.default_rng(0)
    scale = _scales(model)
    found = [start]
    step = random.standard_normal(model.nv)
    for sign in (1.0, -1.0):
        now, way = start, sign * step
        for n in range(count // 2):
            free = _free_directions(model, now, scale)
            if not free.shape[1]:
                return np.array(found)
            if free.shape[1] > 1 and n % LEG == LEG - 1:
                way = random.standard_normal(model.nv)
            moved = _moved(model, now, free @ (free.T @ way), scale)
            if moved is None:
                if free.shape[1] == 1:
                    break
                way = random.standard_normal(model.nv)
                continue
            way, now = moved
            found.append(now)
    return np.array(found)


def travel_of(model: Model, joint: int, samples: Floats) -> tuple[float, float, bool]:
    """Lowest and highest value of a slide [m], and whether both are limits of the file."""
    one = model.joints[joint]
    low, high = float(model.lower[one.v.start]), float(model.upper[one.v.start])
    seen = samples[:, one.q.start]
    limited = math.isfinite(low) and math.isfinite(high)
    return (
        low if math.isfinite(low) else float(seen.min()),
        high if math.isfinite(high) else float(seen.max()),
        limited,
    )


def _scales(model: Model) -> Floats:
    """What counts as one radian of every variable [rad, m]."""
    scale = np.ones(model.nv)
    for joint in model.joints:
        for k, slides in enumerate(joint.type.info.is_length):
            if slides:
                scale[joint.v.start + k] = model.size
    return scale


def _free_directions(model: Model, q: Floats, scale: Floats) -> Floats:
    """Orthonormal directions of v, scaled, that keep the loops closed, (nv, n)."""
    if not model.constraint_count:
        return np.eye(model.nv)
    rows = loop_jacobian(model, q) * scale
    rows.reshape(-1, 6, model.nv)[:, :3] /= model.size
    _, values, axes = np.linalg.svd(rows)
    rank = int((values > _FREE * max(float(values[0]), 1e-300)).sum())
    return np.asarray(axes[rank:].T)


def _moved(model: Model, q: Floats, way: Floats, scale: Floats) -> tuple[Floats, Floats] | None:
    """The direction that was taken and the pose it leads to; None where it leads nowhere."""
    largest = float(np.abs(way).max(initial=0.0))
    if largest < _FREE:
        return None
    step = way / largest * STEP
    there, gap = close(model, integrate(model, q, step * scale))
    if gap > 1e-9 * model.size:
        return None
    lower, upper = model.lower, model.upper
    for joint in model.joints:
        if joint.type.info.has_quaternion or not joint.type.info.moves:
            continue
        values = there[joint.q]
        if (values < lower[joint.v] - 1e-9).any() or (values > upper[joint.v] + 1e-9).any():
            return None
    return step, there
