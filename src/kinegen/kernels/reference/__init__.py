"""The kernels in NumPy, written to be read: the specification of the compiled ones."""

from kinegen.kernels.reference.batch import batch_forward, batch_grid, batch_isa, batch_random
from kinegen.kernels.reference.model import BoundModel, Evaluator
from kinegen.kernels.reference.solver import BoundSolver

__all__ = [
    "BoundModel",
    "BoundSolver",
    "Evaluator",
    "batch_forward",
    "batch_grid",
    "batch_isa",
    "batch_random",
]
