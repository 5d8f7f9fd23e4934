"""Callbacks: the one thread in which the functions of a program that listen are called."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import wait
from typing import Any

__all__ = ["Callback", "Callbacks"]

LOOK = 0.5
"""[s] How often it is looked whether a loop still runs in which something is awaited."""
_LOG = logging.getLogger("kinegen.live")
Callback = Callable[..., object]


class _Call:
    __slots__ = ("arguments", "key")

    def __init__(self, key: str | None, arguments: tuple[object, ...]) -> None:
        self.key = key
        self.arguments = arguments


class Callbacks:
    """Calls functions one after the other, in a thread of its own.

    An exception of a function is logged with its traceback (logger ``kinegen.live``), and the next
    one is called: nothing that a callback does ends the link. Calls that name a key wait in their
    latest form only.

    Args:
        name: Of the thread.
        loop: Where coroutine functions run; None: they are refused.
    """

    def __init__(self, name: str, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = loop
        self._waiting: deque[tuple[Callback, _Call]] = deque()
        self._latest: dict[tuple[int, str], _Call] = {}
        self._news = threading.Condition()
        self._closed = False
        self._name = name
        self._thread: threading.Thread | None = None

    @property
    def is_here(self) -> bool:
        """Whether the caller is in the callbacks' thread."""
        return threading.current_thread() is self._thread

    def check(self, function: Callback) -> Callback:
        """The function itself where it can be called here; TypeError otherwise."""
        if not callable(function):
            raise TypeError(f"a callback must be a function, got {function!r}")
        if inspect.iscoroutinefunction(function) and self._loop is None:
            raise TypeError(
                "coroutine functions need the asyncio form of the view: kg.live.AsyncView"
            )
        return function

    def call(self, function: Callback, *arguments: object, key: str | None = None) -> None:
        """Have a function called soon; with a key, in place of a call of that key that waits."""
        with self._news:
            if self._closed:
                return
            mark = (id(function), key) if key is not None else None
            if mark is not None and mark in self._latest:
                self._latest[mark].arguments = arguments
                return
            entry = _Call(key, arguments)
            if mark is not None:
                self._latest[mark] = entry
            self._waiting.append((function, entry))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._news.notify()

    def close(self) -> None:
        """Call nothing any more; a function that runs is not waited for."""
        with self._news:
            self._closed = True
            self._waiting.clear()
            self._news.notify()

    def _run(self) -> None:
        while True:
            with self._news:
                while not self._waiting and not self._closed:
                    self._news.wait()
                if self._closed:
                    return
                function, call = self._waiting.popleft()
                if call.key is not None:
                    self._latest.pop((id(function), call.key), None)
            try:
                self._do(function, call.arguments)
            except Exception:
                name = getattr(function, "__qualname__", repr(function))
                _LOG.exception("the callback %s failed; the view continues", name)

    def _do(self, function: Callback, arguments: tuple[Any, ...]) -> None:
        if self._loop is None or self._loop.is_closed():
            if not inspect.iscoroutinefunction(function):
                function(*arguments)
            return

        async def in_loop() -> None:
            found = function(*arguments)
            if inspect.isawaitable(found):
                await found

        coroutine = in_loop()
        try:
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        except RuntimeError:  # the program has ended its loop meanwhile
            coroutine.close()
            return
        # one after the other, there too
        while not wait({future}, timeout=LOOK).done:
            if self._loop.is_closed():
                coroutine.close()
                return
        if not future.cancelled():  # as at the end of asyncio.run
            future.result()
