"""How much a studio may write."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kinegen.errors import UsageError
from kinegen.studio.server.uploading import quota as module
from kinegen.studio.server.uploading.quota import Quota


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    project = tmp_path / "project"
    project.mkdir()
    (project / "own.stl").write_bytes(bytes(5000))  # what is there anyway does not count
    return project, tmp_path / "state"


def write(quota: Quota, project: Path, name: str, size: int) -> None:
    with quota.holding(size):
        (project / name).write_bytes(bytes(size))
        quota.wrote(name)


def test_what_was_written_counts_over_restarts_until_it_is_removed(
    folders: tuple[Path, Path],
) -> None:
    project, state = folders
    quota = Quota(project, state, 1000)
    write(quota, project, "a.stl", 600)
    assert quota.used() == 600
    for again in (quota, Quota(project, state, 1000)):
        with pytest.raises(UsageError, match="remove files that you no longer need"):
            write(again, project, "b.stl", 500)
    assert not (project / "b.stl").exists()
    (project / "a.stl").unlink()
    write(quota, project, "b.stl", 500)
    assert Quota(project, state, 1000).used() == 500
    assert Quota(project.parent, state, 1000).used() == 0


def test_files_under_way_count(folders: tuple[Path, Path]) -> None:
    quota = Quota(*folders, 1000)
    with quota.holding(600):
        with pytest.raises(UsageError, match="--quota"), quota.holding(500):
            pass
    with quota.holding(1000):
        pass


def test_the_number_of_files_is_bounded(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 2)
    quota = Quota(*folders)
    write(quota, folders[0], "a.raff", 1)
    write(quota, folders[0], "b.raff", 1)
    with pytest.raises(UsageError, match="2 files"):
        write(quota, folders[0], "c.raff", 1)


def test_a_full_disk_is_left_alone(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(folders[0])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=70 * 2**20))
    quota = Quota(*folders)
    with quota.holding(5 * 2**20):
        pass
    with pytest.raises(UsageError, match="only 70 MB left"), quota.holding(7 * 2**20):
        pass


@pytest.mark.parametrize("text", ["", "[]", "{", '{"../../etc/passwd": 5, "a\\u0000": 1}', "5"])
def test_a_broken_ledger_is_no_end(folders: tuple[Path, Path], text: str) -> None:
    quota = Quota(*folders)
    quota._ledger.parent.mkdir(parents=True)
    quota._ledger.write_text(text)
    write(quota, folders[0], "a.raff", 7)
    assert quota.used() >= 7
