"""Guardian: ends the programs that are agents when the process that started them is killed.

A program that ignores the end of its input would outlive a world that was killed and could not say
goodbye. One small process per Python process knows the programs by their numbers; when its input
ends, whoever held it is gone, and so are the programs. This works on every system.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading

__all__ = ["guard", "release"]

WATCH = """
import os, signal, sys, time
known = set()
for line in sys.stdin:
    number = int(line)
    known.add(number) if number > 0 else known.discard(-number)
time.sleep(0.5)  # those that heed the end of their input end by themselves
for number in known:
    try:
        if os.name == "nt":
            os.kill(number, signal.SIGTERM)
        else:
            os.killpg(number, signal.SIGKILL)
    except OSError:
        pass
"""
"""What it runs: lines of numbers, those of programs that have ended with a minus."""


class _Guardian:
    """The small process, started when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    def say(self, number: int) -> None:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                if number < 0:
                    return
                self._process = _started()
            assert self._process.stdin is not None
            with contextlib.suppress(OSError):
                self._process.stdin.write(f"{number}\n")
                self._process.stdin.flush()


_guardian = _Guardian()


def guard(number: int) -> None:
    """See to it that a program, the first of its group, ends at the latest when we do."""
    _guardian.say(number)


def release(number: int) -> None:
    """The program has ended; its number may soon be another's."""
    _guardian.say(-number)


def _started() -> subprocess.Popen[str]:
    # in a group of its own: what ends us by a signal to our group must not end it first
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", WATCH],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
        start_new_session=os.name != "nt",
    )  # fmt: skip
