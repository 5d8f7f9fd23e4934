"""The project folder, and that nothing leads out of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from kinegen.errors import UsageError
from kinegen.studio.session.files.project import LARGEST_TEXT, Project

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
    with pytest.raises(UsageError, match="already exists"):
        project.save("arm.raff", "other", overwrite=False)
    assert project.save("arm.raff", "other", overwrite=True) == "arm.raff"
    assert project.read("arm.raff") == "other"
    assert not [name for name in os.listdir(project.folder) if name.endswith(".tmp")]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of Unix")
def test_pipes_are_not_written_into(project: Project) -> None:
    os.mkfifo(project.folder / "pipe.raff")
    with pytest.raises(UsageError, match="is not a file"):
        project.save("pipe.raff", TEXT, overwrite=True)
    assert project.store("pipe.raff", TEXT.encode()) == "pipe-2.raff"


def test_only_raff_files_are_read_and_saved(project: Project) -> None:
    for work in (
        lambda: project.read("notes.txt"),
        lambda: project.save("x.py", "", overwrite=True),
    ):
        with pytest.raises(UsageError, match=r"must end in \.raff"):
            work()
    with pytest.raises(UsageError, match="there is no such file"):
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
    with project.mesh("m/box.obj") as file:
        assert file.read() == b"# box\nv 0 0 0\n"
    for file, data, words in (
        ("x.py", b"", "cannot be uploaded"),
        ("x.stl", b"no mesh", "is of another kind"),
        ("x.raff", b"\xff", "not UTF-8"),
        ("x.raff", b"x" * (LARGEST_TEXT + 1), "at most"),
    ):
        with pytest.raises(UsageError, match=words):
            project.store(file, data)
    with pytest.raises(UsageError, match="no mesh"):
        project.mesh("arm.raff")


def test_what_a_text_names_stays_in_the_folder(project: Project) -> None:
    (project.folder / "parts/a.stl").write_bytes(b"mesh")
    assert project.opener().find("stewart").shown == "stewart"
    assert project.opener().find("parts/hand.raff").shown == "parts/hand.raff"
    inner = project.opener("parts/hand.raff")
    assert inner.find("../arm.raff").shown == "arm.raff"
    assert inner.content("a.stl") == project.opener().content("parts/../parts/a.stl") == b"mesh"
    for opener, path in (
        (project.opener(), "../outside.raff"),
        (project.opener(), "parts/../../outside.raff"),
        (project.opener(), "/etc/hosts.raff"),
        (project.opener(), "C:/x.raff"),
        (inner, "../../outside.raff"),
    ):
        with pytest.raises(UsageError, match="leads out of the project folder"):
            opener.find(path)
        with pytest.raises(UsageError, match="leads out of the project folder"):
            opener.content(path)
    with pytest.raises(UsageError, match="begin with a dot"):
        project.opener().find(".hidden/no.raff")
    with pytest.raises(UsageError, match="not a path"):
        project.opener("../outside.raff")


@pytest.mark.skipif(sys.platform == "win32", reason="links and odd names need another system")
def test_files_that_cannot_be_opened_are_not_listed(project: Project) -> None:
    os.symlink(project.folder.parent / "outside.raff", project.folder / "link.raff")
    os.symlink(project.folder / "arm.raff", project.folder / "inner.raff")
    for name in (b"\xff.raff", b"a\nb.raff", b"con.raff", "x\u202ey.raff".encode()):
        with open(os.path.join(os.fsencode(project.folder), name), "wb") as file:
            file.write(TEXT.encode())
    assert project.files() == ["arm.raff", "inner.raff", "parts/hand.raff"]


def test_one_file_has_one_name(project: Project) -> None:
    for written in ("parts/hand.raff", "./parts//hand.raff", "parts\\hand.raff"):
        assert project.name_of(written) == "parts/hand.raff"
    for name in ("Arm.raff", "ARM.RAFF".replace("RAFF", "raff")):
        if not (project.folder / name).exists():  # it does where case does not matter
            with pytest.raises(UsageError, match="same file on some systems"):
                project.save(name, TEXT, overwrite=True)
            assert project.store(name, b"raff: 1\n") == name.replace(".", "-2.")
            (project.folder / name.replace(".", "-2.")).unlink()


def test_a_project_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a folder"):
        Project(tmp_path / "none")


def test_a_long_path_is_refused_before_it_is_taken_apart(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at most 400 characters"):
        Project(tmp_path).path("a/" * 1_000_000 + "x.raff")
