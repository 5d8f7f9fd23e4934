"""Threads: as many as there is work that waits, gone again when there is none."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, ParamSpec, TypeVar

__all__ = ["Threads"]

IDLE = 5.0
"""[s] A thread without work ends after this: each keeps memory of its own."""

P = ParamSpec("P")
T = TypeVar("T")


class Threads(Executor):
    """An executor like the standard library's, whose threads do not stay for ever.

    Args:
        most: How many threads there are at most.
        name: What they are called.
        idle: How long one without work stays [s].
    """

    def __init__(self, most: int, name: str, *, idle: float = IDLE) -> None:
        self._most, self._name, self._stay = most, name, idle
        self._work: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._change = threading.Condition()
        self._idle = 0
        self._ends = False
        self.count = 0
        """Threads that there are."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do something in one of the threads."""
        future: Future[T] = Future()
        with self._change:
            if self._ends:
                raise RuntimeError("the studio is shutting down")
            self._work.append((future, partial(fn, *args, **kwargs)))
            if self._idle >= len(self._work) or self.count >= self._most:
                self._change.notify()
                return future
            try:
                threading.Thread(target=self._run, name=self._name).start()
                self.count += 1
            except RuntimeError:  # the system gives no more: those that are there do it
                if self.count == 0:
                    self._work.pop()
                    raise
        return future

    def _run(self) -> None:
        while True:
            with self._change:
                self._idle += 1
                self._change.wait_for(lambda: self._work or self._ends, self._stay)
                self._idle -= 1
                if not self._work:
                    self.count -= 1
                    self._change.notify_all()
                    return
                future, work = self._work.popleft()
            _do(future, work)
            del future, work  # with all that they hold

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more work; threads end when what is there is done."""
        with self._change:
            self._ends = True
            while cancel_futures and self._work:
                self._work.pop()[0].cancel()
            self._change.notify_all()
            if wait:
                self._change.wait_for(lambda: self.count == 0)


def _do(future: Future[T], work: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
