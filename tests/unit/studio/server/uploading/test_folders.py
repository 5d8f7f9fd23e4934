"""Folders on their way into a project."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kinegen.errors import UsageError
from kinegen.studio.server.uploading import folders as module
from kinegen.studio.server.uploading.folders import FolderUploads
from kinegen.studio.server.uploading.quota import Quota
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.messages import UploadFile

ROBOT = b"""<robot name="arm"><link name="base"/><link name="tip"/>
<joint name="j" type="continuous"><parent link="base"/><child link="tip"/></joint></robot>"""
OBJ = b"v 0 0 0\nv 1 0 0\n"
FILES = {"urdf/arm.urdf": ROBOT, "meshes/arm.obj": OBJ}


@pytest.fixture
def uploads(tmp_path: Path) -> Iterator[FolderUploads]:
    (tmp_path / "project").mkdir()
    project = Project(tmp_path / "project")
    made = FolderUploads(project, Quota(project.folder, tmp_path / "state", 10_000))
    yield made
    made.close()
    assert not list(project.folder.glob(".kinegen-upload-*")), "unfinished folders were left"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "project"


def listed(files: dict[str, bytes]) -> list[UploadFile]:
    return [UploadFile(path, len(data)) for path, data in files.items()]


def send(uploads: FolderUploads, files: dict[str, bytes], name: str = "arm") -> str:
    """Begin an upload and send all that is wanted; its key."""
    plan = uploads.start(1, name, listed(files))
    for path in plan.wanted:
        Project(uploads.place(plan.key, path)).store(path, files[path])
    return plan.key


def test_a_folder_becomes_part_of_the_project_in_one_step(
    uploads: FolderUploads, folder: Path
) -> None:
    key = send(uploads, FILES)
    assert [one.name for one in folder.iterdir() if not one.name.startswith(".")] == []
    done = uploads.finish(1, key)
    assert done.folder == "arm" and [one.file for one in done.robots] == ["arm/urdf/arm.urdf"]
    assert done.robots[0].format == "urdf" and done.robots[0].likely
    assert {path: (folder / "arm" / path).read_bytes() for path in FILES} == FILES
    assert uploads.finish(1, send(uploads, FILES)).folder == "arm", "the same files again"
    other = FILES | {"urdf/arm.urdf": ROBOT + b"\n"}
    assert uploads.finish(1, send(uploads, other)).folder == "arm-2", "others are left alone"
    assert (folder / "arm/urdf/arm.urdf").read_bytes() == ROBOT
    assert sorted(one.name for one in folder.iterdir()) == ["arm", "arm-2"]


def test_what_is_not_taken_is_said(uploads: FolderUploads) -> None:
    long = "a/" * 300 + "b.stl"
    files = listed(FILES) + [
        UploadFile(path, size)
        for path, size in (
            ("README.md", 10), (".git/x.urdf", 10), ("../up.urdf", 10), ("/etc/x.urdf", 10),
            ("C:/x.urdf", 10), (long, 10), ("meshes/ARM.obj", 10), ("big.stl", 100 * 2**20),
            ("con.urdf", 1), ("a\nb.urdf", 1),
        )
    ]  # fmt: skip
    plan = uploads.start(1, "arm", files)
    assert plan.wanted == list(FILES) and plan.others == 2
    reasons = {one.path: one.reason for one in plan.passed_over}
    assert "leads out of the project folder" in reasons["../up.urdf"]
    assert "100 MB; files of its kind may have at most 50 MB" in reasons["big.stl"]
    assert "only in case" in reasons["meshes/ARM.obj"]
    assert len(reasons) == 8
    with pytest.raises(UsageError, match="not one of the files"):
        uploads.place(plan.key, "other.urdf")


def test_limits_are_named(
    uploads: FolderUploads, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="--quota"):
        uploads.start(1, "arm", [UploadFile("x.stl", 20_000)])
    with pytest.raises(UsageError, match="no files of a robot"):
        uploads.start(1, "photos", [UploadFile("x.gif", 1)])
    monkeypatch.setattr(module, "MOST_FILES", 1)
    with pytest.raises(UsageError, match=r"at most 1 files with 512 MB.*folder of one robot"):
        uploads.start(1, "arm", listed(FILES))
    monkeypatch.setattr(module, "MOST_FILES", 10)
    key = send(uploads, {"arm.obj": OBJ}, "meshes")
    with pytest.raises(UsageError, match=r"no robot file that can be opened .*urdf.* nothing"):
        uploads.finish(1, key)
    monkeypatch.setattr(module, "AT_ONCE", 0)
    with pytest.raises(UsageError, match="too many folders"):
        uploads.start(1, "arm", listed(FILES))
    assert list(folder.iterdir()) == []


def test_unfinished_folders_leave_nothing(uploads: FolderUploads, folder: Path) -> None:
    key = send(uploads, FILES)
    with pytest.raises(UsageError, match="was cancelled"):
        uploads.finish(2, key)
    uploads.cancel(2, key)  # another page's
    uploads.cancel(1, key)
    uploads.cancel(1, key)
    with pytest.raises(UsageError, match="was cancelled"):
        uploads.place(key, "urdf/arm.urdf")
    send(uploads, FILES)
    uploads.leave(1)
    killed = folder / ".kinegen-upload-old"
    killed.mkdir()
    os.utime(killed, (time.time() - 7200,) * 2)
    uploads.cancel(1, uploads.start(1, "arm", listed(FILES)).key)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "made"),
    [("my arm!", "my-arm"), ("..", "robot"), ("con", "robot-con"), ("ä", "robot")],
)
def test_folders_get_names_that_every_system_holds(
    uploads: FolderUploads, given: str, made: str
) -> None:
    assert uploads.finish(1, send(uploads, FILES, given)).folder == made
