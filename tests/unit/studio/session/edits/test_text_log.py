"""Texts by version: bounded, and what is forgotten is refused rather than guessed."""

from __future__ import annotations

import pytest

from kinegen.studio.session.edits import text_log as module
from kinegen.studio.session.edits.text_log import TextLog


def test_an_edit_is_merged_with_what_came_since() -> None:
    log = TextLog()
    log.add(1, 0, "a\nb")
    log.add(2, 0, "a\nb")
    log.add(5, 0, "A\nb")
    assert log.merged("a\nB", 1, 5) == log.merged("a\nB", 4, 5) == "A\nB"
    assert log.merged("a\nB", 5, 5) == log.merged("a\nB", 7, 7) == "a\nB"
    assert log.merged("x\nb", 1, 5) is None
    log.add(8, 1, "a\nb")
    assert log.merged("a\nB", 1, 8) is None, "another mechanism, though its text is the same"


def test_old_texts_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_TEXTS", 3)
    log = TextLog()
    for version in range(1, 6):
        log.add(version, 0, f"{version}\nb")
    assert log.merged("1\nB", 1, 5) is None
    assert log.merged("3\nB", 3, 5) == "5\nB"
    monkeypatch.setattr(module, "MOST_CHARACTERS", 10)
    log.add(6, 0, "x" * 50)
    assert log.merged("y", 6, 6) == "y"


def test_who_types_over_its_own_text_is_not_in_conflict() -> None:
    log = TextLog()
    log.add(1, 0, "a\nb")
    log.add(2, 0, "x\nb", typist=7)
    log.add(3, 0, "xy\nb", typist=7)
    assert log.merged("xyz\nb", 1, 3, typist=7) == "xyz\nb"
    assert log.merged("xyz\nb", 1, 3, typist=8) is None
    log.add(4, 0, "xy\nB", typist=0)
    assert log.merged("xyz\nb", 1, 4, typist=7) is None
    assert log.merged("xyz\nb", 3, 4, typist=7) == "xyz\nB"
