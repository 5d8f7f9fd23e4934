"""Compiled texts that a session keeps at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinegen.studio.session.edits import shelf
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.session import Session


def test_large_texts_are_not_kept_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(Project(tmp_path))
    monkeypatch.setattr(shelf, "MOST_BYTES", 10_000)
    for n in range(5):
        session.edit_text(f"raff: 1\nname: mechanism\njoints: []\n# {n}{'x' * 4000}\n")
    assert 0 < sum(len(work.text) for work in session._shelf) <= 10_000
    session.edit_text(f"raff: 1\nname: mechanism\njoints: []\n# {'x' * 20_000}\n")
    assert len(session._shelf) == 1, "what was read last is always there"
