"""Outer forces on links, from what people give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model
from kinegen.spatial.twist import Wrench

__all__ = ["Wrenches", "wrench_rows"]

Wrenches: TypeAlias = npt.ArrayLike | Mapping[str, Wrench | npt.ArrayLike] | None
"""Force [N] and moment [N m] in world axes: by name of a link or frame, about its origin; or six
numbers per link, (link_count, 6)."""


def wrench_rows(model: Model, q: Floats, wrenches: Wrenches) -> Floats | None:
    """Six numbers per link about its own origin, or None where nothing pushes."""
    if wrenches is None:
        return None
    rows = np.zeros((model.link_count, 6))
    if not isinstance(wrenches, Mapping):
        given = _numbers(wrenches, "wrenches")
        if given.shape != rows.shape:
            raise UsageError(
                f"wrenches of mechanism '{model.name}' have six numbers per link: shape "
                f"{rows.shape}, got {given.shape}"
            )
        _check(given.ravel(), [f"wrenches of link '{name}'" for name in model.link_names])
        return given
    poses = forward(model, q) if wrenches else np.empty((0, 7))
    for name, wrench in wrenches.items():
        site = model.site(name)
        numbers = _numbers(
            wrench.vector if isinstance(wrench, Wrench) else wrench, f"the wrench on '{name}'"
        )
        if numbers.shape != (6,):
            raise UsageError(
                f"the wrench on '{name}' takes six numbers (force, moment), got shape "
                f"{numbers.shape}"
            )
        _check(numbers, [f"the wrench on '{name}'"])
        link = site if site < model.link_count else model.frames[site - model.link_count].link
        arm = poses[site, 4:] - poses[link, 4:]
        rows[link] += numbers
        rows[link, 3:] += np.cross(arm, numbers[:3])
    return rows


def _numbers(values: npt.ArrayLike, what: str) -> Floats:
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what} takes numbers, got {values!r}") from error


def _check(numbers: Floats, owners: list[str]) -> None:
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        raise UsageError(f"{owners[bad[0] // 6]} holds {numbers[bad[0]]}: use finite numbers")
