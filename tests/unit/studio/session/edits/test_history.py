"""Steps taken back and done again."""

from __future__ import annotations

import numpy as np

from kinegen.studio.session.edits import history as module
from kinegen.studio.session.edits.history import History, Step


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def step(label: str, text: str = "") -> Step:
    return Step(label, text or label, text or label, np.zeros(2), None)


def test_undo_and_redo_walk_through_the_states() -> None:
    steps = History(step("open"))
    assert steps.undo() is None and steps.undo_label is None
    steps.add(step("a"))
    steps.add(step("b"))
    assert (steps.undo_label, steps.redo_label) == ("b", None)
    assert steps.undo() is not None and steps.present.label == "a"
    assert (steps.undo_label, steps.redo_label) == ("a", "b")
    assert steps.redo() is not None and steps.present.label == "b"
    assert steps.redo() is None


def test_a_new_step_forgets_what_was_taken_back() -> None:
    steps = History(step("open"))
    steps.add(step("a"))
    steps.undo()
    steps.add(step("b"))
    assert steps.redo_label is None
    steps.undo()
    assert steps.present.label == "open"


def test_close_keystrokes_are_one_step() -> None:
    clock = Clock()
    steps = History(step("open"), clock=clock)
    for n in range(5):
        clock.now += 0.3
        steps.add(step("edit text", f"t{n}"), merge="text")
    assert steps.present.text == "t4"
    steps.undo()
    assert steps.present.label == "open"


def test_a_pause_or_another_step_ends_the_merging() -> None:
    clock = Clock()
    steps = History(step("open"), clock=clock)
    steps.add(step("edit text", "a"), merge="text")
    clock.now += 1.5
    steps.add(step("edit text", "b"), merge="text")
    steps.add(step("drag"))
    steps.add(step("edit text", "c"), merge="text")
    found = []
    while steps.undo():
        found.append(steps.present.text)
    assert found == ["drag", "b", "a", "open"]


def test_undo_ends_the_merging() -> None:
    clock = Clock()
    steps = History(step("open"), clock=clock)
    steps.add(step("edit text", "a"), merge="text")
    steps.undo()
    steps.redo()
    steps.add(step("edit text", "b"), merge="text")
    steps.undo()
    assert steps.present.text == "a"


def test_memory_is_bounded(monkeypatch: object) -> None:
    steps = History(step("open"))
    big = "x" * (module.MOST_BYTES // 10)
    for n in range(30):
        steps.add(step(str(n), big + str(n)))
    count = 0
    while steps.undo():
        count += 1
    assert 5 <= count <= 12


def test_the_number_of_steps_is_bounded() -> None:
    steps = History(step("open"))
    for n in range(module.MOST_STEPS + 50):
        steps.add(step(str(n)))
    count = 0
    while steps.undo():
        count += 1
    assert count == module.MOST_STEPS - 1


def test_saving_is_no_step() -> None:
    steps = History(step("open"))
    steps.add(step("a"))
    steps.add(Step("open b", "b", "b", np.zeros(2), None, document=1))
    steps.undo()
    steps.saved("file.raff")
    assert steps.present.file == "file.raff" and steps.undo_label == "a"
    steps.undo()
    assert steps.present.file == "file.raff"
    steps.redo()
    steps.redo()
    assert steps.present.file is None


def test_labels_are_cut() -> None:
    steps = History(step("open"))
    steps.add(step("x" * 10**6, "text"))
    assert steps.undo_label == "x" * 200 + "…"
