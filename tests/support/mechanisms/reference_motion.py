"""The NumPy kernels' scaled motion of a model."""

from __future__ import annotations

import kinegen as kg
from kinegen.kernels import Blocks
from kinegen.kernels.reference.base.bound import BoundModel
from kinegen.kernels.reference.loops.scaled_motion import ScaledMotion


def reference_motion(model: kg.Model) -> ScaledMotion:
    return ScaledMotion(Blocks(model.ints, model.reals), BoundModel(model.ints, model.reals))
