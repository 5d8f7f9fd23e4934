"""The kernels in NumPy, written to be read: the specification of the compiled ones."""

from typing import TYPE_CHECKING

from kinegen.lazy import fetcher

if TYPE_CHECKING:
    from kinegen.kernels.reference.analytic import AnalyticArm
    from kinegen.kernels.reference.batch import batch_forward, batch_grid, batch_isa, batch_random
    from kinegen.kernels.reference.dyads import batch_dyads
    from kinegen.kernels.reference.dynamics import BoundDynamics, batch_dynamics
    from kinegen.kernels.reference.haptic import HapticPoint
    from kinegen.kernels.reference.haptic_bounds import haptic_gate
    from kinegen.kernels.reference.impulse import BoundImpulse
    from kinegen.kernels.reference.linalg import (
        ldlt_factor,
        ldlt_solve,
        qr_factor,
        qr_null_space,
        qr_solve,
        qr_solve_minimum_norm,
        svd_factor,
    )
    from kinegen.kernels.reference.loop_system import BoundLoops
    from kinegen.kernels.reference.mobility import BoundMotion
    from kinegen.kernels.reference.model import BoundModel, Evaluator
    from kinegen.kernels.reference.reduced import BoundReduced
    from kinegen.kernels.reference.singular import BoundCompanion
    from kinegen.kernels.reference.solver import BoundSolver
    from kinegen.kernels.reference.spectrum import free_motion
    from kinegen.kernels.reference.ticker import Ticker

_HOMES = {
    "analytic": "AnalyticArm",
    "batch": "batch_forward batch_grid batch_isa batch_random",
    "dyads": "batch_dyads",
    "dynamics": "BoundDynamics batch_dynamics",
    "impulse": "BoundImpulse",
    "haptic": "HapticPoint",
    "haptic_bounds": "haptic_gate",
    "linalg": "ldlt_factor ldlt_solve qr_factor qr_null_space qr_solve qr_solve_minimum_norm "
    "svd_factor",
    "loop_system": "BoundLoops",
    "mobility": "BoundMotion",
    "model": "BoundModel Evaluator",
    "reduced": "BoundReduced",
    "singular": "BoundCompanion",
    "solver": "BoundSolver",
    "spectrum": "free_motion",
    "ticker": "Ticker",
}

__all__ = [
    "AnalyticArm",
    "BoundCompanion",
    "BoundDynamics",
    "BoundImpulse",
    "BoundLoops",
    "BoundModel",
    "BoundMotion",
    "BoundReduced",
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
