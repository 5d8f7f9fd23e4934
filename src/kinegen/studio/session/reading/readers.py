"""Readers: large texts are read, changed and closed in processes of their own, with a time limit.

Reading needs the interpreter all the time: a slow text in a thread of the studio holds up every
page. A session asks its `Reader`; what is surely quick is done at once in the thread that asks, all
else waits for a process. Threads that wait cost others nothing, for each room has its own.
"""

from __future__ import annotations

import contextlib
import pickle
import threading
import time
from typing import Any, TypeVar

from kinegen.errors import KinegenError, UsageError
from kinegen.formats.load import Converted, as_raff, is_raff
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.solving.assembling.closing import ClosedPose
from kinegen.mechanism.model import Model
from kinegen.memory import available_memory
from kinegen.raff.document import Document
from kinegen.studio.server.processes.watchdog import ROUND, STOPPED
from kinegen.studio.session.compiled_text import (
    CompiledText,
    SlowClosing,
    TextProblems,
    draft,
    edited,
)
from kinegen.studio.session.files.project import LARGEST_TEXT, Project, opener_of
from kinegen.studio.session.reading.jobs import (
    Answer,
    Change,
    ClosePose,
    ConvertText,
    EditText,
    Failed,
    ReadText,
    TextJob,
    Wrong,
)
from kinegen.studio.session.reading.process import (
    MADE_ROOM,
    TIMED_OUT,
    ReadingStopped,
    ReadProcess,
    Work,
)

__all__ = ["LONGEST", "Reader", "Readers"]

LONGEST = 20.0
"""[s of processor time] A text that takes longer to read, change or close is refused."""
BRIEF = 3.0
"""[s of processor time] After which a piece of work leaves the first processes in any case."""
MOST_FIRST, EACH = 6, 2**30
"""Processes for what is neither small nor slow, and the memory [bytes] that there is for each."""
SHARE = 0.5
"""[s] After which work steps behind what came later."""
SPEED = 200_000
"""Characters of a text that are read in a second."""
LONG = int(BRIEF * SPEED)
"""Characters of a text that begins with the slow ones: it would not be done before."""
UNKNOWN = 0.5
"""[s] What the first text of a session is taken to need: files that it includes, loops."""
PATIENCE = 10.0
"""Waiting for this many times as long as it takes brings a piece of work before all newer ones."""
AFTER_LEAVING = 5.0
"""[s] The work of a page that is gone ends after this."""
SMALL = 20_000
"""Characters of a text that is read at once: less than a tenth of a second."""
QUICK_CLOSING = 1000
"""Loops times nv that are closed at once: a Stewart platform has 180 and takes 40 ms."""

R = TypeVar("R")


class _Lane:
    """A few processes that pieces of work wait for: the quick and the patient first.

    Args:
        count: How many processes there are at most; they are started when they are needed.
        share: How long a piece of work is on a par with others [s]; then it steps behind those
            that come later.
        lets_go: Whether it then leaves when others wait.
    """

    def __init__(self, count: int, *, share: float, lets_go: bool) -> None:
        self.share = share
        self._lets_go = lets_go
        self._idle = [ReadProcess() for _ in range(count)]
        self._all = tuple(self._idle)
        self._waiting: list[Work[Any]] = []
        self._running: list[Work[Any]] = []
        self._change = threading.Condition()
        self._closed = False

    def ask(self, work: Work[R], limit: float) -> Answer[R]:
        """What a process answers, as soon as one has time."""
        with self._change:
            self._waiting.append(work)
            try:
                while not (self._idle and min(self._waiting, key=_turn) is work):
                    if work.reason or self._closed:
                        break
                    self._change.wait(self._make_room())
                if work.reason or self._closed:
                    raise ReadingStopped(work.reason or "the studio is shutting down")
                process = self._take(work.last)
            finally:
                self._waiting.remove(work)
                self._change.notify_all()
            self._running.append(work)
            self._rank()
        try:
            return process.ask(work, limit)
        finally:
            with self._change:
                self._running.remove(work)
                self._idle.append(process)
                self._change.notify_all()

    def _take(self, wanted: ReadProcess | None) -> ReadProcess:
        """An idle process, the one that knows the text if it can be; the lock is held."""
        process = wanted if wanted in self._idle else self._idle[-1]
        assert process is not None
        self._idle.remove(process)
        return process

    def _make_room(self) -> float | None:
        """Let works go that had their share while others wait; how long until the next [s].

        The lock is held.
        """
        if self._idle or not self._lets_go:
            return None
        wanted = len(self._waiting) - sum(bool(work.reason) for work in self._running)
        at_it = [(work.begun, work) for work in self._running if work.begun and not work.reason]
        now = time.monotonic()
        for since, work in sorted(at_it, key=lambda one: one[0])[: max(wanted, 0)]:
            if now - since < self.share:
                return self.share - (now - since)
            work.stop(MADE_ROOM)
        return self.share

    def _rank(self) -> None:
        """Put those who had their share behind the others; the lock is held."""
        now = time.monotonic()
        for work in self._running if len(self._running) > 1 else ():
            if work.begun and now - work.begun > self.share and work.last is not None:
                work.last.step_back()

    def look(self) -> None:
        """See which of those that wait were ended, and whose share is used up."""
        with self._change:
            self._rank()
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


def _first_count() -> int:
    """Processes for what is neither small nor slow, fewer where memory is scarce."""
    return min(MOST_FIRST, max(2, available_memory() // EACH))


def _turn(work: Work[Any]) -> float:
    """Whose turn it is: the lowest."""
    return work.arrived + PATIENCE * work.estimate


def _result(answer: Answer[R]) -> R:
    if isinstance(answer, Wrong):
        raise TextProblems(answer.problems)
    if isinstance(answer, Failed):
        raise UsageError(answer.words)
    return answer.result


class Readers:
    """The processes of a studio: some for what is quick after all, some for what is slow.

    Every piece of work gets a short time in one of the first, and a shorter one while others wait.
    What does not finish there begins again in one of the slow ones. What takes long leaves the
    processor to what comes later: texts of medium size never wait for slow ones for long.
    """

    def __init__(
        self,
        count: int = 2,
        *,
        first: int = 0,
        longest: float = LONGEST,
        brief: float = BRIEF,
    ) -> None:
        self.longest = longest
        self.brief = brief
        self._first = _Lane(first or _first_count(), share=SHARE, lets_go=True)
        self._slow = _Lane(count, share=SHARE, lets_go=False)
        self._closed = threading.Event()
        self._watch: threading.Thread | None = None

    def run(self, work: Work[R]) -> R:
        """Do a piece of work; KinegenError when it fails or takes too long."""
        if self._watch is None:
            self._watch = threading.Thread(target=self._keep_watch, name="readers", daemon=True)
            self._watch.start()
        brief = min(self.brief, self.longest)
        lanes = [(self._first, brief), (self._slow, self.longest)]
        if len(work.job.text) > LONG:
            del lanes[0]
        for lane, limit in lanes:
            try:
                try:
                    answer = lane.ask(work, limit)
                except EOFError:
                    # ended from outside, or by the clock just when it had answered another
                    answer = lane.ask(work, limit)
            except ReadingStopped:
                too_long = work.reason == TIMED_OUT and limit >= self.longest
                if not work.resume():
                    raise
                if too_long or lane is self._slow:
                    raise ReadingStopped(
                        f"this took longer than {self.longest:g} s and was stopped; the mechanism "
                        "is unchanged; use a shorter text or fewer loops"
                    ) from None
            except EOFError:
                raise UsageError(
                    "the process that read the text ended unexpectedly, possibly because memory "
                    "ran out"
                ) from None
            else:
                return _result(answer)
        raise AssertionError("the slow processes answer, or refuse")

    def look(self) -> None:
        """See which pieces of work that wait were ended."""
        self._first.look()
        self._slow.look()

    def _keep_watch(self) -> None:
        """End processes that were stopped from outside; others begin in their place."""
        looks: dict[ReadProcess, int] = {}
        while not self._closed.wait(ROUND):
            self.look()
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
        self._work: Work[Any] | None = None
        self._took = UNKNOWN
        """[s] What its last piece of work took."""
        self._process: ReadProcess | None = None
        """Which process did it."""

    def read(self, text: str, project: Project, file: str | None) -> CompiledText:
        """What a text compiles to, packed; TextProblems when it has some."""
        if self._is_small(text):
            with contextlib.suppress(SlowClosing):
                quick = self._closes_quickly
                return CompiledText.read(text, project, file, closes_quickly=quick).packed()
        return self._ask(ReadText(text, str(project.folder), file))

    def as_raff(self, text: str, project: Project, file: str) -> Converted:
        """A text of any format as RAFF; its file's name says which where the content does not."""
        if len(text) > LARGEST_TEXT:
            raise UsageError(f"a text has at most {LARGEST_TEXT} characters, got {len(text)}")
        if self._readers is None or len(text) <= SMALL or is_raff(text, file):
            return as_raff(text, file, opener_of(project, file))
        return self._ask(ConvertText(text, str(project.folder), file))

    def edit(
        self, text: str, project: Project, file: str | None, change: Change
    ) -> tuple[str, CompiledText | None]:
        """A text after a change of its mechanism, and what it compiles to if it was read."""
        # a change may be far larger than what it changes
        if self._is_small(text) and (self._readers is None or len(pickle.dumps(change)) <= SMALL):
            return edited(draft(text, project, file), change), None
        return self._ask(EditText(text, str(project.folder), file, change))

    def carry(
        self, work: CompiledText, project: Project, other: CompiledText, q: Floats
    ) -> ClosedPose:
        """A pose of another version taken over, loops closed again."""
        return self.close(work, project, work.carried(other, q))

    def close(self, work: CompiledText, project: Project, q: Floats) -> ClosedPose:
        """The pose next to q with closed loops."""
        if self._closes_quickly(work.model) or work.gap(q) <= SHUT:
            return work.close(q)
        return self._ask(ClosePose(work.text, str(project.folder), work.file, q))

    def stop(self, reason: str = "cancelled") -> None:
        """End what is under way in a process, from any thread."""
        if (work := self._work) is not None:
            work.stop(reason)

    def hurry(self) -> None:
        """Nobody waits any more for what is under way, from any thread."""
        if (work := self._work) is not None:
            work.hurry(AFTER_LEAVING)

    def _ask(self, job: TextJob[R]) -> R:
        assert self._readers is not None
        estimate = max(len(job.text) / SPEED, self._took)
        work = Work(job, self._readers.look, estimate, self._process)
        self._work = work
        try:
            return self._readers.run(work)
        finally:
            self._work = None
            self._took, self._process = work.spent, work.last

    def _is_small(self, text: str) -> bool:
        """Whether reading takes no time to speak of, whatever the text says."""
        if self._readers is None:
            return True
        # files that are included may be of any size
        return len(text) <= SMALL and not _includes(text)

    def _closes_quickly(self, model: Model) -> bool:
        return self._readers is None or model.constraint_count * model.nv <= QUICK_CLOSING


def _includes(text: str) -> bool:
    """Whether a short text includes others."""
    if "robots" not in text and "\\" not in text:  # an escape may hide the word
        return False
    try:
        return "robots" in Document(text).root.table
    except KinegenError:
        return False  # it says so when it is read
