"""Arrays in, arrays out: the compiled kernels, or their NumPy twins with the same names."""

from kinegen.kernels.backend import bind, companion, evaluator, name, solver, wasm_bytes
from kinegen.kernels.layout import Blocks, Counts, Floats, Ints
from kinegen.kernels.protocol import (
    BoundModel,
    BoundSolver,
    Evaluator,
    HandleKind,
    Outcome,
    TaskKind,
)

__all__ = [
    "Blocks",
    "BoundModel",
    "BoundSolver",
    "Counts",
    "Evaluator",
    "Floats",
    "HandleKind",
    "Ints",
    "Outcome",
    "TaskKind",
    "bind",
    "companion",
    "evaluator",
    "name",
    "solver",
    "wasm_bytes",
]
