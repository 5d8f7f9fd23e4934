"""State: all that changes while a mechanism moves; small, so that it can be kept and sent."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.any_model import AnyModel, model_of

__all__ = ["State"]


def _empty() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A mechanism's state at one time."""

    q: Floats
    """Configuration, (nq,)."""
    v: Floats = field(default_factory=_empty)
    """Velocity, (nv,)."""
    time: float = 0.0
    """[s]"""
    assembly_mode: str | None = None
    """Name of the branch in which the loops are assembled, once one has been chosen."""

    @staticmethod
    def start(model: AnyModel) -> State:
        """The file's starting state, at rest."""
        model = model_of(model)
        return State(model.start(), np.zeros(model.nv))

    def check(self, model: AnyModel) -> State:
        """This state if it fits the model; otherwise an error that names the mismatch."""
        model = model_of(model)
        for what, have, want in (("q", self.q, model.nq), ("v", self.v, model.nv)):
            if np.shape(have) != (want,):
                raise UsageError(
                    f"{what} of mechanism '{model.name}' has {want} numbers, got shape "
                    f"{np.shape(have)}"
                )
            if not np.isfinite(have).all():
                raise UsageError(f"{what} of mechanism '{model.name}' is not finite: {have}")
        return self
