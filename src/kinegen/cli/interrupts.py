"""Ctrl-C at any moment of the process ``kinegen``: one line, exit code 130, no traceback."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

__all__ = ["Interrupts"]

PATIENCE = 2
"""Interrupts that let a command put things in order; the next one ends the process at once."""
DELAY = 0.01
"""Until an interrupt that was lost comes again [s]."""


class Interrupts:
    """Notes every SIGINT: a library may swallow the exception, or turn it into another one."""

    def __init__(self, code: int) -> None:
        self.code = code
        self.count = 0
        # a shell that starts commands in the background lets them ignore it: that stays
        self.is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self.is_ours:
            signal.signal(signal.SIGINT, self._interrupt)
            sys.unraisablehook = self._unraisable

    def end(self) -> None:
        """All is said: from here on an interrupt ends the process without a word."""
        if self.is_ours:
            signal.signal(signal.SIGINT, self._exit)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if self.count > PATIENCE:
            os._exit(self.code)
        raise KeyboardInterrupt

    def _exit(self, number: int, frame: FrameType | None) -> None:
        os._exit(self.code)

    def _unraisable(self, lost: Any) -> None:
        """An interrupt that came where nothing can be raised, as in a destructor, comes again."""
        if issubclass(lost.exc_type, KeyboardInterrupt):
            import threading

            self.count -= 1
            # by another thread: here it would be lost again
            again = threading.Timer(DELAY, _interrupt_main)
            again.daemon = True
            again.start()
        else:
            sys.__unraisablehook__(lost)


def _interrupt_main() -> None:
    import _thread
    import threading

    if hasattr(signal, "pthread_kill"):  # a true signal wakes what waits, too
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()
