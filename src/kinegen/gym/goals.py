"""Goals that a frame can reach: from poses within all limits, on the branch of the start."""

from __future__ import annotations

import numpy as np

from kinegen.dynamics.tree.loops import loop_equations
from kinegen.errors import UsageError
from kinegen.kernels import Floats, Ints
from kinegen.kinematics.batch import forward_many
from kinegen.kinematics.limits import outside_limits
from kinegen.kinematics.solving.assembling.assembly import close
from kinegen.kinematics.tolerances import is_closed
from kinegen.mechanism.model import Model

__all__ = ["reachable_goals"]

STRIDE = 0.08
"""Way between poses of closed mechanisms, as a share of the span of the motors."""


def reachable_goals(
    model: Model, q: Floats, frame: str, index: Ints, low: Floats, high: Floats, count: int
) -> tuple[Floats, Floats]:
    """Poses (n, nq) that the motors can bring about, and the frame's positions there (n, 3) [m].

    Trees are sampled evenly over the ranges of their motors. Mechanisms with loops walk from the
    start in small steps, so that all poses can be reached from there without opening a loop.

    Args:
        model: The model.
        q: Closed start.
        frame: The frame.
        index: Where in q the motors' positions stand, (motors,); of motors with one variable.
        low: Their least positions, (motors,).
        high: Their greatest positions, (motors,).
        count: How many poses.
    """
    rng = np.random.default_rng(0)
    if not model.constraint_count:
        poses = np.tile(q, (count, 1))
        poses[:, index] = rng.uniform(low, high, (count, len(index)))
    else:
        poses = _walked(model, q, index, low, high, count, rng)
    points = np.array(forward_many(model, poses, [frame], threads=1)[:, 0])
    if np.ptp(points, axis=0).max() < 1e-9 * model.size:
        raise UsageError(
            f"frame '{frame}' of mechanism '{model.name}' does not move: choose one "
            "that its motors move"
        )
    return poses, points


def _walked(
    model: Model, q: Floats, index: Ints, low: Floats, high: Floats, count: int,
    rng: np.random.Generator,
) -> Floats:  # fmt: skip
    """Poses along ways to random motor positions, each as far as limits and loops allow."""
    in_v = {joint.q.start: joint.v.start for joint in model.joints}
    motors: Ints = np.array([in_v[int(i)] for i in index], dtype=np.int32)
    span = high - low
    found, here, aim = [q], q, rng.uniform(low, high)
    for _ in range(20 * count):
        if len(found) == count:
            break
        left = (aim - here[index]) / span
        far = float(np.abs(left).max())
        after = _moved(model, here, motors, left * span * min(1.0, STRIDE / max(far, 1e-12)))
        if after is None:
            aim = rng.uniform(low, high)
            continue
        here = after
        found.append(here)
        if far <= STRIDE:
            aim = rng.uniform(low, high)
    return np.array(found)


def _moved(model: Model, q: Floats, motors: Ints, change: Floats) -> Floats | None:
    """The closed pose after motors moved a little; None beyond limits or where loops lock."""
    free = loop_equations(model, q).free_motion
    ways = np.linalg.lstsq(free[:, motors].T, change, rcond=1e-6)[0]
    moved = np.empty(model.nq)
    model.kernels.integrate(q, np.ascontiguousarray(ways @ free), moved)
    after, _ = close(model, moved)
    if not is_closed(model, after) or outside_limits(model, after):
        return None
    # a step that led to another branch jumps
    apart = np.empty(model.nv)
    model.kernels.difference(moved, after, apart)
    return after if np.abs(apart).max() < 0.2 else None
