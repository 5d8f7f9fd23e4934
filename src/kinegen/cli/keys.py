"""Keys: single keys that are pressed while a command runs, such as Space for an emergency stop."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator

__all__ = ["pressed_keys"]


@contextlib.contextmanager
def pressed_keys() -> Iterator[Callable[[], str]]:
    """A function that gives the keys pressed since its last call; none without a terminal."""
    if not sys.stdin.isatty():
        yield lambda: ""
        return
    try:
        import termios
        import tty
    except ImportError:
        yield _windows_keys
        return
    import select

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    tty.setcbreak(handle)  # keys come at once, Ctrl-C stays what it is

    def pressed() -> str:
        found = b""
        # from the terminal itself: a buffer would hold back all but the first key
        while select.select([handle], [], [], 0)[0]:
            part = os.read(handle, 1024)
            if not part:
                break
            found += part
        return found.decode(errors="replace")

    try:
        yield pressed
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _windows_keys() -> str:
    import msvcrt

    found = ""
    while msvcrt.kbhit():  # type: ignore[attr-defined, unused-ignore]
        found += msvcrt.getwch()  # type: ignore[attr-defined, unused-ignore]
    return found
