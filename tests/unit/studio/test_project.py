"""The project folder, and that nothing leads out of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from kinegen.errors import UsageError
from kinegen.studio.project import LARGEST_TEXT, Project

TEXT = "raff: 1\nname: x\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "project"
    (folder / "parts").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "arm.raff").write_text(TEXT)
    (folder / "parts/hand.raff").write_text(TEXT)
    (folder / ".hidden/no.raff").write_text(TEXT)
    (folder / "notes.txt").write_text("no")
    (tmp_path / "outside.raff").write_text(TEXT)
    return Project(folder)


def test_raff_files_are_listed_by_path(project: Project) -> None:
    assert project.files() == ["arm.raff", "parts/hand.raff"]


@pytest.mark.parametrize(
    "file",
    [
        "", ".", "..", "../outside.raff", "parts/../../outside.raff", "/etc/passwd.raff",
        "\\x.raff", "..\\outside.raff", "C:\\x.raff", "C:x.raff", "a\0.raff", ".hidden/no.raff",
        "parts/.x.raff", "con.raff", "parts/LPT1.raff", "arm.raff ", "x./y.raff", "a" * 500,
    ],
)  # fmt: skip
def test_paths_that_are_not_in_the_folder_are_refused(project: Project, file: str) -> None:
    with pytest.raises(UsageError):
        project.path(file)
    with pytest.raises(UsageError):
        project.read(file)
    with pytest.raises(UsageError):
        project.save(file, TEXT, overwrite=True)
    with pytest.raises(UsageError):
        project.store(file, TEXT.encode())
    with pytest.raises(UsageError):
        project.mesh(file)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_do_not_lead_out(project: Project) -> None:
    os.symlink(project.folder.parent / "outside.raff", project.folder / "link.raff")
    os.symlink(project.folder.parent, project.folder / "up")
    for file in ("link.raff", "up/outside.raff"):
        with pytest.raises(UsageError, match="leads out"):
            project.read(file)
        with pytest.raises(UsageError, match="leads out"):
            project.save(file, TEXT, overwrite=True)
    assert "up/outside.raff" not in project.files()


def test_saving_asks_before_it_overwrites(project: Project) -> None:
    assert project.save("new/deep/x.raff", TEXT, overwrite=False) == "new/deep/x.raff"
    with pytest.raises(UsageError, match="exists already"):
        project.save("arm.raff", "other", overwrite=False)
    assert project.save("arm.raff", "other", overwrite=True) == "arm.raff"
    assert project.read("arm.raff") == "other"
    assert not [name for name in os.listdir(project.folder) if name.endswith(".tmp")]


def test_only_raff_files_are_read_and_saved(project: Project) -> None:
    for work in (
        lambda: project.read("notes.txt"),
        lambda: project.save("x.py", "", overwrite=True),
    ):
        with pytest.raises(UsageError, match=r"ends in \.raff"):
            work()
    with pytest.raises(UsageError, match="there is no file"):
        project.read("none.raff")


def test_files_that_are_no_text_or_too_long_are_refused(project: Project) -> None:
    (project.folder / "bad.raff").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8"):
        project.read("bad.raff")
    with open(project.folder / "long.raff", "wb") as file:
        file.truncate(LARGEST_TEXT + 1)
    with pytest.raises(UsageError, match="too large"):
        project.read("long.raff")


def test_uploads_are_of_known_kinds(project: Project) -> None:
    assert project.store("up.raff", TEXT.encode()) == "up.raff"
    assert project.store("m/box.obj", b"# box\nv 0 0 0\n") == "m/box.obj"
    assert project.store("m/box.obj", b"# box\nv 0 0 0\n") == "m/box.obj", "the same again"
    assert project.store("m/box.obj", b"# other\nv 0 0 1\n") == "m/box-2.obj"
    assert (project.folder / "m/box.obj").read_bytes() == b"# box\nv 0 0 0\n"
    assert project.store("up.raff", TEXT.encode() + b"# more\n") == "up-2.raff"
    assert project.mesh("m/box.obj").is_file()
    for file, data, words in (
        ("x.py", b"", "cannot be taken"),
        ("x.stl", b"no mesh", "not of that kind"),
        ("x.raff", b"\xff", "not UTF-8"),
        ("x.raff", b"x" * (LARGEST_TEXT + 1), "at most"),
    ):
        with pytest.raises(UsageError, match=words):
            project.store(file, data)
    with pytest.raises(UsageError, match="no mesh"):
        project.mesh("arm.raff")


def include(path: str) -> str:
    return f"raff: 1\nname: x\nrobots:\n  - {{name: a, include: {path}}}\n"


def test_includes_stay_in_the_folder(project: Project) -> None:
    project.check_includes(include("stewart"))
    project.check_includes(include("parts/hand.raff"))
    project.check_includes(include("../arm.raff"), "parts")
    project.check_includes("not: [yaml, include")
    for path in ("../outside.raff", "/etc/hosts.raff", "parts/../../outside.raff"):
        with pytest.raises(UsageError):
            project.check_includes(include(path))
    with pytest.raises(UsageError):
        project.check_includes(include("../../outside.raff"), "parts")


def test_includes_of_includes_stay_in_the_folder(project: Project) -> None:
    project.save("inner.raff", include("../outside.raff"), overwrite=True)
    with pytest.raises(UsageError):
        project.check_includes(include("inner.raff"))
    # a circle is for the reader to find
    project.save("circle.raff", include("circle.raff"), overwrite=True)
    project.check_includes(include("circle.raff"))


def test_a_project_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a folder"):
        Project(tmp_path / "none")
