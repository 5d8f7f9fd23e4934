"""The studio's page as a test drives it: real mouse and keys, state read from `window.kinegen`."""

from __future__ import annotations

from typing import Any

HANG = 30_000
"""[ms] Only a page that is broken takes this long."""


class Studio:
    """One page."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type == "error" else None,
        )

    def open(self, name: str, query: str = "", fragment: str = "") -> None:
        """Load the page on a mechanism and wait until it is drawn."""
        self.page.goto(f"{self.address}/?lowfx&open={name}{query}{fragment}")
        self.ready()

    def ready(self) -> None:
        """Wait until a mechanism is there and drawn."""
        self.page.wait_for_function(
            "window.kinegen?.studio?.model && window.kinegen.viewer.frames > 0", timeout=HANG
        )

    def value(self, expression: str, *arguments: Any) -> Any:
        """A value of the page; `s` is the studio, `v` the viewer, `a` the arguments."""
        code = _function(expression)
        return self.page.evaluate(code, list(arguments))

    def wait(self, expression: str, *arguments: Any) -> None:
        """Wait until an expression is true."""
        code = _function(expression)
        self.page.wait_for_function(code, arg=list(arguments), timeout=HANG)

    @property
    def q(self) -> list[float]:
        """The configuration now."""
        return list(self.value("[...s.q]"))

    @property
    def gap(self) -> float:
        """The widest loop gap now [m]."""
        return float(self.value("s.model.loopGap(s.q)"))

    @property
    def text(self) -> str:
        """The mechanism's text as the server has it."""
        return str(self.value("s.snapshot.text"))

    def frames(self, count: int = 2) -> None:
        """Wait until so many more frames are drawn."""
        now = self.value("v.frames")
        self.value("v.invalidate?.()")
        self.wait("v.frames >= a[0]", now + min(count, 1))


def _function(expression: str) -> str:
    return (
        "(a) => { const s = window.kinegen.studio, v = window.kinegen.viewer; "
        f"return {expression}; }}"
    )
