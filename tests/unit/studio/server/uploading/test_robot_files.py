"""Kinds of files that robots consist of."""

from __future__ import annotations

import pytest

from kinegen.errors import UsageError
from kinegen.studio.server.uploading.robot_files import LARGEST_TEXT, check_content, largest_of


def test_kinds_are_known_by_their_ending() -> None:
    assert largest_of("a/ARM.URDF") == largest_of("x.xacro") == LARGEST_TEXT
    assert largest_of("a.stl") == largest_of("t.png") == 50 * 2**20
    assert largest_of("run.py") is None and largest_of("README") is None


@pytest.mark.parametrize(
    ("file", "data", "words"),
    [
        ("x.py", b"", "cannot be uploaded; kinds of files: .*urdf"),
        ("x.urdf", b"\xff\xfe", "not UTF-8"),
        ("x.urdf", b" " * (LARGEST_TEXT + 1), "at most 4 MB, got 4.0 MB"),
        ("x.png", b"GIF89a", "content is of another kind"),
        ("x.dae", b"<robot/>", "content is of another kind"),
    ],
)
def test_other_content_is_refused(file: str, data: bytes, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_content(file, data)


def test_the_parts_of_a_robot_are_taken() -> None:
    for file, data in (
        ("x.urdf", "<robot name='ä'/>".encode()), ("x.yaml", b"a: 1"), ("x.bin", b"\0\xff"),
        ("x.jpg", b"\xff\xd8\xff\xe0"), ("x.mtl", b"newmtl a"),
    ):  # fmt: skip
        check_content(file, data)
