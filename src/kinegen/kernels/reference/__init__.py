"""The kernels in NumPy, written to be read: the specification of the compiled ones."""

from kinegen.kernels.reference.model import BoundModel, Evaluator

__all__ = ["BoundModel", "Evaluator"]
