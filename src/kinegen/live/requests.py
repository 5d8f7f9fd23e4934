"""Requests of a view: each is one question to the studio, whose answer both forms wait for."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Literal

from kinegen.errors import RaffError, UsageError, unknown_name
from kinegen.live.core import Core
from kinegen.live.values import number
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.codec import decode_result

__all__ = ["Origin", "Requests"]

Origin = Literal["library", "file", "text"]
"""Where a mechanism comes from."""


class Requests:
    """What a program asks of a studio, as futures."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def open(self, source: Origin, value: str) -> Future[None]:
        """Load another mechanism: a library name, a file of the project folder, or a text."""

        def make(number: int) -> wire.Message:
            match source:
                case "library":
                    return wire.OpenLibrary(number, value)
                case "file":
                    return wire.OpenFile(number, value)
                case "text":
                    return wire.OpenText(number, value)

        return self._core.ask(make, nothing)

    def set_text(self, text: str) -> Future[None]:
        """Replace the text; RaffError where it has problems, which the page shows too."""
        if not isinstance(text, str):
            raise UsageError(f"a RAFF text must be a string, got {type(text).__name__}")

        def check(_: object) -> None:
            # the snapshot of a change arrives before its answer
            if self._core.shared.problems and self._core.shared.text == text:
                raise RaffError(self._core.shared.problems)

        base = self._core.shared.version
        return self._core.ask(lambda n: wire.EditText(n, text, base), check)

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
        return self._core.ask(lambda n: wire.SetNumbers(n, changes, label), nothing)

    def undo(self) -> Future[None]:
        """Take back the last step of the session."""
        return self._core.ask(wire.Undo, nothing)

    def redo(self) -> Future[None]:
        """Do again what was taken back."""
        return self._core.ask(wire.Redo, nothing)

    def save(self, file: str) -> Future[None]:
        """Write the text to a file of the project folder."""
        return self._core.ask(lambda n: wire.Save(n, file), nothing)

    def play(self, motion: wire.MotionData, rate: float, loop: bool) -> Future[None]:
        """Put a motion into the page's player."""
        if not 1e-3 <= rate <= 1e3:
            raise UsageError(f"the rate of a motion must be from 0.001 to 1000, got {rate!r}")
        return self._core.ask(
            lambda n: wire.PlayMotion(n, motion, float(rate), bool(loop)), nothing
        )

    def screenshot(self, width: int, height: int) -> Future[bytes]:
        """A picture of the page's view, as PNG."""
        if (width > 0) != (height > 0):
            raise UsageError("specify both width and height of a picture, or neither")
        if not (0 <= width <= 8192 and 0 <= height <= 8192):
            raise UsageError(
                f"a picture must have at most 8192 × 8192 pixels, got {width} × {height}"
            )
        return self._core.ask(
            lambda n: wire.TakePicture(n, width, height),
            lambda result: base64.b64decode(decode_result(wire.Picture, result).png),
        )

    def page_code(self) -> Future[str]:
        """A code that opens a page of the studio once."""
        return self._core.ask(
            wire.AskCode, lambda result: decode_result(wire.PageCode, result).code
        )


def nothing(_: object) -> None:
    """What a request brings that is only carried out."""
