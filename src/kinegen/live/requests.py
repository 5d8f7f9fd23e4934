"""Requests of a view: each is one question to the studio, whose answer both forms wait for."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from kinegen.errors import RaffError, UsageError, unknown_name
from kinegen.live.core import Core
from kinegen.live.values import number
from kinegen.studio.wire import messages as wire

__all__ = ["Requests"]

T = TypeVar("T")


class Requests:
    """What a program asks of a studio, as futures."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def open(self, source: Any, value: str) -> Future[None]:
        """Load another mechanism."""
        return _then(self._core.ask(lambda n: wire.OpenMechanism(n, source, value)), lambda _: None)

    def set_text(self, text: str) -> Future[None]:
        """Replace the text; RaffError where it has problems, which the page shows too."""
        if not isinstance(text, str):
            raise UsageError(f"a RAFF text is a text, got {type(text).__name__}")

        def check(_: Any) -> None:
            # the snapshot of a change arrives before its answer
            if self._core.shared.problems and self._core.shared.text == text:
                raise RaffError(self._core.shared.problems)

        base = self._core.shared.version
        return _then(self._core.ask(lambda n: wire.EditText(n, text, base)), check)

    def set_parameters(self, values: Mapping[str, float | str]) -> Future[None]:
        """Change parameters, as one step of undo: numbers [SI] or formulas."""
        known = self._core.shared.parameters
        changes: list[tuple[str | None, str, float | str]] = []
        for name, value in values.items():
            if name not in known:
                raise unknown_name(
                    "parameter", name, f"mechanism '{self._core.shared.name}'", list(known)
                )
            given = value if isinstance(value, str) else number(value, f"parameter '{name}'")
            changes.append((None, name, given))
        label = f"Change {', '.join(values)}"[:100]
        return _then(self._core.ask(lambda n: wire.SetNumbers(n, changes, label)), lambda _: None)

    def undo(self) -> Future[None]:
        """Take back the last step of the session."""
        return _then(self._core.ask(wire.Undo), lambda _: None)

    def redo(self) -> Future[None]:
        """Do again what was taken back."""
        return _then(self._core.ask(wire.Redo), lambda _: None)

    def save(self, file: str) -> Future[None]:
        """Write the text to a file of the project folder."""
        return _then(self._core.ask(lambda n: wire.Save(n, file)), lambda _: None)

    def play(self, motion: wire.MotionData, rate: float, loop: bool) -> Future[None]:
        """Put a motion into the page's player."""
        if not 1e-3 <= rate <= 1e3:
            raise UsageError(f"the rate of a motion is from 0.001 to 1000, got {rate!r}")
        return _then(
            self._core.ask(lambda n: wire.PlayMotion(n, motion, float(rate), bool(loop))),
            lambda _: None,
        )

    def screenshot(self, width: int, height: int) -> Future[bytes]:
        """A picture of the page's view, as PNG."""
        if (width > 0) != (height > 0):
            raise UsageError("give both width and height of a picture, or neither")
        if not (0 <= width <= 8192 and 0 <= height <= 8192):
            raise UsageError(f"a picture has at most 8192 × 8192 pixels, got {width} × {height}")
        return _then(
            self._core.ask(lambda n: wire.TakePicture(n, width, height)),
            lambda result: base64.b64decode(result["png"]),
        )

    def page_code(self) -> Future[str]:
        """A code that opens a page of the studio once."""
        return _then(self._core.ask(wire.AskCode), lambda result: str(result["code"]))


def _then(future: Future[Any], change: Callable[[Any], T]) -> Future[T]:
    """What becomes of a result."""
    made: Future[T] = Future()

    def done(_: Future[Any]) -> None:
        if not made.set_running_or_notify_cancel():
            return
        try:
            made.set_result(change(future.result()))
        except BaseException as error:
            made.set_exception(error)

    future.add_done_callback(done)
    return made
