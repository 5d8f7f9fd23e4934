"""A session follows its file, and never overwrites what others wrote into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinegen.errors import UsageError
from kinegen.studio.session.files.conflicts import ConflictError
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.session import Session

TEXT = "raff: 1\nname: arm\njoints:\n  - {name: A, parent: base, d: 0.1}\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "arm.raff"
    place.write_text(TEXT)
    return place


@pytest.fixture
def arm(file: Path) -> Session:
    return Session.opened(Project(file.parent), "file", "arm.raff")


def test_a_clean_session_takes_over_what_is_on_disk(file: Path, arm: Session) -> None:
    assert arm.look_at_disk() is None and arm.version == 1
    file.write_text(TEXT.replace("0.1", "0.2"))
    assert arm.look_at_disk() is None
    assert arm.present.text == TEXT.replace("0.1", "0.2") and not arm.dirty
    assert "changed on disk" in arm.notices[-1].message
    assert arm.snapshot().undo == "read arm.raff again"
    arm.undo()
    assert arm.present.text == TEXT and arm.dirty
    # now it is work that no file holds, and saving it is known to replace what was read
    arm.save("arm.raff")
    assert file.read_text() == TEXT


def test_a_text_with_problems_is_taken_over_with_them(file: Path, arm: Session) -> None:
    file.write_text(TEXT + "joints: 5\n")
    assert arm.look_at_disk() is None
    assert arm.problems and not arm.dirty and arm.work.model.nq == 1


def test_a_session_with_work_is_asked(file: Path, arm: Session) -> None:
    arm.edit_text(TEXT + "# mine\n")
    file.write_text(TEXT + "# theirs\n")
    conflict = arm.look_at_disk()
    assert conflict is not None and conflict.theirs == TEXT + "# theirs\n"
    assert arm.present.text == TEXT + "# mine\n"
    with pytest.raises(ConflictError):
        arm.save("arm.raff")
    assert file.read_text() == TEXT + "# theirs\n"
    # a third change: neither choice is about it
    file.write_text(TEXT + "# third\n")
    with pytest.raises(ConflictError) as caught:
        arm.save("arm.raff", overwrite=conflict.version)
    with pytest.raises(ConflictError):
        arm.take_from_disk(conflict.version)
    arm.take_from_disk(caught.value.data.version)
    assert arm.present.text == TEXT + "# third\n" and not arm.dirty
    arm.undo()
    assert arm.present.text == TEXT + "# mine\n" and arm.dirty
    arm.save("arm.raff")
    assert file.read_text() == TEXT + "# mine\n"


def test_the_same_change_on_disk_is_no_conflict(file: Path, arm: Session) -> None:
    arm.edit_text(TEXT + "# both\n")
    file.write_text(TEXT + "# both\n")
    assert arm.look_at_disk() is None and not arm.dirty


def test_a_file_that_is_gone_makes_its_text_unsaved_work(file: Path, arm: Session) -> None:
    file.unlink()
    assert arm.look_at_disk() is None
    assert arm.dirty and "deleted or renamed" in arm.notices[-1].message
    said = len(arm.notices)
    arm.look_at_disk()
    assert len(arm.notices) == said
    arm.save("./arm.raff")
    assert file.read_text() == TEXT and not arm.dirty
    file.unlink()
    file.mkdir()
    arm.look_at_disk()
    assert arm.dirty and "is a folder" in arm.notices[-1].message
    with pytest.raises(UsageError, match="is a folder"):
        arm.save("arm.raff")
    file.rmdir()
    # it comes back with something else in it
    file.write_text(TEXT + "# theirs\n")
    conflict = arm.look_at_disk()
    assert conflict is not None and conflict.file == "arm.raff"


def test_a_text_without_a_file_has_nothing_to_follow(tmp_path: Path) -> None:
    session = Session.opened(Project(tmp_path), "library", "four-bar")
    assert session.look_at_disk() is None
    with pytest.raises(UsageError, match="not belong to a file"):
        session.take_from_disk("")


def test_two_sessions_on_one_file(file: Path, arm: Session) -> None:
    other = Session.opened(arm.project, "file", "arm.raff")
    arm.edit_text(TEXT + "# one\n")
    other.edit_text(TEXT + "# other\n")
    arm.save("arm.raff")
    with pytest.raises(ConflictError):
        other.save("arm.raff")
    other.save("other.raff")
    assert file.read_text() == TEXT + "# one\n"


def test_a_restored_session_knows_what_the_file_held(file: Path, arm: Session) -> None:
    arm.edit_text(TEXT + "# mine\n")
    back = Session.restored(arm.project, arm.record())
    back.save("arm.raff")
    arm.edit_text(TEXT + "# more\n")
    back = Session.restored(arm.project, arm.record())
    file.write_text("theirs")
    with pytest.raises(ConflictError):
        back.save("arm.raff")


# Two who type


def test_edits_of_different_lines_are_merged(arm: Session) -> None:
    seen = arm.version
    arm.edit_text(TEXT.replace("0.1", "0.2"), seen)
    arm.edit_text(TEXT.replace("name: arm", "name: hand"), seen)
    assert arm.present.text == TEXT.replace("0.1", "0.2").replace("name: arm", "name: hand")
    assert not arm.problems


def test_edits_of_the_same_line_are_refused_with_both(arm: Session) -> None:
    seen = arm.version
    arm.edit_text(TEXT.replace("0.1", "0.2"), seen)
    with pytest.raises(ConflictError) as caught:
        arm.edit_text(TEXT.replace("0.1", "0.3"), seen)
    assert caught.value.data.theirs == TEXT.replace("0.1", "0.2")
    assert caught.value.data.where == "session"
    assert "0.2" in arm.present.text
    # knowingly, it may be replaced
    arm.edit_text(TEXT.replace("0.1", "0.3"), int(caught.value.data.version))
    assert "0.3" in arm.present.text


def test_numbers_set_meanwhile_are_kept(arm: Session) -> None:
    text = TEXT.replace("joints:", "parameters: {a: 1, b: 2}\njoints:")
    arm.edit_text(text)
    seen = arm.version
    arm.set_numbers([(None, "a", 5.0)])
    arm.edit_text(text + "# typed\n", seen)
    assert "a: 5" in arm.present.text and arm.present.text.endswith("# typed\n")


@pytest.mark.parametrize("base", [-5, 0, 10_000])
def test_a_version_that_never_was_is_refused(arm: Session, base: int) -> None:
    with pytest.raises(ConflictError):
        arm.edit_text("other", base)


def test_an_edit_of_what_was_open_before_is_refused(arm: Session) -> None:
    seen = arm.version
    arm.open("library", "four-bar")
    with pytest.raises(ConflictError):
        arm.edit_text(TEXT + "# late\n", seen)


def test_what_two_people_type_is_two_steps(arm: Session) -> None:
    arm.author = 1
    arm.edit_text(TEXT + "# 1\n")
    arm.author = 2
    arm.edit_text(TEXT + "# 1\n# 2\n")
    arm.undo()
    assert arm.present.text == TEXT + "# 1\n"


def test_a_text_that_could_not_be_taken_over_is_not_overwritten_unseen(
    file: Path, arm: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that takes too long to read, though the session here is clean."""
    theirs = TEXT + "# theirs\n"
    file.write_text(theirs)

    def too_slow(*_: object) -> None:
        raise UsageError("this took longer than 20 s and was stopped")

    monkeypatch.setattr(arm.reader, "read", too_slow)
    conflict = arm.look_at_disk()
    assert conflict is not None and conflict.theirs == theirs
    assert arm.present.text == TEXT
    with pytest.raises(UsageError, match="longer than"):
        arm.take_from_disk(conflict.version)
    with pytest.raises(ConflictError):
        arm.save("arm.raff")
    assert file.read_text() == theirs
