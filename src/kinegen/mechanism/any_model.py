"""What public functions take as a mechanism: a model, or the mechanism that it is compiled from."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from kinegen.errors import UsageError
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.raff.formulas.formula import Formula

__all__ = ["AnyModel", "mechanism_of", "model_of"]

AnyModel: TypeAlias = Model | Mechanism
"""A model, or a mechanism, which is compiled for the call: in loops give the model."""


def model_of(given: AnyModel | object) -> Model:
    """The model itself, or the model of a mechanism as it is now."""
    if isinstance(given, Model):
        return given
    if isinstance(given, Mechanism):
        return given.compile()
    raise _neither(given)


def mechanism_of(given: AnyModel | object) -> Mechanism:
    """The mechanism itself, or that of a model with the model's numbers as they are now.

    Raises:
        UsageError: Numbers of the model were changed that follow from others in the mechanism.
    """
    if isinstance(given, Mechanism):
        return given
    if not isinstance(given, Model):
        raise _neither(given)
    mechanism = given.compiled_from.snapshot()
    for name, value in given.parameters.items():
        if given.parameters.formula(name) is None:
            mechanism.parameters[name].formula = Formula.constant(value)
    fresh = mechanism.compile()
    masses = fresh.inertia, given.inertia  # what follows from shapes is filled in by asking
    if not (np.array_equal(*masses) and np.array_equal(fresh.reals, given.reals, equal_nan=True)):
        raise UsageError(
            f"numbers of model '{given.name}' were changed: change them in the mechanism with "
            "mechanism.set_number and use that"
        )
    return mechanism


def _neither(given: object) -> UsageError:
    hint = f"; kg.load({given!r}) returns one" if isinstance(given, str) else ""
    return UsageError(f"expected a mechanism or a model, got {type(given).__name__}{hint}")
