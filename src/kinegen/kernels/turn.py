"""Turn: one thread at a time in the methods of an object that keeps a state."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

__all__ = ["Turn", "in_turn"]

_Method = TypeVar("_Method", bound=Callable[..., Any])


class Turn:
    """A lock that its thread may take again; a copy, or one from a pickle, is free."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return Turn, ()


def in_turn(method: _Method) -> _Method:
    """A method that waits until no other thread is in one of the same object's ``_lock``."""

    @functools.wraps(method)
    def waits(self: Any, *args: Any, **options: Any) -> Any:
        with self._lock:
            return method(self, *args, **options)

    return cast(_Method, waits)
