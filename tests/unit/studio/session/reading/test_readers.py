"""Readers: processes for large texts, with a time limit; small ones never need them."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from bench.support.large_texts import arm_text, loops_text
from kinegen.errors import UsageError
from kinegen.studio.session.compiled_text import CompiledText, TextProblems
from kinegen.studio.session.edits.structure import apply_numbers
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.reading import readers as module
from kinegen.studio.session.reading.jobs import Done, EditText, ReadText, TextJob
from kinegen.studio.session.reading.process import BEHIND, MADE_ROOM, ReadingStopped, Work
from kinegen.studio.session.reading.readers import SMALL, Reader, Readers
from kinegen.studio.wire.codec import Encoded, encoded
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow

LARGE = arm_text(600)
SLOW = arm_text(3_000)
"""A hundredth of a second is too short for it on any machine."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that these tests stop stay stopped."""
    monkeypatch.setattr(module, "STOPPED", 10**9)


@pytest.fixture(scope="module")
def processes() -> Iterator[Readers]:
    made = Readers(1, first=1)
    yield made
    made.close()


@pytest.fixture
def readers(processes: Readers) -> Readers:
    """Processes that have all the time in the world; those of the test before are still there."""
    processes.longest = processes.brief = processes._first.share = 600.0
    return processes


def hold(readers: Readers, project: Project) -> None:
    """Stop the first process: what it is asked from now on is never answered."""
    Reader(readers).read(LARGE, project, None)
    child = readers._first._all[0]._child
    assert child is not None
    os.kill(child.pid, signal.SIGSTOP)


def children(readers: Readers) -> list[int]:
    """The processes that run."""
    found = [process._child for lane in (readers._first, readers._slow) for process in lane._all]
    return [child.pid for child in found if child is not None and child.poll() is None]


def test_small_texts_need_no_process(project: Project) -> None:
    readers = Readers(1)
    text = "raff: 1\ntitle: no robots here\njoints:\n  - {name: A, parent: base, note: 'a\\b'}\n"
    reader = Reader(readers)
    work = reader.read(text, project, None)
    changed, _ = reader.edit(text, project, None, partial(apply_numbers, changes=[("A", "d", 2)]))
    assert "d: 2" in changed and work.model.nq == 1
    reader.close(work, project, work.start)
    assert not children(readers)


def test_a_large_text_is_read_elsewhere_and_the_same(project: Project, readers: Readers) -> None:
    assert len(LARGE) > SMALL
    far = Reader(readers).read(LARGE, project, None)
    near = CompiledText.read(LARGE, project)
    assert children(readers) and isinstance(far.data, Encoded)
    assert orjson.loads(far.data.json) == orjson.loads(encoded(near.data).json)
    np.testing.assert_array_equal(far.model.reals, near.model.reals)
    np.testing.assert_array_equal(far.start, near.start)
    assert far.title == near.title and far.complaint is None
    assert far.names() == near.names() and far.kept is None
    assert far.same_joints(near) and far.is_current()


def test_included_files_are_read_elsewhere_however_they_are_named(
    project: Project, readers: Readers
) -> None:
    """They may be of any size, and the word may be hidden by an escape."""
    (project.folder / "part.raff").write_text("raff: 1\njoints:\n  - {name: A, parent: base}\n")
    reader = Reader(readers)
    for word in ("robots", '"ro\\x62ots"'):
        text = f"raff: 1\n{word}:\n  - {{name: r, include: part.raff}}\n"
        readers._first._all[0].end()
        assert reader.read(text, project, None).model.joints[1].name == "r.A"
        assert readers._first._all[0]._child is not None


def test_problems_come_back(project: Project, readers: Readers) -> None:
    reader = Reader(readers)
    with pytest.raises(TextProblems, match=r"line 603: .*'nothing' is not known") as caught:
        reader.read(LARGE + "  - {name: B, parent: nothing}\n", project, None)
    assert caught.value.problems[0].line == 603
    with pytest.raises(UsageError, match="joint 'nobody' is not in"):
        change = partial(apply_numbers, changes=[("nobody", "d", 1.0)])
        reader.edit(LARGE, project, None, change)
    with pytest.raises(UsageError, match="project folder no longer exists"):
        reader._ask(ReadText(LARGE, str(project.folder / "gone"), None))


def test_changes_of_large_texts_are_made_elsewhere(project: Project, readers: Readers) -> None:
    change = partial(apply_numbers, changes=[("J7", "d", 0.25)])
    text, made = Reader(readers).edit(LARGE, project, None, change)
    assert made is not None and made.text == text and made.model.number("J7", "d") == 0.25
    assert text == Reader().edit(LARGE, project, None, change)[0]


def test_loops_that_take_long_are_closed_elsewhere(project: Project, readers: Readers) -> None:
    """A short text may have many loops."""
    text = loops_text(150)
    assert len(text) < SMALL
    reader = Reader(readers)
    work = reader.read(text, project, None)
    assert children(readers) and len(work.model.loops) == 50
    found = reader.carry(work, project, work, work.start + 0.01)
    assert found.complaint is None
    here = CompiledText.read(text, project).carry(work, work.start + 0.01)
    np.testing.assert_allclose(found.q, here.q)


def test_what_takes_too_long_is_ended(project: Project, readers: Readers) -> None:
    """And the next piece of work finds everything as before."""
    reader = Reader(readers)
    readers.longest = 0.01
    with pytest.raises(ReadingStopped, match=r"longer than 0.01 s"):
        reader.read(SLOW, project, None)
    assert readers._first._all[0]._child is None
    readers.longest = 600.0
    assert reader.read(LARGE, project, None).model.nq == 600


def test_slow_work_leaves_the_first_process(project: Project, readers: Readers) -> None:
    """It begins again in another, so that others get their turn."""
    readers.brief = 0.01
    reader = Reader(readers)
    assert reader.read(SLOW, project, None).model.nq == 3_000
    assert readers._slow._all[0]._child is not None
    assert readers._first._all[0]._child is None


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be held there")
def test_work_can_be_ended_while_it_runs_and_while_it_waits(
    project: Project, readers: Readers
) -> None:
    hold(readers, project)
    errors: dict[str, Exception] = {}
    both = {name: Reader(readers) for name in ("running", "waiting")}

    def read(name: str) -> None:
        try:
            both[name].read(LARGE, project, None)
        except UsageError as error:
            errors[name] = error

    threads = {name: threading.Thread(target=read, args=(name,)) for name in both}
    threads["running"].start()
    wait_for(lambda: getattr(both["running"]._work, "_process", None) is not None)
    threads["waiting"].start()
    wait_for(lambda: len(readers._first._waiting) == 1)
    both["waiting"].stop()
    threads["waiting"].join(60)
    assert str(errors["waiting"]) == "cancelled" and "running" not in errors
    both["running"].hurry()
    assert threads["running"].is_alive()
    both["running"].stop("enough")
    threads["running"].join(60)
    assert str(errors["running"]) == "enough"
    assert Reader(readers).read(LARGE, project, None).model.nq == 600


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be held there")
def test_work_of_a_page_that_is_gone_ends(
    project: Project, readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AFTER_LEAVING", 0.01)
    reader = Reader(readers)
    hold(readers, project)
    errors: list[str] = []

    def read() -> None:
        try:
            reader.read(LARGE, project, None)
        except UsageError as error:
            errors.append(str(error))

    thread = threading.Thread(target=read)
    thread.start()
    wait_for(lambda: reader._work is not None)
    reader.hurry()
    thread.join(60)
    assert errors == ["the page that requested it is closed"]


def test_a_process_that_dies_is_replaced(project: Project, readers: Readers) -> None:
    reader = Reader(readers)
    reader.read(LARGE, project, None)
    child = readers._first._all[0]._child
    assert child is not None
    child.terminate()
    wait_for(lambda: child.poll() is not None)
    assert reader.read(LARGE, project, None).model.nq == 600


def test_who_waits_is_refused_when_the_studio_ends(project: Project) -> None:
    readers = Readers(1)
    readers.close()
    with pytest.raises(ReadingStopped, match="the studio is shutting down"):
        Reader(readers).read(LARGE, project, None)


def test_a_process_that_was_stopped_is_replaced(
    readers: Readers, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(readers, project)
    (held, *_) = children(readers)
    monkeypatch.setattr(module, "STOPPED", 2)
    assert Reader(readers).read(LARGE, project, None).model.nq == 600
    assert held not in children(readers)


def test_a_large_change_of_a_small_text_is_made_in_a_process(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[type] = []

    def run(self: Readers, work: Work[Any]) -> tuple[str, None]:
        asked.append(type(work.job))
        return "", None

    monkeypatch.setattr(Readers, "run", run)
    reader = Reader(Readers(1))
    text = "raff: 1\nname: arm\nparameters: {a: 1}\njoints: [{name: A, parent: base}]\n"
    few = partial(apply_numbers, changes=[(None, "a", 2.0)])
    assert "a: 2" in reader.edit(text, project, None, few)[0] and asked == []
    many = partial(apply_numbers, changes=[(None, "a", float(n)) for n in range(10_000)])
    assert reader.edit(text, project, None, many) == ("", None) and asked == [EditText]


# Whose turn it is, with processes that answer when the test says so


class Named(TextJob[str]):
    """A job that says its name."""


class Held:
    """A process that answers when it is let go."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.behind = 0

    def ask(self, work: Work[str], limit: float) -> Done[str]:
        work.begin(self)  # type: ignore[arg-type]
        try:
            assert work.run(limit)
            assert self.free.wait(60)
            if work.reason:
                raise ReadingStopped(work.reason)
            return Done(work.job.text)
        finally:
            work.finish()

    def step_back(self) -> None:
        self.behind += 1

    def kill(self) -> None:
        self.free.set()


class Lane:
    """A lane of one held process, what it was asked, and what came of it."""

    def __init__(self, *, share: float, lets_go: bool = True, count: int = 1) -> None:
        self.lane = module._Lane(count, share=share, lets_go=lets_go)
        self.held = [Held() for _ in range(count)]
        self.lane._idle[:] = self.held  # type: ignore[assignment]
        self.done: list[str] = []
        self.threads: list[threading.Thread] = []

    def ask(self, name: str, estimate: float = 0.5) -> Work[str]:
        work = Work(Named(name, "", None), self.lane.look, estimate)

        def run() -> None:
            try:
                answer = self.lane.ask(work, 600.0)
                assert isinstance(answer, Done)
                self.done.append(answer.result)
            except ReadingStopped:
                self.done.append(f"{name}: {work.reason}")

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()
        known = self.lane._waiting, self.lane._running
        wait_for(lambda: any(work in some for some in known) or len(self.done) > 0)
        return work

    def end(self) -> list[str]:
        for held in self.held:
            held.free.set()
        for thread in self.threads:
            thread.join(60)
        return self.done


def test_what_is_quick_goes_before_what_is_slow() -> None:
    lane = Lane(share=600.0)
    lane.ask("first")
    for name, estimate in (("slow", 5.0), ("unknown", 0.5), ("quick", 0.01)):
        lane.ask(name, estimate)
    assert lane.end() == ["first", "quick", "unknown", "slow"]


def test_what_is_slow_waits_for_newer_work_no_longer_than_is_fair() -> None:
    lane = Lane(share=600.0)
    lane.ask("first")
    old = lane.ask("slow", 5.0)
    old.arrived -= module.PATIENCE * 5.0
    lane.ask("quick", 0.01)
    assert lane.end() == ["first", "slow", "quick"]


def test_work_that_had_its_share_leaves_when_others_wait() -> None:
    lane = Lane(share=0.01)
    lane.ask("slow")
    lane.ask("other")
    wait_for(lambda: len(lane.done) > 0)  # nobody but the lane ends it
    assert lane.end() == ["slow: others wait", "other"]


def test_work_that_had_its_share_steps_behind_what_came_later() -> None:
    lane = Lane(share=0.0, lets_go=False, count=2)
    lane.ask("slow")
    wait_for(lambda: any(one.begun is not None for one in lane.lane._running))
    lane.lane.look()
    assert not any(held.behind for held in lane.held)  # alone it is in nobody's way
    lane.ask("other")
    wait_for(lambda: len(lane.lane._running) == 2)
    lane.lane.look()
    assert any(held.behind for held in lane.held)
    lane.end()


def test_cancelling_comes_before_making_room() -> None:
    work = Work(ReadText("", "", None), lambda: None)
    work.stop(MADE_ROOM)
    work.stop("cancelled")
    assert work.reason == "cancelled" and not work.resume()


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="this system has no such steps")
def test_a_process_that_stepped_behind_is_replaced(project: Project, readers: Readers) -> None:
    reader = Reader(readers)
    reader.read(LARGE, project, None)
    process = readers._first._all[0]
    child = process._child
    assert child is not None
    before = os.getpriority(os.PRIO_PROCESS, child.pid)
    process.step_back()
    assert os.getpriority(os.PRIO_PROCESS, child.pid) == min(before + BEHIND, 19)
    assert reader.read(LARGE, project, None).model.nq == 600
    assert reader.read(LARGE, project, None).model.nq == 600
    assert child.pid not in children(readers)
