"""The journal's threads: the latest counts, one slow file stops no other, failures are repaired."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinegen.studio.session.edits.history import Step
from kinegen.studio.session.journals import writer as module
from kinegen.studio.session.journals.autosave import Journal, Record
from kinegen.studio.session.journals.writer import JournalWriter

HANG = 60
"""[s] Only what never comes takes this long."""


def record(name: str, *texts: str) -> Record:
    steps = tuple(Step("s", text, text, np.zeros(1), None) for text in texts)
    return Record(name, "s", "n", "f", time.time(), steps, len(steps) - 1, np.zeros(1))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path)
    yield made
    made.close()


@pytest.fixture
def writer(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> Iterator[JournalWriter]:
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.05)
    made = JournalWriter(journal)
    yield made
    made.close()


def text(journal: Journal, name: str) -> str | None:
    found = journal.load(name)
    return found.present.text if found else None


class Gate:
    """Lets chosen writes wait, or fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.open, self.reached = threading.Event(), threading.Event()
        self.failing: dict[str, int] = {}
        self.closed_for: set[str] = set()
        real: Callable[..., Any] = getattr(module, name)

        def gated(place: Path, *rest: Any) -> Any:
            stem = Path(place).stem
            if stem in self.closed_for:
                self.reached.set()
                assert self.open.wait(HANG)
            if self.failing.get(stem, 0) > 0:
                self.failing[stem] -= 1
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(place, *rest)

        monkeypatch.setattr(module, name, gated)


def test_the_latest_of_a_session_is_written(journal: Journal, writer: JournalWriter) -> None:
    for n in range(50):
        writer.keep(record("abcd1234", *map(str, range(n + 1))))
    assert writer.written("abcd1234").result(HANG)
    assert text(journal, "abcd1234") == "49" and writer.lag("abcd1234") == 0
    assert writer.written("nobody").result(0)


def test_a_slow_file_stops_no_other(
    journal: Journal, writer: JournalWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch, "write_atomically")
    gate.closed_for.add("slow-one")
    writer.keep(record("slow-one", "first"))
    assert gate.reached.wait(HANG)
    writer.keep(record("slow-one", "second"))
    for n in range(20):
        writer.keep(record(f"quick-{n}", str(n)))
    assert all(writer.written(f"quick-{n}").result(HANG) for n in range(20))
    assert text(journal, "slow-one") is None and writer.lag("slow-one") > 0
    gate.open.set()
    assert writer.written("slow-one").result(HANG)
    assert text(journal, "slow-one") == "second"


@pytest.mark.parametrize("name", ["write_atomically", "_append"])
def test_a_full_disk_is_tried_again_until_it_is_not(
    journal: Journal, writer: JournalWriter, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    heard: list[tuple[str, OSError | None]] = []
    well = threading.Event()

    def listen(session: str, error: OSError | None) -> None:
        heard.append((session, error))
        if error is None:
            well.set()

    writer.listener = listen
    first = record("abcd1234", "zero")
    if name == "_append":
        writer.keep(first)
        assert writer.written("abcd1234").result(HANG)
    gate = Gate(monkeypatch, name)
    gate.failing["abcd1234"] = 4
    writer.keep(record("abcd1234", "zero", "one"))
    writer.samples("abcd1234", b'{"name": "t", "start": true, "times": [1], "values": [[1]]}\n')
    assert well.wait(HANG), "nobody touched it again, and yet it is written"
    assert [error is None for _, error in heard] == [False] * 4 + [True]
    assert heard[0][1] is not None and "No space" in str(heard[0][1])
    found = journal.load("abcd1234")
    assert found is not None and found.present.text == "one"
    assert found.recordings == {"t": {"times": [1], "values": [[1]]}}


def test_what_a_failed_write_left_is_overwritten(
    journal: Journal, writer: JournalWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full takes part of a line."""
    steps = ["a" * 5000, "b" * 5000, "c" * 5000]
    writer.keep(record("abcd1234", steps[0]))
    assert writer.written("abcd1234").result(HANG)
    real, failures = module.os.write, [1]

    def half(handle: int, data: memoryview) -> int:
        if failures:
            failures.pop()
            real(handle, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, data)

    monkeypatch.setattr(module.os, "write", half)
    writer.keep(record("abcd1234", *steps[:2]))
    assert not writer.written("abcd1234").result(HANG)
    writer.keep(record("abcd1234", *steps))
    assert writer.written("abcd1234").result(HANG)
    assert text(journal, "abcd1234") == steps[2]
    data = journal.log("abcd1234").read_bytes()
    assert len(data.rstrip(b"\n").split(b"\n")) == 2, "no torn line is in between"


def test_logs_do_not_grow_for_ever(
    journal: Journal, writer: JournalWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SMALL", 2000)
    for n in range(200):
        writer.keep(record("abcd1234", str(n)))
        assert writer.written("abcd1234").result(HANG)
    assert journal.log("abcd1234").stat().st_size < 8000
    assert text(journal, "abcd1234") == "199"


def test_a_log_that_somebody_removed_or_cut_is_written_again(
    journal: Journal, writer: JournalWriter
) -> None:
    place = journal.log("abcd1234")
    for n, harm in enumerate([place.unlink, lambda: place.write_bytes(b"")] * 2):
        writer.keep(record("abcd1234", str(n)))
        assert writer.written("abcd1234").result(HANG) and text(journal, "abcd1234") == str(n)
        harm()
    line = b'{"name": "t", "start": true, "times": [1], "values": [[1]]}\n'
    for _ in range(2):
        writer.samples("abcd1234", line)
        assert writer.written("abcd1234").result(HANG)
        journal.recording("abcd1234").unlink()


def test_recordings_leave_the_disk_after_the_motion_is_there(
    journal: Journal, writer: JournalWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = b'{"name": "t", "start": true, "times": [1], "values": [[1]]}\n'
    writer.samples("abcd1234", line)
    assert writer.written("abcd1234").result(HANG)
    gate = Gate(monkeypatch, "write_atomically")
    gate.closed_for.add("abcd1234")
    writer.keep(record("abcd1234", "with the motion"))
    writer.drop_recordings("abcd1234")
    assert gate.reached.wait(HANG)
    assert journal.recording("abcd1234").exists()
    gate.open.set()
    assert writer.written("abcd1234").result(HANG)
    assert not journal.recording("abcd1234").exists()
    writer.samples("abcd1234", line)
    assert writer.written("abcd1234").result(HANG)
    found = journal.load("abcd1234")
    assert found is not None and list(found.recordings) == ["t"]


def test_a_session_that_ended_is_forgotten(journal: Journal, writer: JournalWriter) -> None:
    writer.keep(record("abcd1234", "a"))
    assert writer.written("abcd1234").result(HANG)
    writer.forget("abcd1234", remove=False)
    assert text(journal, "abcd1234") == "a"
    writer.keep(record("abcd1234", "b"))
    writer.forget("abcd1234", remove=True)
    assert not journal.log("abcd1234").exists()


def test_the_end_names_what_could_not_be_written(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch, "write_atomically")
    gate.failing["bad-one"] = 1000
    writer = JournalWriter(journal)
    writer.keep(record("bad-one", "a"))
    writer.keep(record("good-one", "a"))
    assert writer.close() == ["bad-one"]
    assert text(journal, "good-one") == "a"
