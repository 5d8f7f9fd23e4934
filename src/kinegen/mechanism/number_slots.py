"""Where each number of a model lives in its live block, by owner and key."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kinegen.kernels import Ints

__all__ = ["NumberSlot", "NumberSlots"]


@dataclass(frozen=True, slots=True)
class NumberSlot:
    """Where one number of the file lives, and the formula it follows, if any."""

    index: int
    formula: str | None


_Columns = tuple[tuple[str, ...], tuple[str, ...], Ints, dict[int, str]]
"""Owners, keys, indices, and the formulas by index."""


class NumberSlots(Mapping[tuple[str, str], NumberSlot]):
    """Slots by (owner, key). It is pickled as columns, and unpacked when one is asked for.

    A joint has some thirty numbers: one object for each would make up most of the cost of sending
    a large model to another process, which may never look at them.
    """

    def __init__(self, slots: Mapping[tuple[str, str], NumberSlot] | _Columns) -> None:
        self._given = slots

    @cached_property
    def _slots(self) -> Mapping[tuple[str, str], NumberSlot]:
        if isinstance(self._given, Mapping):
            return self._given
        owners, keys, indices, formulas = self._given
        return {
            (owner, key): NumberSlot(index, formulas.get(index))
            for owner, key, index in zip(owners, keys, indices.tolist(), strict=True)
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """As columns, in which each name is written once."""
        if not isinstance(self._given, Mapping):
            return NumberSlots, (self._given,)
        slots = self._given.values()
        columns: _Columns = (
            tuple(owner for owner, _ in self._given),
            tuple(sys.intern(key) for _, key in self._given),
            np.fromiter((slot.index for slot in slots), np.int32, len(slots)),
            {slot.index: slot.formula for slot in slots if slot.formula is not None},
        )
        return NumberSlots, (columns,)

    def __getitem__(self, place: tuple[str, str]) -> NumberSlot:
        return self._slots[place]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._slots)

    def __len__(self) -> int:
        return len(self._slots)
