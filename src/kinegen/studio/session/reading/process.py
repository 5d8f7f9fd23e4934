"""Read process: a process that reads texts, and the pieces of work that it is given."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from kinegen.errors import UsageError
from kinegen.pipes import receive, send
from kinegen.studio.server.processes.watchdog import process_state
from kinegen.studio.session.reading.jobs import Answer, TextJob

__all__ = ["IN_ALL", "ReadProcess", "ReadingStopped", "Work", "receive", "send"]

R = TypeVar("R")
IN_ALL = 3.0
"""By this factor longer than its processor time may work take by the clock: other programs need
the processor too."""
OUT_OF_TIME = -int(getattr(signal, "SIGPROF", 0)) or None
"""Exit code of a process whose processor time is up."""
START = 30.0
"""[s] A new process is ready long before."""
BEHIND = 10
"""Of the system's steps of priority: a tenth of the time of others that want it too."""
TIMED_OUT, MADE_ROOM = "time limit reached", "others wait"
"""Why work may have to leave a process and continue in another."""


class ReadingStopped(UsageError):
    """A piece of work that was ended before it was done."""


class ReadProcess:
    """A process that does one piece of work after the other; ended to stop one."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._is_behind = False

    def ask(self, work: Work[R], limit: float) -> Answer[R]:
        """What the process answers; ReadingStopped when it was ended, EOFError when it died."""
        work.begin(self)
        try:
            child = self._start()
            assert child.stdin is not None and child.stdout is not None
            if not work.run(IN_ALL * limit):
                raise ReadingStopped(work.reason)
            send(child.stdin, (limit, work.job))
            answer: Answer[R] = receive(child.stdout)
            if self._is_behind:
                self.kill()  # nobody may give it its place back
            return answer
        except (OSError, EOFError, pickle.UnpicklingError):
            if self.end() == OUT_OF_TIME:
                work.stop(TIMED_OUT)
            if work.reason:
                raise ReadingStopped(work.reason) from None
            raise EOFError from None
        finally:
            work.finish()

    def _start(self) -> subprocess.Popen[bytes]:
        """The process, which takes half a second to be ready when it is new."""
        if self._child is not None and self._child.poll() is not None:
            self.end()
        with self._lock:
            child = self._child
            if child is not None:
                return child
            child = self._child = subprocess.Popen(
                # -P: nothing that lies in the present folder is taken for a module
                [sys.executable, "-P", "-m", "kinegen.studio.session.reading.worker"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in the terminal is for the studio
            )  # fmt: skip
        assert child.stdout is not None
        timer = threading.Timer(START, child.kill)
        timer.start()
        try:
            receive(child.stdout)  # it says that it is ready: no one's time runs before
        finally:
            timer.cancel()
        return child

    def is_stopped(self) -> bool:
        """Whether somebody has stopped the process, so that it will never answer."""
        with self._lock:
            found = None if self._child is None else process_state(self._child.pid)
        return found is not None and found.stopped

    def step_back(self) -> None:
        """Let others have the processor first, for as long as the process lives."""
        with self._lock:
            if self._child is not None and not self._is_behind and hasattr(os, "setpriority"):
                self._is_behind = True
                with contextlib.suppress(OSError):  # it has just ended
                    now = os.getpriority(os.PRIO_PROCESS, self._child.pid)
                    os.setpriority(os.PRIO_PROCESS, self._child.pid, min(now + BEHIND, 19))

    def kill(self) -> None:
        """End the process, from any thread; whoever waits for its answer notices."""
        with self._lock:
            if self._child is not None:
                self._child.kill()

    def end(self) -> int:
        """End the process and forget it, the next piece of work starts another; its exit code."""
        with self._lock:
            child, self._child, self._is_behind = self._child, None, False
        if child is None:
            return 0
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(0.1)  # one that dies by itself says why
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return child.returncode


class Work(Generic[R]):
    """One piece of work: waits, runs, and may be ended at any time.

    Args:
        job: What is to be done.
        stopped: Called when it is ended.
        estimate: How long it will take, as far as one knows [s].
        process: Where the like was done before and is still known.
    """

    def __init__(
        self,
        job: TextJob[R],
        stopped: Callable[[], None],
        estimate: float = 0.0,
        process: ReadProcess | None = None,
    ) -> None:
        self.job = job
        self._stopped = stopped
        self.estimate = estimate
        self.arrived = time.monotonic()
        self.begun: float | None = None
        """[s] When a process began with it, None while it waits."""
        self.spent = 0.0
        """[s] How long processes were at it in all, by the clock."""
        self.last = process
        """The process that was at it last."""
        self.reason = ""
        """Why it was ended, in words; '' as long as it was not."""
        self._lock = threading.Lock()
        self._process: ReadProcess | None = None
        self._timer: threading.Timer | None = None

    def begin(self, process: ReadProcess) -> None:
        """A process is there for it from now on."""
        with self._lock:
            self._process = self.last = process

    def run(self, limit: float) -> bool:
        """The process is ready: it has ``limit`` [s]; False when the work was ended meanwhile."""
        with self._lock:
            if self.reason:
                return False
            self._timer = self._time(limit, TIMED_OUT)
            self.begun = time.monotonic()
            return True

    def finish(self) -> None:
        """The process is not at it any more."""
        with self._lock:
            self._process = None
            if self._timer is not None:
                self._timer.cancel()
            if self.begun is not None:
                self.spent += time.monotonic() - self.begun
                self.begun = None

    def resume(self) -> bool:
        """Whether it may continue elsewhere; False when somebody wanted it to end."""
        with self._lock:
            if self.reason not in (TIMED_OUT, MADE_ROOM):
                return False
            self.reason = ""
            return True

    def stop(self, reason: str) -> None:
        """End it."""
        with self._lock:
            # who does not want it any more comes before who wants its place
            if self.reason in ("", TIMED_OUT, MADE_ROOM):
                self.reason = reason
            if self._process is not None:
                self._process.kill()
        self._stopped()

    def hurry(self, seconds: float) -> None:
        """Nobody waits for it any more: it has this long [s]."""
        self._time(seconds, "the page that requested it is closed")

    def _time(self, seconds: float, reason: str) -> threading.Timer:
        timer = threading.Timer(seconds, self.stop, (reason,))
        timer.daemon = True
        timer.start()
        return timer
