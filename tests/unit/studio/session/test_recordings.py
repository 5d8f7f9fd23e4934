"""Recordings in progress."""

from __future__ import annotations

import pytest

from kinegen.errors import UsageError
from kinegen.studio.session import recordings as module
from kinegen.studio.session.recordings import Recordings
from kinegen.studio.wire.messages import RecordSamples

JOINTS = [("A", 1), ("fix", 0), ("ball", 4)]


def part(name: str, times: list[float], *, start: bool = False, width: int = 5) -> RecordSamples:
    return RecordSamples(name, start, times, [[t] * width for t in times])


def test_parts_become_a_motion() -> None:
    takes = Recordings()
    takes.add(part("take", [0.0, 0.1], start=True), 5)
    takes.add(part("take", [0.2]), 5)
    (motion,) = takes.motions(JOINTS, set()).values()
    assert motion.joints == ["A", "ball"]
    assert motion.times == [0.0, 0.1, 0.2] and motion.values[2] == [0.2] * 5


def test_a_start_begins_again_and_names_are_made_valid() -> None:
    takes = Recordings()
    takes.add(part("my take!", [0.0, 1.0], start=True), 5)
    takes.add(part("my take!", [0.0, 0.5], start=True), 5)
    takes.add(part("1", [0.0, 0.5], start=True), 5)
    names = {motion.name: motion.times for motion in takes.motions(JOINTS, {"my-take-"}).values()}
    assert names == {"my-take--2": [0.0, 0.5], "recording-1": [0.0, 0.5]}


def test_what_cannot_belong_together_is_refused() -> None:
    takes = Recordings()
    takes.add(part("t", [0.0, 1.0], start=True), 5)
    with pytest.raises(UsageError, match="increase"):
        takes.add(part("t", [0.5]), 5)
    with pytest.raises(UsageError, match="one row of 5 numbers"):
        takes.add(part("t", [2.0], width=4), 5)
    with pytest.raises(UsageError, match="2 times and 1 rows"):
        takes.add(RecordSamples("t", False, [2.0, 3.0], [[0.0] * 5]), 5)
    (motion,) = takes.motions(JOINTS, set()).values()
    assert motion.times == [0.0, 1.0]


def test_single_poses_and_other_mechanisms_make_no_motion() -> None:
    takes = Recordings()
    takes.add(part("one", [0.0], start=True), 5)
    takes.add(part("other", [0.0, 1.0], start=True, width=3), 3)
    assert takes.motions(JOINTS, set()) == {}
    takes.drop("one")
    takes.drop("never")
    assert len(takes) == 1
    takes.clear()
    assert len(takes) == 0


def test_restored_recordings_go_on() -> None:
    takes = Recordings()
    takes.restore({"t": {"times": [0.0, 1.0], "values": [[1.0] * 5, [2.0] * 5]}})
    takes.add(part("t", [2.0]), 5)
    (motion,) = takes.motions(JOINTS, set()).values()
    assert motion.times == [0.0, 1.0, 2.0]


def test_recordings_are_bounded_in_number_and_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_TAKES", 2)
    monkeypatch.setattr(module, "MOST_NUMBERS", 40)
    monkeypatch.setattr(module, "MOST_WRITTEN", 80)
    takes = Recordings()
    takes.add(part("a", [0.0, 1.0], start=True), 5)
    takes.add(part("b", [0.0, 1.0, 2.0], start=True), 5)
    with pytest.raises(UsageError, match="2 recordings are unsaved, which is the limit"):
        takes.add(part("c", [0.0], start=True), 5)
    with pytest.raises(UsageError, match="at most 40 numbers; save them"):
        takes.add(part("a", [2.0, 3.0, 4.0, 5.0]), 5)
    # to begin one again frees what it had, but the journal grows all the same
    for _ in range(11):
        takes.add(part("a", [0.0], start=True), 5)
    with pytest.raises(UsageError, match="at most 40 numbers"):
        takes.add(part("a", [0.0], start=True), 5)
    takes.drop("a")
    takes.drop("b")
    takes.add(part("c", [0.0, 1.0], start=True), 5)
    with pytest.raises(UsageError, match="names of recordings"):
        takes.add(part("x" * 300, [0.0], start=True), 5)
    with pytest.raises(UsageError, match="rows of 5 numbers, got 3"):
        takes.add(part("c", [2.0], width=3), 3)
