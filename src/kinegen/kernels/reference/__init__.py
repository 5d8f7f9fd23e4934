"""The kernels in NumPy, written to be read: the specification of the compiled ones."""

from typing import TYPE_CHECKING

from kinegen.lazy import fetcher

if TYPE_CHECKING:
    from kinegen.kernels.reference.analytic.analytic import AnalyticArm
    from kinegen.kernels.reference.base.model import BoundModel, Evaluator
    from kinegen.kernels.reference.batch.batch import (
        batch_forward,
        batch_grid,
        batch_isa,
        batch_random,
    )
    from kinegen.kernels.reference.dyads.dyads import batch_dyads
    from kinegen.kernels.reference.dynamics.tasks import BoundDynamics, batch_dynamics
    from kinegen.kernels.reference.haptic.bound import HapticPoint
    from kinegen.kernels.reference.haptic.bounds import haptic_gate
    from kinegen.kernels.reference.impulse.bound import BoundImpulse
    from kinegen.kernels.reference.linalg.linalg import (
        ldlt_factor,
        ldlt_solve,
        qr_factor,
        qr_null_space,
        qr_solve,
        qr_solve_minimum_norm,
        svd_factor,
    )
    from kinegen.kernels.reference.linalg.spectrum import free_motion
    from kinegen.kernels.reference.loops.mobility import BoundMotion
    from kinegen.kernels.reference.loops.system import BoundLoops
    from kinegen.kernels.reference.reduced.bound import BoundReduced
    from kinegen.kernels.reference.singular.monitor import BoundSingularityMonitor
    from kinegen.kernels.reference.solver.bound import BoundSolver, Ticker

_HOMES = {
    "analytic.analytic": "AnalyticArm",
    "batch.batch": "batch_forward batch_grid batch_isa batch_random",
    "dyads.dyads": "batch_dyads",
    "dynamics.tasks": "BoundDynamics batch_dynamics",
    "impulse.bound": "BoundImpulse",
    "haptic.bound": "HapticPoint",
    "haptic.bounds": "haptic_gate",
    "linalg.linalg": "ldlt_factor ldlt_solve qr_factor qr_null_space qr_solve "
    "qr_solve_minimum_norm svd_factor",
    "loops.system": "BoundLoops",
    "loops.mobility": "BoundMotion",
    "base.model": "BoundModel Evaluator",
    "reduced.bound": "BoundReduced",
    "singular.monitor": "BoundSingularityMonitor",
    "solver.bound": "BoundSolver Ticker",
    "linalg.spectrum": "free_motion",
}

__all__ = [
    "AnalyticArm",
    "BoundDynamics",
    "BoundImpulse",
    "BoundLoops",
    "BoundModel",
    "BoundMotion",
    "BoundReduced",
    "BoundSingularityMonitor",
    "BoundSolver",
    "Evaluator",
    "HapticPoint",
    "Ticker",
    "batch_dyads",
    "batch_dynamics",
    "batch_forward",
    "batch_grid",
    "batch_isa",
    "batch_random",
    "free_motion",
    "haptic_gate",
    "ldlt_factor",
    "ldlt_solve",
    "qr_factor",
    "qr_null_space",
    "qr_solve",
    "qr_solve_minimum_norm",
    "svd_factor",
]

if not TYPE_CHECKING:  # type checkers see the names themselves
    __getattr__ = fetcher(__name__, _HOMES)
