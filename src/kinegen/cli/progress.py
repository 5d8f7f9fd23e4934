"""A line of progress on standard error: how much, how fast, how long still."""

from __future__ import annotations

import sys
import time

from kinegen.cli.output import duration

__all__ = ["PatientLine", "ProgressLine", "share"]

PATIENCE = 2.0
"""Work that is done sooner needs no line [s]."""
PAUSE = 10.0
"""Between two lines of a log [s]."""


def share(done: int, total: int) -> str:
    """A part in percent, never 100 before the end."""
    return f"{int(1000 * done / total) / 10:g} %"


class ProgressLine:
    """Poses done, their share, millions per second and the time left; rewritten in place."""

    def __init__(self) -> None:
        self.first: tuple[float, int] | None = None
        self.done, self.total = 0, 0
        self.length = 0
        self.logged = time.perf_counter()

    def __call__(self, done: int, total: int) -> None:
        """Report poses done and poses in all; the first call reports what was there."""
        self.done, self.total = done, total
        if self.first is None:
            self.first = (time.perf_counter(), done)
            return
        begin, there = self.first
        seconds = max(time.perf_counter() - begin, 1e-9)
        rate = (done - there) / seconds
        self._show(
            f"{done:,} of {total:,} poses ({share(done, total)}), {rate / 1e6:.3g} M poses/s, "
            f"{duration((total - done) / rate)} left"
        )

    def end(self) -> None:
        """Go to a new line, if anything was shown."""
        if self.length:
            print(file=sys.stderr)
            self.length = 0

    def _show(self, text: str) -> None:
        if sys.stderr.isatty():
            print("\r" + text.ljust(self.length), end="", file=sys.stderr, flush=True)
            self.length = len(text)
        elif self.done == self.total or self._due():
            # a log gets a line now and then, not one per piece
            print(text, file=sys.stderr, flush=True)

    def _due(self) -> bool:
        now = time.perf_counter()
        late = now - self.logged > PAUSE
        if late:
            self.logged = now
        return late


class PatientLine(ProgressLine):
    """Cells tried and about how many there are, shown only when the work takes a while."""

    def __init__(self) -> None:
        super().__init__()
        self.begin = time.perf_counter()
        self.logged = self.begin - PAUSE + PATIENCE

    def __call__(self, done: int, total: int) -> None:
        """Report cells tried and how many there may be; 0 where that is unknown."""
        self.done, self.total = done, max(done + 1, total)
        if time.perf_counter() - self.begin > PATIENCE:
            whole = f" of up to {total:,}" if total > done else ""
            self._show(f"{done:,}{whole} poses tried")
