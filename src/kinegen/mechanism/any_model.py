"""What public functions take as a mechanism: a model, or the mechanism that it is compiled from."""

from __future__ import annotations

from typing import TypeAlias

from kinegen.errors import UsageError
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model

__all__ = ["AnyModel", "model_of"]

AnyModel: TypeAlias = Model | Mechanism
"""A model, or a mechanism, which is compiled for the call: in loops give the model."""


def model_of(given: AnyModel | object) -> Model:
    """The model itself, or the model of a mechanism as it is now."""
    if isinstance(given, Model):
        return given
    if isinstance(given, Mechanism):
        return given.compile()
    hint = f"; kg.load({given!r}) returns one" if isinstance(given, str) else ""
    raise UsageError(f"expected a mechanism or a model, got {type(given).__name__}{hint}")
