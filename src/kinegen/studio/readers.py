"""Readers: large texts are read, changed and closed in processes of their own, with a time limit.

Reading needs the interpreter all the time: a slow text in a thread of the studio holds up every
page. A session asks its `Reader`; what is surely quick is done at once in the thread that asks, all
else waits for a process. Threads that wait cost others nothing, for each room has its own.
"""

from __future__ import annotations

import contextlib
import pickle
import signal
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import IO, Any

from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.tolerances import SHUT
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.raff.document import Document
from kinegen.studio.project import Project
from kinegen.studio.watchdog import ROUND, STOPPED, process_state
from kinegen.studio.workpiece import SlowClosing, TextProblems, Workpiece, draft, edited

__all__ = ["LONGEST", "Reader", "Readers", "receive", "send"]

LONGEST = 20.0
"""[s of processor time] A text that takes longer to read, change or close is refused."""
BRIEF = 3.0
"""[s of processor time] After which a piece of work leaves the first process, which is there for
what is neither small nor slow."""
IN_ALL = 3.0
"""By this factor longer may it take by the clock: other programs need the processor too."""
OUT_OF_TIME = -int(getattr(signal, "SIGPROF", 0)) or None
"""Exit code of a process whose processor time is up."""
AFTER_LEAVING = 5.0
"""[s] The work of a page that is gone ends after this."""
SMALL = 20_000
"""Characters of a text that is read at once: less than a tenth of a second."""
QUICK_CLOSING = 1000
"""Loops times freedoms that are closed at once: a Stewart platform has 180 and takes 40 ms."""
START = 30.0
"""[s] A new process is ready long before."""

_LENGTH = struct.Struct("<Q")
Change = Callable[[Mechanism], None]


class ReadingStopped(UsageError):
    """A piece of work that was ended before it was done."""


def send(pipe: IO[bytes], value: Any) -> None:
    """Write a value for the other end of a pipe."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """The next value of a pipe; EOFError at its end."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


class _Process:
    """A process that does one piece of work after the other; ended to stop one."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def ask(self, work: _Work, limit: float) -> Any:
        """What the process answers; ReadingStopped when it was ended, EOFError when it died."""
        work.begin(self)
        try:
            child = self._start()
            assert child.stdin is not None and child.stdout is not None
            if not work.run(IN_ALL * limit):
                raise ReadingStopped(work.reason)
            send(child.stdin, (limit, *work.job))
            return receive(child.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            if self.end() == OUT_OF_TIME:
                work.stop(_TIMED_OUT)
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
                [sys.executable, "-P", "-m", "kinegen.studio.read_worker"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
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

    def kill(self) -> None:
        """End the process, from any thread; whoever waits for its answer notices."""
        with self._lock:
            if self._child is not None:
                self._child.kill()

    def end(self) -> int:
        """End the process and forget it, the next piece of work starts another; its exit code."""
        with self._lock:
            child, self._child = self._child, None
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


class _Work:
    """One piece of work: waits, runs, and may be ended at any time."""

    def __init__(self, job: tuple[Any, ...], stopped: Callable[[], None]) -> None:
        self.job = job
        self._stopped = stopped
        self.reason = ""
        """Why it was ended, in words; '' as long as it was not."""
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._timer: threading.Timer | None = None

    def begin(self, process: _Process) -> None:
        """A process is there for it from now on."""
        with self._lock:
            self._process = process

    def run(self, limit: float) -> bool:
        """The process is ready: it has ``limit`` [s]; False when the work was ended meanwhile."""
        with self._lock:
            if self.reason:
                return False
            self._timer = self._time(limit, _TIMED_OUT)
            return True

    def finish(self) -> None:
        """The process is not at it any more."""
        with self._lock:
            self._process = None
            if self._timer is not None:
                self._timer.cancel()

    def stop(self, reason: str) -> None:
        """End it."""
        with self._lock:
            self.reason = self.reason or reason
            if self._process is not None:
                self._process.kill()
        self._stopped()

    def hurry(self, seconds: float) -> None:
        """Nobody waits for it any more: it has this long [s]."""
        self._time(seconds, "the page that asked for it is gone")

    def _time(self, seconds: float, reason: str) -> threading.Timer:
        timer = threading.Timer(seconds, self.stop, (reason,))
        timer.daemon = True
        timer.start()
        return timer


_TIMED_OUT = "time is up"


class _Lane:
    """A few processes that pieces of work wait for, first come, first served."""

    def __init__(self, count: int) -> None:
        self._idle = [_Process() for _ in range(count)]
        self._all = tuple(self._idle)
        self._waiting: deque[_Work] = deque()
        self._change = threading.Condition()
        self._closed = False

    def ask(self, work: _Work, limit: float) -> Any:
        """What a process answers, as soon as one has time."""
        with self._change:
            self._waiting.append(work)
            try:
                while not (self._idle and self._waiting[0] is work):
                    if work.reason or self._closed:
                        break
                    self._change.wait()
                if work.reason or self._closed:
                    raise ReadingStopped(work.reason or "the studio ends")
                process = self._idle.pop()
            finally:
                self._waiting.remove(work)
                self._change.notify_all()
        try:
            return process.ask(work, limit)
        finally:
            with self._change:
                self._idle.append(process)
                self._change.notify_all()

    def look(self) -> None:
        """See which of those that wait were ended."""
        with self._change:
            self._change.notify_all()

    def close(self) -> None:
        """End all processes; whoever waits is refused."""
        with self._change:
            self._closed = True
            self._change.notify_all()
            idle = list(self._idle)
        for process in self._all:
            process.kill()  # whoever waits for its answer ends it then
        for process in idle:
            process.end()


class Readers:
    """The processes of a studio: one for what is quick after all, a few for what is slow.

    Every piece of work gets a short time in the first process. What does not finish there begins
    again in one of the others: texts of medium size never wait for slow ones for long.
    """

    def __init__(self, count: int = 2, *, longest: float = LONGEST, brief: float = BRIEF) -> None:
        self.longest = longest
        self.brief = brief
        self._first, self._slow = _Lane(1), _Lane(count)
        self._closed = threading.Event()
        self._watch: threading.Thread | None = None

    def run(self, work: _Work) -> Any:
        """Do a piece of work; KinegenError when it fails or takes too long."""
        if self._watch is None:
            self._watch = threading.Thread(target=self._keep_watch, name="readers", daemon=True)
            self._watch.start()
        answer: Any = None
        for lane, limit in (
            (self._first, min(self.brief, self.longest)),
            (self._slow, self.longest),
        ):
            try:
                try:
                    answer = lane.ask(work, limit)
                except EOFError:
                    # ended from outside, or by the clock just when it had answered another
                    answer = lane.ask(work, limit)
                break
            except ReadingStopped:
                if work.reason != _TIMED_OUT:
                    raise
                if lane is self._slow or limit >= self.longest:
                    raise ReadingStopped(
                        f"this takes longer than {self.longest:g} s and was ended; the mechanism "
                        "stays as it was; make the text smaller, or its loops fewer"
                    ) from None
                work.reason = ""
            except EOFError:
                raise UsageError(
                    "the process that read the text ended unexpectedly, perhaps for lack of memory"
                ) from None
        kind, value = answer
        if kind == "problems":
            raise TextProblems(value)
        if kind == "error":
            raise UsageError(value)
        return value

    def look(self) -> None:
        """See which pieces of work that wait were ended."""
        self._first.look()
        self._slow.look()

    def _keep_watch(self) -> None:
        """End processes that were stopped from outside; others begin in their place."""
        looks: dict[_Process, int] = {}
        while not self._closed.wait(ROUND):
            for process in (*self._first._all, *self._slow._all):
                looks[process] = looks.get(process, 0) + 1 if process.is_stopped() else 0
                if looks[process] >= STOPPED:
                    process.kill()

    def close(self) -> None:
        """End all processes."""
        self._closed.set()
        self._first.close()
        self._slow.close()


class Reader:
    """A session's way to texts. All methods but `stop` and `hurry` run in the thread of a change.

    Args:
        readers: The processes; None: everything is done at once, as a worker process does.
    """

    def __init__(self, readers: Readers | None = None) -> None:
        self._readers = readers
        self._work: _Work | None = None

    def read(self, text: str, project: Project, file: str | None) -> Workpiece:
        """The workpiece of a text, packed; TextProblems when it has some."""
        if self._is_small(text):
            with contextlib.suppress(SlowClosing):
                quick = self._closes_quickly
                return Workpiece.read(text, project, file, closes_quickly=quick).packed()
        found: Workpiece = self._ask("read", text, str(project.folder), file)
        return found

    def edit(
        self, text: str, project: Project, file: str | None, change: Change
    ) -> tuple[str, Workpiece | None]:
        """A text after a change of its mechanism, and its workpiece if it was read on the way."""
        # a change may be far larger than what it changes
        if self._is_small(text) and (self._readers is None or len(pickle.dumps(change)) <= SMALL):
            return edited(draft(text, project, file), change), None
        found: tuple[str, Workpiece] = self._ask("edit", text, str(project.folder), file, change)
        return found

    def carry(
        self, work: Workpiece, project: Project, other: Workpiece, q: Floats
    ) -> tuple[Floats, str | None]:
        """A pose of another version taken over, loops closed again; why it is open if it is."""
        return self.close(work, project, work.carried(other, q))

    def close(self, work: Workpiece, project: Project, q: Floats) -> tuple[Floats, str | None]:
        """The pose next to q with closed loops, and why it is open if it is."""
        if self._closes_quickly(work.model) or work.gap(q) <= SHUT:
            return work.close(q)
        found: tuple[Floats, str | None] = self._ask(
            "close", work.text, str(project.folder), work.file, q
        )
        return found

    def stop(self, reason: str = "cancelled") -> None:
        """End what is under way in a process, from any thread."""
        if (work := self._work) is not None:
            work.stop(reason)

    def hurry(self) -> None:
        """Nobody waits any more for what is under way, from any thread."""
        if (work := self._work) is not None:
            work.hurry(AFTER_LEAVING)

    def _ask(self, *job: Any) -> Any:
        assert self._readers is not None
        self._work = _Work(job, self._readers.look)
        try:
            return self._readers.run(self._work)
        finally:
            self._work = None

    def _is_small(self, text: str) -> bool:
        """Whether reading takes no time to speak of, whatever the text says."""
        if self._readers is None:
            return True
        # files that are included may be of any size
        return len(text) <= SMALL and not _includes(text)

    def _closes_quickly(self, model: Model) -> bool:
        return self._readers is None or len(model.loops) * model.nv <= QUICK_CLOSING


def _includes(text: str) -> bool:
    """Whether a short text includes others."""
    if "robots" not in text and "\\" not in text:  # an escape may hide the word
        return False
    try:
        return "robots" in Document(text).root.table
    except KinegenError:
        return False  # it says so when it is read
