"""A process that reads, changes and closes large texts for the studio; `readers` asks it."""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
from collections import OrderedDict
from typing import Any

from kinegen.errors import KinegenError, UsageError, reason
from kinegen.formats.load import as_raff
from kinegen.kernels import Floats
from kinegen.studio.server.processes.worker_process import worker_process
from kinegen.studio.session.compiled_text import CompiledText, TextProblems, edited
from kinegen.studio.session.files.project import Project, opener_of
from kinegen.studio.session.reading.process import IN_ALL, receive, send
from kinegen.studio.session.reading.readers import Change

__all__ = ["main"]

MEMORY = 4 * 2**30
"""[bytes] of address space: a text that needs more is refused, and the studio does not suffer."""
KEPT = 4
"""Mechanisms that are kept, for the poses that are to be closed next."""
Kept = OrderedDict[tuple[str, str, str | None], CompiledText]


def _read(kept: Kept, text: str, folder: str, file: str | None) -> CompiledText:
    """What a text compiles to, which is kept."""
    key = (text, folder, file)
    piece = kept.pop(key, None)
    if piece is None or not piece.is_current():
        piece = CompiledText.read(text, Project.again(folder), file)
    kept[key] = piece
    while len(kept) > KEPT:
        kept.popitem(last=False)
    return piece


def work(kept: Kept, what: str, text: str, folder: str, file: str | None, *more: Any) -> Any:
    """Do one piece of work."""
    if what == "read":
        return _read(kept, text, folder, file).packed()
    if what == "as_raff":
        return as_raff(text, file or "", opener_of(Project.again(folder), file or ""))
    if what == "edit":
        change: Change = more[0]
        fresh = edited(_read(kept, text, folder, file).trial(), change)
        return fresh, _read(kept, fresh, folder, file).packed()
    if what == "close":
        q: Floats = more[0]
        return _read(kept, text, folder, file).close(q)
    raise UsageError(f"there is no job called '{what}'")


def _answer(kept: Kept, job: list[Any]) -> tuple[str, Any]:
    try:
        return "result", work(kept, *job)
    except TextProblems as error:
        return "problems", error.problems
    except (KinegenError, OSError) as error:
        return "error", reason(error)
    except (MemoryError, RecursionError, ArithmeticError) as error:
        kept.clear()
        return "error", f"the text cannot be processed ({type(error).__name__})"


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
    kept: Kept = OrderedDict()
    with worker_process() as answers, contextlib.suppress(EOFError):
        send(answers, "ready")
        while True:
            limit, *job = receive(sys.stdin.buffer)
            _end_after(limit)
            answer = _answer(kept, job)
            _end_after(0.0)
            send(answers, answer)
            del job, answer
            gc.collect()


if __name__ == "__main__":
    main()
