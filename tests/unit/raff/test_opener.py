"""The opener: what it finds, what it reads, what it refuses before it opens anything."""

from __future__ import annotations

import os
import pickle
import socket
import sys
from pathlib import Path

import pytest

from kinegen.errors import UsageError
from kinegen.raff.opener import Opener, Place, open_regular, place_inside, read_regular

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and devices of Unix")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = Path(os.path.realpath(tmp_path)) / "project"
    (folder / "parts").mkdir(parents=True)
    (folder / "arm.raff").write_text("arm")
    (folder / "parts/hand.raff").write_text("hand")
    (folder.parent / "secret.raff").write_text("secret")
    return folder


def rooted(root: Path, folder: str = "") -> Opener:
    return Opener(str(root / folder), root=str(root))


def test_names_begin_in_the_folder_of_the_file_they_stand_in(root: Path) -> None:
    for opener in (rooted(root), Opener(str(root))):
        hand = opener.find("parts/hand.raff")
        assert opener.read(hand) == b"hand"
        assert opener.read(opener.find("../arm.raff", hand)) == b"arm"
        assert opener.find("../parts/./hand.raff", hand) == hand
    assert rooted(root).find("parts\\hand.raff").shown == "parts/hand.raff"
    assert rooted(root, "parts").find("hand.raff").shown == "parts/hand.raff"


def test_without_a_root_files_may_be_anywhere(root: Path) -> None:
    opener = Opener(str(root))
    assert opener.read(opener.find("../secret.raff")) == b"secret"
    assert opener.read(opener.find(str(root.parent / "secret.raff"))) == b"secret"
    with pytest.raises(UsageError, match="only include library mechanisms"):
        Opener().find("arm.raff")


def test_libraries_go_by_bare_names(root: Path) -> None:
    library = root.parent / "library"
    library.mkdir()
    (library / "four-bar.raff").write_text("raff: 1")
    opener = Opener(str(root), root=str(root), library=str(library))
    found = opener.find("four-bar")
    assert opener.read(found) == b"raff: 1" and found.shown == "four-bar"
    assert opener.find("four-bar", found) == found
    with pytest.raises(UsageError, match="library mechanisms can only include each other"):
        opener.find("x.raff", found)
    with pytest.raises(UsageError, match="did you mean 'four-bar'"):
        opener.find("four-baar")


@posix
def test_links_lead_nowhere_else(root: Path) -> None:
    os.symlink(root.parent / "secret.raff", root / "link.raff")
    os.symlink(root.parent / "none.raff", root / "broken.raff")
    os.symlink(root.parent, root / "up")
    os.symlink(root / "parts", root / "inner")
    reasons = set()
    for file in ("link.raff", "broken.raff", "up/secret.raff", "up/none.raff", "../secret.raff"):
        with pytest.raises(UsageError) as caught:
            rooted(root).find(file)
        reasons.add(str(caught.value))
    assert reasons == {"it leads out of the project folder"}, "missing or not: nobody can see which"
    assert rooted(root).find("inner/hand.raff").shown == "parts/hand.raff"


@posix
@pytest.mark.parametrize("step_by_step", [True, False])
def test_a_link_exchanged_after_the_check_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch, step_by_step: bool
) -> None:
    if not step_by_step:  # as on Windows
        monkeypatch.setattr(os, "supports_dir_fd", set())
        assert rooted(root).content("arm.raff") == b"arm"
    opener = rooted(root)
    arm, hand = opener.find("arm.raff"), opener.find("parts/hand.raff")
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "hand.raff").write_text("secret")
    (root / "arm.raff").unlink()
    os.symlink(root.parent / "secret.raff", root / "arm.raff")
    os.rename(root / "parts", root / "old")
    os.symlink(outside, root / "parts")
    for place in (arm, hand):
        with pytest.raises(UsageError, match=r"cannot be read|no such file"):
            opener.read(place)


@posix
def test_only_regular_files_are_opened(root: Path) -> None:
    os.mkfifo(root / "pipe.raff")
    (root / "folder.raff").mkdir()
    os.symlink("/dev/zero", root / "zero.raff")
    listening = socket.socket(socket.AF_UNIX)
    before = os.getcwd()
    os.chdir(root)  # the path of a socket is short
    try:
        listening.bind("socket.raff")
    finally:
        os.chdir(before)
        listening.close()
    opener = Opener(str(root))
    for file in ("pipe.raff", "folder.raff", "zero.raff", "socket.raff"):
        with pytest.raises(UsageError, match="it is a"):
            opener.read(opener.find(file))
    with pytest.raises(UsageError, match="it is a device"):
        open_regular("/dev/null")


def test_sizes_are_bounded(root: Path) -> None:
    (root / "big.raff").write_bytes(b"x" * 100)
    (root / "other.raff").write_bytes(b"x" * 100)
    with pytest.raises(UsageError, match="at most 99 bytes"):
        Opener(str(root), largest=99).read(Place(str(root / "big.raff"), "big"))
    opener = Opener(str(root), largest=100, total=150)
    opener.read(opener.find("big.raff"))
    with pytest.raises(UsageError, match="more than 150 bytes in total"):
        opener.read(opener.find("other.raff"))
    assert len(read_regular(str(root / "big.raff"), 100)) == 100
    with pytest.raises(UsageError, match="no such file"):
        read_regular(str(root / "none"), 100)


def test_files_are_not_too_many(root: Path) -> None:
    opener = Opener(str(root))
    for number in range(1000):
        opener.read(Place(str(root / "arm.raff"), str(number)))
    with pytest.raises(UsageError, match="more than 1000 files"):
        opener.read(opener.find("arm.raff"))


def test_it_knows_whether_anything_has_changed(root: Path) -> None:
    opener = rooted(root)
    hand = opener.find("parts/hand.raff")
    opener.read(hand)
    assert opener.is_current() and pickle.loads(pickle.dumps(opener)).is_current()
    os.utime(root / "parts/hand.raff", (0, 0))
    assert opener.is_current(), "the content counts"
    (root / "parts/hand.raff").write_text("HAND")
    assert not opener.is_current()
    (root / "parts/hand.raff").write_text("hand")
    assert opener.is_current()
    (root / "parts/hand.raff").unlink()
    assert not opener.is_current()
    assert opener.fresh().is_current(), "it has read nothing"


def test_places_inside_a_folder(root: Path) -> None:
    assert place_inside(str(root), "parts/hand.raff") == str(root / "parts/hand.raff")
    for path in ("../x", "a/../../x", "/etc/x"):
        with pytest.raises(UsageError, match="leads out"):
            place_inside(str(root), path)
    with pytest.raises(UsageError, match="begin with a dot"):
        place_inside(str(root), "a/.git/config")
