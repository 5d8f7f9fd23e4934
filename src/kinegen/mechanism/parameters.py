"""A model's parameters by name."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING

from kinegen.errors import NumberError, UsageError, unknown_name
from kinegen.mechanism.compiling.number_slots import NumberSlot

if TYPE_CHECKING:
    from kinegen.mechanism.model import Model

__all__ = ["Parameters", "is_finite"]


def is_finite(value: float) -> bool:
    """Whether a value is a number at all, and a finite one."""
    try:
        return math.isfinite(value)
    except (TypeError, OverflowError):
        return False


class Parameters(MutableMapping[str, float]):
    """A model's parameters by name: reading gives the number now, writing moves the mechanism."""

    def __init__(self, model: Model, slots: Mapping[str, NumberSlot]) -> None:
        self._model = model
        self.slots = slots
        """Where each of them lives."""
        self._set = model.kernels.set_parameter

    def __getitem__(self, name: str) -> float:
        return float(self._model.reals[self._slot(name).index])

    def __setitem__(self, name: str, value: float) -> None:
        slot = self._slot(name)
        if slot.formula is not None:
            raise NumberError(
                f"parameter '{name}' follows the formula '{slot.formula}'; set the parameters that "
                "it uses, or replace its formula by a number in the mechanism"
            )
        if not is_finite(value):
            raise NumberError(
                f"parameter '{name}' cannot be {value!r}: use a finite number [SI, rad]"
            )
        self._model.forget_derived()
        self._model.raise_for(self._set(slot.index, value))

    def __delitem__(self, name: str) -> None:
        raise UsageError(
            f"parameter '{name}' belongs to the structure of the model and cannot be changed"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.slots)

    def __len__(self) -> int:
        return len(self.slots)

    def __repr__(self) -> str:
        return repr(dict(self))

    def formula(self, name: str) -> str | None:
        """The formula a parameter follows, or None when it is free."""
        return self._slot(name).formula

    def _slot(self, name: str) -> NumberSlot:
        try:
            return self.slots[name]
        except KeyError:
            where = f"mechanism '{self._model.name}'"
            raise unknown_name("parameter", name, where, self.slots) from None
