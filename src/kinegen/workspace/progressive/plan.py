"""Plans of clouds: what is swept and shown, chosen so that a cloud is worth looking at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.batch import forward_columns
from kinegen.kinematics.configurations import Configuration
from kinegen.mechanism.model import Model
from kinegen.workspace.clouds import plan_cloud
from kinegen.workspace.layers import Layer, layer_of, layer_values
from kinegen.workspace.ranges import Ranges
from kinegen.workspace.sweep import Sweep

__all__ = ["SPREAD", "CloudPlan", "Points32", "propose_cloud"]

Points32 = npt.NDArray[np.float32]
FACTORS = (90.0, 60.0, 45.0, 30.0, 20.0, 15.0, 10.0, 6.0, 5.0, 3.0, 2.0, 1.0, 0.5, 0.2, 0.1)
ENOUGH = 5_000
"""Poses of a grid that nobody has chosen."""
COARSEST = 20.0
"""[deg] Where a grid of so few poses would be coarser than this, they are quasi-random."""
SPREAD = 50_000
"""Quasi-random poses that nobody has counted."""
WAYS = ("grid", "spread")


@dataclass(frozen=True, slots=True, eq=False)
class CloudPlan:
    """What is swept and shown."""

    sweep: Sweep
    frames: tuple[str, ...]
    """The k frames and links."""
    layer: str
    """What the points are coloured by: see :class:`Layer`."""
    factor: float | None
    """Degrees per value on a grid; None for quasi-random poses."""

    @property
    def point_count(self) -> int:
        """Poses times frames."""
        return self.sweep.count * len(self.frames)

    @property
    def is_by_place(self) -> bool:
        """Whether the layer's values are known only when all poses are."""
        return layer_of(self.layer, self.sweep.ranges)[0].is_by_place

    def poses(self, first: int, count: int) -> tuple[npt.NDArray[np.int64], Floats, Points32]:
        """Some poses in even order: which, their configurations (nq, n), points (n, k, 3) [m]."""
        index, qs = self.sweep.even(first, count)
        points = forward_columns(self.sweep.model, qs, self.frames)
        return index, qs, points.transpose(2, 0, 1).astype(np.float32)

    def values(self, qs: Floats) -> npt.NDArray[Any] | None:
        """The layer's values, pose after pose, (n k,): NaN where they come at the end.

        None where the frame alone says the colour.
        """
        k, n = len(self.frames), qs.shape[1]
        kind, one = layer_of(self.layer, self.sweep.ranges)
        if kind is Layer.LINK:
            return None
        if kind.is_by_place:
            return np.full(k * n, np.nan)
        sweep = self.sweep
        return layer_values(sweep.model, kind, one, sweep.ranges, self.frames, qs).T.ravel()


def propose_cloud(
    model: Model,
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
    """The plan of a cloud; what is left open is chosen so that the cloud is worth looking at.

    Without a factor and a count it is a grid of some thousand poses, or as many quasi-random poses
    where such a grid would be too coarse.

    Args:
        model: The compiled mechanism, a tree.
        q: Values of the joints that hold still.
        frame: As for :func:`kinegen.workspace.cloud`.
        frames: As there; dexterity is that of the tool alone.
        ranges: As there.
        factor: As there.
        count: As there.
        how: 'grid' or 'spread', to choose between the two where neither factor nor count is given.
        layer: What the points are coloured by.
    """
    if how is not None and how not in WAYS:
        raise UsageError(f"how must be 'grid' or 'spread', not '{how}'")
    if layer == Layer.DEXTERITY:
        frames = [frame or model.site_names[-1]]
    chosen: dict[str, Any] = {"frames": frames, "ranges": ranges, "q": q}
    if factor is None and count is None:
        factor, count = _usual(model, frame, chosen, how)
    sweep, names = plan_cloud(model, frame=frame, factor=factor, count=count, **chosen)
    layer_of(layer, sweep.ranges)
    return CloudPlan(sweep, names, layer, factor)


def _usual(
    model: Model, frame: str | None, chosen: dict[str, Any], how: str | None
) -> tuple[float | None, int | None]:
    """A factor or a count."""
    if how == "spread":
        return None, SPREAD
    for factor in FACTORS:
        sweep, _ = plan_cloud(model, frame=frame, factor=factor, **chosen)
        if sweep.count >= ENOUGH:
            break
    return (factor, None) if factor <= COARSEST or how == "grid" else (None, SPREAD)
