"""Jacobians: how frames move when joints do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from kinegen import kernels
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, Velocity, checked, velocity
from kinegen.kinematics.handles import ORIGIN
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model

__all__ = ["WORLD", "Evaluator", "evaluator", "jacobian", "jacobian_dot", "link_twists"]

WORLD: Final = "world"
"""Axes of the world, for ``axes``."""
_ZERO = np.zeros(3)


def jacobian(
    model: AnyModel,
    q: Configuration,
    frame: str,
    *,
    point: npt.ArrayLike = ORIGIN,
    axes: str = WORLD,
) -> Floats:
    """Jacobian Jv_V_WF_E of a frame or link, (6, nv): rows linear [m], then angular [rad].

    Args:
        model: the compiled mechanism.
        q: configuration.
        frame: name of a frame or link.
        point: reference point that moves with the frame, given in it [m].
        axes: the frame or link in whose axes the rows are expressed, or ``WORLD``.
    """
    model = model_of(model)
    out = np.empty((6, model.nv))
    model.kernels.site_jacobian(
        checked(model, q), model.site(frame), _point(point), _axes(model, axes),
        np.empty(7), out,
    )  # fmt: skip
    return out


def jacobian_dot(
    model: AnyModel,
    q: Configuration,
    frame: str,
    v: Velocity,
    *,
    point: npt.ArrayLike = ORIGIN,
    axes: str = WORLD,
) -> Floats:
    """Time derivative (6, nv) of :func:`jacobian` while the joints move with v."""
    model = model_of(model)
    out = np.empty((6, model.nv))
    model.kernels.site_jacobian_dot(
        checked(model, q), velocity(model, v), model.site(frame), _point(point),
        _axes(model, axes), out,
    )  # fmt: skip
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Evaluator:
    """Pose and Jacobian of one frame, again and again, in the same two arrays."""

    pose: Floats
    """Quaternion wxyz, xyz [m], (7,)."""
    J: Floats
    """Jacobian, (6, nv): linear [m], then angular [rad]."""
    fill: Callable[[Floats], object]
    """Compute both for q: the kernel itself, for the fastest loops."""

    def __call__(self, q: Floats) -> Evaluator:
        """Compute both for q; the same object comes back, filled."""
        self.fill(q)
        return self


def evaluator(model: AnyModel, frame: str, *, axes: str = WORLD) -> Evaluator:
    """A fast callable for control loops: ``at = evaluate(q)`` updates ``at.pose`` and ``at.J``.

    It takes a contiguous float64 array q of nq numbers and rejects anything else. Every call fills
    the same two arrays: copy them to keep them, and use one evaluator per thread. q is not checked
    for finite numbers.
    """
    model = model_of(model)
    pose, J = np.empty(7), np.empty((6, model.nv))
    fill = kernels.evaluator(model.kernels, model.site(frame), _axes(model, axes), pose, J)
    return Evaluator(pose, J, fill)


def link_twists(model: AnyModel, q: Configuration, v: Velocity) -> Floats:
    """Twists V_WL_W of all links at their origins, (link_count, 6) [m/s, rad/s]."""
    model = model_of(model)
    out = np.empty((model.link_count, 6))
    model.kernels.link_twists(checked(model, q), velocity(model, v), out)
    return out


def _axes(model: Model, axes: str) -> int:
    return -1 if axes == WORLD else model.site(axes)


def _point(point: npt.ArrayLike) -> Floats:
    if point is ORIGIN:
        return _ZERO
    try:
        array = np.ascontiguousarray(point, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise UsageError(f"a point must be 3 finite numbers [m], got {point!r}")
    return array
