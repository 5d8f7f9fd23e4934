"""What all worker processes of the studio have in common: quiet, with answers as their output."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from typing import IO

__all__ = ["worker_process"]


@contextlib.contextmanager
def worker_process() -> Iterator[IO[bytes]]:
    """Be a worker process; gives where to write answers, and ends when the studio is gone."""
    # MuJoCo draws nothing here, and would start one more process in search of a window system
    os.environ.setdefault("MUJOCO_GL", "disable")
    # where they share a console: Ctrl-C is for the studio, which then ends its workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # answers go to the true output; whatever else is printed must not mix with them
    answers: IO[bytes] = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        yield answers
    except BrokenPipeError:
        # nobody is left to report to, and Python must not try to write the rest when it ends
        os._exit(0)
