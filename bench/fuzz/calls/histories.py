"""Histories: how a tour calls the compiled kernels, so that the calls can be repeated."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from kinegen.kernels import backend

__all__ = ["History", "copied", "methods_of", "objects", "record"]

CALLS = 14
"""Calls of one object that are kept: the first of each method."""
PREPARING = ("set", "start")
"""Calls without which an object that is an argument would be refused."""

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


@dataclass
class History:
    """How one object was made and used, or one call of a function."""

    kind: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    calls: list[Call] = field(default_factory=list)


def record(tour: Callable[[ModuleType], None]) -> list[History]:
    """The histories of a tour through the compiled module."""
    native = backend.module()
    histories: list[History] = []
    originals = {name: getattr(native, name) for name in _native_names(native)}
    for name, original in originals.items():
        make = _recording_class if isinstance(original, type) else _recording_function
        setattr(native, name, make(name, original, histories))
    try:
        with contextlib.redirect_stdout(None):
            tour(native)
    finally:
        for name, original in originals.items():
            setattr(native, name, original)
    return histories


def _native_names(native: ModuleType) -> list[str]:
    """The classes and functions of the compiled module."""
    return [name for name in dir(native) if name[0] != "_" and callable(getattr(native, name))]


def methods_of(native: ModuleType) -> set[str]:
    """All that can be called: functions, and methods and properties as ``Class.method``."""
    found = set()
    for name in _native_names(native):
        thing = getattr(native, name)
        if isinstance(thing, type):
            own = {m for m in vars(thing) if m[0] != "_" or m == "__call__"}
            found |= {f"{name}.{method}" for method in own} | {name}
        else:
            found.add(name)
    return found


class _Proxy:
    """An object of the compiled module that notes its calls."""

    def __init__(self, real: Any, history: History) -> None:
        self.__dict__.update(_real=real, _history=history, _seen=Counter())

    def _note(self, method: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        self._seen[method] += 1
        if self._seen[method] <= 2 and len(self._history.calls) < 2 * CALLS:
            self._history.calls.append((method, copied(args), copied(options)))

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        if not callable(found):
            self._note(name, (), {})
            return found

        def call(*args: Any, **options: Any) -> Any:
            self._note(name, args, options)
            return found(*_real(args), **options)

        return call

    def __call__(self, *args: Any) -> Any:
        self._note("__call__", args, {})
        return self._real(*args)


def _recording_class(name: str, original: Any, histories: list[History]) -> Callable[..., _Proxy]:
    def make(*args: Any, **options: Any) -> _Proxy:
        history = History(name, copied(args), copied(options))
        if sum(known.kind == name for known in histories) < 6:
            histories.append(history)
        return _Proxy(original(*_real(args), **options), history)

    return make


def _recording_function(name: str, original: Any, histories: list[History]) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        if sum(known.kind == name for known in histories) < 4:
            histories.append(History(name, copied(args), copied(options)))
        return original(*_real(args), **options)

    return call


def _real(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(_real_one(arg) for arg in args)


def _real_one(arg: Any) -> Any:
    if isinstance(arg, list):
        return [_real_one(part) for part in arg]
    return arg._real if isinstance(arg, _Proxy) else arg


def _tuple_like(old: tuple[Any, ...], parts: list[Any]) -> tuple[Any, ...]:
    """A tuple of the same type, named or not."""
    make = getattr(type(old), "_make", type(old))
    made: tuple[Any, ...] = make(parts)
    return made


def copied(thing: Any) -> Any:
    """An argument with arrays of its own; of an object of the module, its history."""
    if isinstance(thing, np.ndarray):
        return thing.copy()
    if isinstance(thing, (tuple, list)):
        parts = [copied(part) for part in thing]
        return parts if isinstance(thing, list) else _tuple_like(thing, parts)
    if isinstance(thing, dict):
        return {key: copied(part) for key, part in thing.items()}
    return thing._history if isinstance(thing, _Proxy) else thing


def objects(thing: Any) -> Any:
    """A recorded argument, created again: a history becomes a new object, ready for use."""
    if isinstance(thing, History):
        made = getattr(backend.module(), thing.kind)(*objects(thing.arguments), **thing.options)
        for method, args, options in thing.calls:
            if method in PREPARING:
                getattr(made, method)(*objects(args), **options)
        return made
    if isinstance(thing, tuple):
        return tuple(objects(part) for part in thing)
    if isinstance(thing, list):
        return [objects(part) for part in thing]
    return copied(thing)
