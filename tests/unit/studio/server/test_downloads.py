"""Files made for download are kept for a while."""

from __future__ import annotations

from pathlib import Path

from kinegen.studio.server import downloads as module
from kinegen.studio.server.downloads import Downloads


def test_files_are_kept_for_a_while() -> None:
    now = [0.0]
    files = Downloads(clock=lambda: now[0])
    link = files.add("a.svg", "image/svg+xml", b"x")
    kind, key, name = link.split("/")
    assert (kind, name) == ("download", "a.svg") and len(key) > 16
    found = files.get(key)
    assert found is not None and found.data == b"x"
    assert files.get("other") is None
    now[0] = module.KEEP + 1
    files.forget()
    assert files.get(key) is None


def test_the_oldest_go_when_there_are_too_many(monkeypatch: object) -> None:
    files = Downloads()
    size = module.MOST_BYTES // 4
    keys = [files.add(f"{n}", "x/y", bytes(size)).split("/")[1] for n in range(6)]
    assert files.get(keys[0]) is None and files.get(keys[-1]) is not None


def test_files_go_with_their_session() -> None:
    kept = Downloads()
    mine, other = (kept.add("a.svg", "image/svg+xml", b"x", who) for who in ("mine", "other"))
    kept.drop("mine")
    assert kept.get(mine.split("/")[1]) is None and kept.get(other.split("/")[1]) is not None


def test_a_file_of_the_project_is_offered_until_its_session_is_closed(tmp_path: Path) -> None:
    now = [0.0]
    kept = Downloads(clock=lambda: now[0])
    key = kept.offer(tmp_path / "run.mcap", "x/y", "mine").split("/")[1]
    now[0] = 10 * module.KEEP
    kept.forget()
    found = kept.get(key)
    assert found is not None and found.data == tmp_path / "run.mcap"
    kept.drop("mine")
    assert kept.get(key) is None
