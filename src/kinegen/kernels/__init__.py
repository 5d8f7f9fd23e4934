"""Arrays in, arrays out: the compiled kernels, or their NumPy twins with the same names."""

from kinegen.kernels.backend import (
    bind,
    companion,
    dynamics,
    evaluator,
    free_motion,
    impulse,
    loops,
    motion,
    name,
    reduced,
    solver,
    ticker,
    wasm_bytes,
)
from kinegen.kernels.dynamics_protocol import BoundDynamics
from kinegen.kernels.impulse_protocol import BoundImpulse
from kinegen.kernels.layout import Blocks, Counts, Floats, Ints
from kinegen.kernels.protocol import (
    BoundLoops,
    BoundModel,
    BoundMotion,
    BoundSolver,
    Evaluator,
    HandleKind,
    Outcome,
    TaskKind,
    Ticker,
)
from kinegen.kernels.reduced_protocol import BoundReduced, Integrator, ReducedReport, RunStatus

__all__ = [
    "Blocks",
    "BoundDynamics",
    "BoundImpulse",
    "BoundLoops",
    "BoundModel",
    "BoundMotion",
    "BoundReduced",
    "BoundSolver",
    "Counts",
    "Evaluator",
    "Floats",
    "HandleKind",
    "Integrator",
    "Ints",
    "Outcome",
    "ReducedReport",
    "RunStatus",
    "TaskKind",
    "Ticker",
    "bind",
    "companion",
    "dynamics",
    "evaluator",
    "free_motion",
    "impulse",
    "loops",
    "motion",
    "name",
    "reduced",
    "solver",
    "ticker",
    "wasm_bytes",
]
