"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from kinegen.errors import UsageError
from kinegen.files import write_atomically, written_atomically


def test_a_file_is_written(tmp_path: Path) -> None:
    write_atomically(tmp_path / "new.txt", b"whole")
    assert (tmp_path / "new.txt").read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["new.txt"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "old.txt"
    place.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), written_atomically(place) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert place.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["old.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_permissions_stay_and_links_are_followed(tmp_path: Path) -> None:
    place = tmp_path / "kept.txt"
    place.write_bytes(b"old")
    place.chmod(0o640)
    (tmp_path / "link.txt").symlink_to(place)
    write_atomically(tmp_path / "link.txt", b"new")
    assert place.read_bytes() == b"new"
    assert stat.S_IMODE(place.stat().st_mode) == 0o640
    assert (tmp_path / "link.txt").is_symlink()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no /dev/null")
def test_what_is_no_regular_file_is_written_directly() -> None:
    write_atomically("/dev/null", b"gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_new_files_have_names_that_every_system_holds(tmp_path: Path) -> None:
    for name in ("con.txt", "a:b", "a\nb", "x.", "a\0b"):
        with pytest.raises(UsageError, match="cannot be called"):
            write_atomically(tmp_path / name, b"x")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there it cannot exist")
def test_files_with_odd_names_are_written_again(tmp_path: Path) -> None:
    (tmp_path / "a:b").write_bytes(b"old")
    write_atomically(tmp_path / "a:b", b"new")
    assert (tmp_path / "a:b").read_bytes() == b"new"
