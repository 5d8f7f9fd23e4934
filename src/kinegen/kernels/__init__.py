"""Arrays in, arrays out: the compiled kernels, or their NumPy twins with the same names."""

from kinegen.kernels.backend import bind, evaluator, name, wasm_bytes
from kinegen.kernels.layout import Blocks, Counts, Floats, Ints
from kinegen.kernels.protocol import BoundModel, Evaluator, TaskKind

__all__ = [
    "Blocks",
    "BoundModel",
    "Counts",
    "Evaluator",
    "Floats",
    "Ints",
    "TaskKind",
    "bind",
    "evaluator",
    "name",
    "wasm_bytes",
]
