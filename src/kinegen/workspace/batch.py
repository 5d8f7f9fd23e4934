"""Forward kinematics by column: sweeps keep their poses as the kernels do, variable by variable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.batch import forward_many
from kinegen.mechanism.model import Model

__all__ = ["site_columns"]


def site_columns(
    model: Model, qs: Floats, frames: Sequence[str], *, rotations: bool = False
) -> Floats:
    """Positions (k, 3, n) [m], or poses (k, 7, n), of k frames for the n columns of qs (nq, n)."""
    return np.asarray(forward_many(model, qs, frames, rotations=rotations))
