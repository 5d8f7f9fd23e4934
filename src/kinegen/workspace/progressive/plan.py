"""Plans of clouds: what is swept and shown, chosen so that a cloud is worth looking at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinegen.errors import UsageError
from kinegen.kinematics.configurations import Configuration
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.workspace.clouds.cloud import CloudPlan, plan_cloud
from kinegen.workspace.clouds.layers import Layer
from kinegen.workspace.clouds.ranges import Ranges

__all__ = ["SPREAD", "propose_cloud"]

FACTORS = (90.0, 60.0, 45.0, 30.0, 20.0, 15.0, 10.0, 6.0, 5.0, 3.0, 2.0, 1.0, 0.5, 0.2, 0.1)
ENOUGH = 5_000
"""Poses of a grid that nobody has chosen."""
COARSEST = 20.0
"""[deg] Where a grid of so few poses would be coarser than this, they are quasi-random."""
SPREAD = 50_000
"""Quasi-random poses that nobody has counted."""
WAYS = ("grid", "spread")


def propose_cloud(
    model: AnyModel,
    q: Configuration = None,
    frame: str | None = None,
    *,
    frames: Sequence[str] | None = None,
    ranges: Ranges | None = None,
    factor: float | None = None,
    count: int | None = None,
    how: str | None = None,
    layer: str = Layer.LINK.value,
) -> CloudPlan:
    """The plan of a cloud, with useful values for everything that is not given.

    Without a factor and a count, it is a grid of some thousand poses, or as many quasi-random poses
    if such a grid would be too coarse.

    Args:
        model: The mechanism or its model, a tree.
        q: Values of the joints that stay fixed.
        frame: As for :func:`kinegen.workspace.cloud`.
        frames: As there; dexterity is that of the tool alone.
        ranges: As there.
        factor: As there.
        count: As there.
        how: 'grid' or 'spread', to choose between the two if neither factor nor count is given.
        layer: The quantity that colours the points.
    """
    model = model_of(model)
    if how is not None and how not in WAYS:
        raise UsageError(f"how must be 'grid' or 'spread', not '{how}'")
    if layer == Layer.DEXTERITY:
        frames = None
    chosen: dict[str, Any] = {"frames": frames, "ranges": ranges, "layer": layer}
    if factor is not None or count is not None:
        return plan_cloud(model, q, frame, factor=factor, count=count, **chosen)
    if how != "spread":
        for each in FACTORS:
            plan = plan_cloud(model, q, frame, factor=each, **chosen)
            if plan.sweep.count >= ENOUGH:
                break
        if each <= COARSEST or how == "grid":
            return plan
    return plan_cloud(model, q, frame, count=SPREAD, **chosen)
