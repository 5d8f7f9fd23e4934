"""PythonRunner: a Python function or object as an agent, in a thread that may not return."""

from __future__ import annotations

import copy
import inspect
import queue
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kinegen.world.agents.runner import AgentError, LateError

__all__ = ["PythonRunner"]

_OURS = str(Path(__file__).parents[2])
"""This package: errors are reported at the place in the user's code."""


class PythonRunner:
    """Calls ``agent(time, seen)``, or ``agent.step(time, seen)`` of an object, for commands."""

    def __init__(self, made: Any, *, alone: bool = True) -> None:
        """Take a function or an object.

        Args:
            made: What is called.
            alone: Whether it has a thread of its own, so that the world survives one that hangs.
        """
        self.made = made
        self._alone = alone
        self._asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._open = 0

    def ask(self, count: int, time: float, seen: Mapping[str, Any]) -> None:
        """Call it, or let its thread call it."""
        self._open += 1
        if not self._alone:
            self._answers.put(self._call(time, seen))
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
        self._asked.put((time, seen))

    def answer(self, wait: float | None) -> Mapping[str, Any]:
        """What it returned, or why it did not."""
        try:
            block = wait is None or wait > 0
            found, error = self._answers.get(block, wait if wait else None)
        except queue.Empty:
            raise LateError("has not returned") from None
        self._open -= 1
        if error is not None:
            raise AgentError(error)
        if found is None:
            return {}
        if not isinstance(found, Mapping):
            raise AgentError(f"returned {found!r:.60} instead of values by name")
        return found

    def reset(self, time: float) -> None:
        """Call its ``reset(time)``, if it has one."""
        reset = getattr(self.made, "reset", None)
        if callable(reset):
            reset(time)

    def keep(self) -> Any:
        """A copy of the object; of a function nothing."""
        if inspect.isroutine(self.made) or self._open:
            return None
        try:
            return copy.deepcopy(self.made)
        except Exception:  # it holds a file or a window: it stays as it is
            return None

    def bring_back(self, kept: Any) -> None:
        """Put a copy of the object in its place."""
        if kept is not None:
            self.made = copy.deepcopy(kept)

    def close(self) -> None:
        """Let its thread end, and call its ``close()``, if it has one."""
        self._asked.put(None)
        if self._open == 0:
            done = getattr(self.made, "close", None)
            if callable(done):
                done()

    def _work(self) -> None:
        while (asked := self._asked.get()) is not None:
            self._answers.put(self._call(*asked))

    def _call(self, time: float, seen: Mapping[str, Any]) -> tuple[Any, str | None]:
        step: Callable[..., Any] = getattr(self.made, "step", self.made)
        try:
            return step(time, seen), None
        except Exception as error:
            return None, f"raised {type(error).__name__}: {error}{_place(error)}"


def _place(error: Exception) -> str:
    """File and line of the user's code where it happened."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(_OURS)]
    return f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
