"""Nothing on disk is overwritten that nobody has seen."""

from __future__ import annotations

import errno
import multiprocessing
import os
import threading
from pathlib import Path

import pytest

from kinegen.errors import UsageError
from kinegen.studio.session.files import conflicts as module
from kinegen.studio.session.files.conflicts import ConflictError, OnDisk, look, save
from kinegen.studio.session.files.project import LARGEST_TEXT, Project
from kinegen.studio.session.journals import locks


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def write(project: Project, text: str, known: str | None, overwrite: str | None = None) -> str:
    return save(project, "arm.raff", text, known=known, overwrite=overwrite)


def test_a_file_that_is_as_it_was_is_written(project: Project) -> None:
    file = project.folder / "arm.raff"
    assert write(project, "a", None) == "arm.raff" and file.read_text() == "a"
    write(project, "b", "a")
    assert file.read_text() == "b"
    # as some editors write it: nothing that counts has changed
    file.write_bytes(b"\xef\xbb\xbfb")
    write(project, "c", "b")
    assert file.read_text() == "c"
    # both came to the same
    write(project, "c", "b")
    save(project, "new/folder/x.raff", "x", known=None, overwrite=None)


@pytest.mark.parametrize("known", [None, "mine"])
def test_a_file_with_other_content_is_left_alone(project: Project, known: str | None) -> None:
    file = project.folder / "arm.raff"
    file.write_text("theirs")
    with pytest.raises(ConflictError) as caught:
        write(project, "new", known)
    assert caught.value.data.theirs == "theirs" and caught.value.data.where == "disk"
    assert file.read_text() == "theirs"
    # what was seen may be replaced; what came after it may not
    seen = caught.value.data.version
    file.write_text("a third")
    with pytest.raises(ConflictError) as again:
        write(project, "new", known, seen)
    assert again.value.data.theirs == "a third" and file.read_text() == "a third"
    write(project, "new", known, again.value.data.version)
    assert file.read_text() == "new"


def test_a_file_that_is_gone_is_written_again_only_when_asked(project: Project) -> None:
    with pytest.raises(ConflictError, match="deleted or renamed") as caught:
        write(project, "new", "known")
    assert caught.value.data.theirs is None
    assert not (project.folder / "arm.raff").exists()
    write(project, "new", "known", caught.value.data.version)
    assert (project.folder / "arm.raff").read_text() == "new"


def test_content_that_is_no_text_is_reported(project: Project) -> None:
    file = project.folder / "arm.raff"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ConflictError) as caught:
        write(project, "new", "known")
    assert caught.value.data.theirs is None and caught.value.data.version
    write(project, "new", "known", caught.value.data.version)
    assert file.read_text() == "new"


def test_what_is_no_file_is_not_written(project: Project) -> None:
    file = project.folder / "arm.raff"
    file.mkdir()
    with pytest.raises(UsageError, match="it is a folder"):
        write(project, "new", "known", "any")
    file.rmdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(file)
        with pytest.raises(UsageError, match="device, pipe or socket, not a file"):
            write(project, "new", "known", "any")
        file.unlink()
    file.write_bytes(b"x" * (LARGEST_TEXT + 1))
    with pytest.raises(UsageError, match="grown beyond 4 MB"):
        write(project, "new", "known", "any")


def test_a_read_only_file_is_not_replaced(project: Project) -> None:
    """The folder would allow it, also to one who may do everything."""
    file = project.folder / "arm.raff"
    file.write_text("a")
    file.chmod(0o444)
    with pytest.raises(UsageError, match="read-only"):
        write(project, "b", "a")
    assert file.read_text() == "a"


def test_a_full_disk_is_reported_in_words(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(project.folder / ".kinegen.tmp"))

    monkeypatch.setattr(Project, "save", full)
    with pytest.raises(UsageError, match=r"'arm.raff' cannot be saved: No space left on device$"):
        write(project, "b", None)


def test_only_raff_files_are_looked_into(project: Project) -> None:
    (project.folder / "notes.txt").write_text("private")
    with pytest.raises(UsageError, match=r"end in \.raff"):
        save(project, "notes.txt", "x", known=None, overwrite=None)


def test_look_names_content() -> None:
    assert OnDisk(b"a").version != OnDisk(b"b").version != OnDisk(None).version == ""
    assert OnDisk(b"a").holds("a") and not OnDisk(b"a").holds(None) and OnDisk(None).holds(None)


def _save_often(folder: str, name: str, count: int, out: object) -> None:
    """Add lines to one file as an honest writer does: what is there is kept."""
    project, known, done = Project(folder), None, 0
    while done < count:
        text = (known or "") + f"{name} {done}\n"
        try:
            save(project, "arm.raff", text, known=known, overwrite=None)
            known, done = text, done + 1
        except ConflictError as error:
            known = error.data.theirs


def test_many_writers_lose_nothing(project: Project) -> None:
    """Processes and threads that save one file: every line that was written stays."""
    context = multiprocessing.get_context("spawn")
    folder, count = str(project.folder), 25
    processes = [
        context.Process(target=_save_often, args=(folder, f"p{n}", count, None)) for n in range(2)
    ]
    threads = [
        threading.Thread(target=_save_often, args=(folder, f"t{n}", count, None)) for n in range(2)
    ]
    for one in [*processes, *threads]:
        one.start()
    for one in [*processes, *threads]:
        one.join(120)
    found = look(project, "arm.raff").text
    assert found is not None
    wanted = {f"{name} {n}" for name in ("p0", "p1", "t0", "t1") for n in range(count)}
    assert sorted(found.splitlines()) == sorted(wanted)


@pytest.mark.skipif(os.name == "nt", reason="folders are not locked there")
def test_a_lock_that_is_never_free_is_reported(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.05)
    with (
        module.alone_in(project.folder),
        pytest.raises(UsageError, match="another program holds the lock"),
    ):
        write(project, "a", None)
    write(project, "a", None)
