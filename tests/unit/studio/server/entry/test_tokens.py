"""The token of a project folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from kinegen.studio.server.entry import tokens as module
from kinegen.studio.server.entry.tokens import kept_token


def place(state: Path) -> Path:
    (file,) = (state / "tokens").iterdir()
    return file


def test_it_outlives_a_restart_and_belongs_to_a_folder(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first = kept_token(tmp_path / "state", tmp_path)
    assert kept_token(tmp_path / "state", tmp_path / "other" / "..") == first
    assert kept_token(tmp_path / "state", tmp_path / "other") != first
    assert kept_token(tmp_path / "elsewhere", tmp_path) != first
    new = kept_token(tmp_path / "state", tmp_path, new=True)
    assert new != first and kept_token(tmp_path / "state", tmp_path) == new


@pytest.mark.skipif(os.name == "nt", reason="rights are of another kind there")
def test_it_is_for_its_owner_alone(tmp_path: Path) -> None:
    state = tmp_path / "state"
    first = kept_token(state, tmp_path)
    assert stat.S_IMODE(place(state).stat().st_mode) == 0o600
    assert stat.S_IMODE((state / "tokens").stat().st_mode) == 0o700
    # one that others could have read is worth nothing any more
    place(state).chmod(0o644)
    second = kept_token(state, tmp_path)
    assert second != first and stat.S_IMODE(place(state).stat().st_mode) == 0o600


def test_it_is_renewed_after_a_month(tmp_path: Path) -> None:
    first = kept_token(tmp_path, tmp_path)
    old = place(tmp_path).stat().st_mtime - module.KEEP - 10
    os.utime(place(tmp_path), (old, old))
    assert kept_token(tmp_path, tmp_path) != first


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 10**6, b"\xff" * 32, b"a b" * 20])
def test_a_broken_file_is_replaced(tmp_path: Path, content: bytes) -> None:
    kept_token(tmp_path, tmp_path)
    place(tmp_path).write_bytes(content)
    made = kept_token(tmp_path, tmp_path)
    assert len(made) == 32 and kept_token(tmp_path, tmp_path) == made


@pytest.mark.skipif(os.name == "nt", reason="there are no such files there")
def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    kept_token(tmp_path, tmp_path)
    name = place(tmp_path)
    for make in (os.mkfifo, os.mkdir):
        name.rmdir() if name.is_dir() else name.unlink()
        make(name)
        assert len(kept_token(tmp_path, tmp_path)) == 32
    (tmp_path / "file").write_text("")
    assert len(kept_token(tmp_path / "file", tmp_path)) == 32
