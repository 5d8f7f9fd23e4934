"""Loops, mobility and velocities of a model as the protocol has them, on the NumPy kernels."""

from __future__ import annotations

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.protocols.loops import MobilityReport
from kinegen.kernels.reference.base.bound import BoundModel
from kinegen.kernels.reference.loops.finite_mobility import finite_mobility
from kinegen.kernels.reference.loops.mobility import find_mobility
from kinegen.kernels.reference.loops.system import LoopSystem
from kinegen.kernels.reference.loops.velocity import Inputs, find_motion, loop_bias, site_motions


class BoundLoops:
    """Some loops of a model as equations over some of v; see the protocol."""

    def __init__(
        self, ints: Ints, reals: Floats, loops: Ints, variables: Ints, size: float
    ) -> None:
        self._system = LoopSystem(
            BoundModel(ints, reals), Blocks(ints, reals), loops, variables, size
        )

    def hold(self, link: int, R: Floats, /) -> None:
        self._system.hold(link, R)

    def residual(self, q: Floats, phi: Floats, /) -> None:
        phi[...] = self._system.residual(q)

    def jacobian(self, q: Floats, J: Floats, /) -> None:
        J[...] = self._system.jacobian(q)

    def close(self, q: Floats, within: Floats | None, iterations: int) -> float:
        q[...], gap = self._system.close(q, within, iterations)
        return gap

    def assemble(self, q: Floats, /) -> float:
        q[...], gap = self._system.assemble(q)
        return gap

    def finite_mobility(self, q: Floats, basis: Floats, tolerance: float, /) -> int:
        return finite_mobility(self._system, q, basis, tolerance)


class BoundMotion:
    """A model's mobility, velocities and accelerations; see the protocol."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        self._blocks = Blocks(ints, reals)
        self._model = BoundModel(ints, reals)

    def mobility(
        self,
        q: Floats,
        locked: Ints | None,
        motors: Ints | None,
        tolerance: float,
        values: Floats,
        directions: Floats,
        groups: Ints,
        reports: Floats,
    ) -> MobilityReport:
        if not np.isfinite(q).all():
            raise UsageError("a configuration must be finite")
        found = find_mobility(self._model, self._blocks, q, locked, motors, tolerance)
        nv = self._blocks.counts.nv
        values[: len(found.values)] = found.values
        directions.reshape(nv, nv)[: len(found.directions)] = found.directions
        groups[:] = found.group
        reports.reshape(-1, 6)[: len(found.groups)] = found.groups
        return found.report

    def motion(
        self,
        q: Floats,
        v: Floats | None,
        driven: Ints,
        values: Floats,
        frames: Ints,
        frame_values: Floats,
        size: float,
        out: Floats,
        missed: Floats,
        free_motion: Floats,
    ) -> tuple[float, float, int]:
        asked = Inputs(driven, values, frames, frame_values)
        return find_motion(self._model, self._blocks, q, v, asked, size, out, missed, free_motion)

    def loop_bias(self, q: Floats, v: Floats, bias: Floats, /) -> None:
        bias[...] = loop_bias(self._model, self._blocks, q, v)

    def site_motions(
        self, q: Floats, v: Floats, vdot: Floats, twists: Floats, accelerations: Floats, /
    ) -> None:
        V, A = site_motions(self._model, self._blocks, q, v, vdot)
        twists[...] = V.reshape(twists.shape)
        accelerations[...] = A.reshape(accelerations.shape)
