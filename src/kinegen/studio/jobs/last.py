"""The last result of a kind of work, for questions that come back to it."""

from __future__ import annotations

from typing import Generic, TypeVar

__all__ = ["Last"]

T = TypeVar("T")


class Last(Generic[T]):
    """One result, by what was asked for: large ones are not kept twice."""

    def __init__(self) -> None:
        self._key: str | None = None
        self._result: T | None = None

    def get(self, key: str) -> T | None:
        """The result, if it is what was asked for last."""
        return self._result if key == self._key else None

    def put(self, key: str, result: T) -> None:
        """Keep a result instead of the one before."""
        self._key, self._result = key, result
