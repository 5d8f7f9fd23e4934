"""A process that reads, changes and closes large texts for the studio; `readers` asks it."""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
from typing import TypeVar

from kinegen.errors import KinegenError, reason
from kinegen.studio.server.processes.worker_process import worker_process
from kinegen.studio.session.compiled_text import TextProblems
from kinegen.studio.session.reading.jobs import Answer, Done, Failed, Kept, TextJob, Wrong
from kinegen.studio.session.reading.process import IN_ALL, receive, send

__all__ = ["main"]

MEMORY = 4 * 2**30
"""[bytes] of address space: a text that needs more is refused, and the studio does not suffer."""
R = TypeVar("R")


def answer(kept: Kept, job: TextJob[R]) -> Answer[R]:
    """Do one job."""
    try:
        return Done(job.run(kept))
    except TextProblems as error:
        return Wrong(error.problems)
    except (KinegenError, OSError) as error:
        return Failed(reason(error))
    except (MemoryError, RecursionError, ArithmeticError) as error:
        kept.clear()
        return Failed(f"the text cannot be processed ({type(error).__name__})")


def _end_after(limit: float) -> None:
    """Let the system end this process when its time is up; 0 for never."""
    # not on every system: there the studio's clock alone ends it
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, limit)
        # nobody is left to end it where the studio itself is gone
        signal.setitimer(signal.ITIMER_REAL, 2 * IN_ALL * limit)


def main() -> None:
    """Serve until the input ends."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    gc.disable()  # it would look at all of a large mechanism again and again
    kept = Kept()
    with worker_process() as answers, contextlib.suppress(EOFError):
        send(answers, "ready")
        while True:
            limit, job = receive(sys.stdin.buffer)
            _end_after(limit)
            found = answer(kept, job)
            _end_after(0.0)
            send(answers, found)
            del job, found
            gc.collect()


if __name__ == "__main__":
    main()
