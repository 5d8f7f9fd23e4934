"""Names of files: what every system can hold, and nothing that cannot be seen."""

from __future__ import annotations

import pytest

from kinegen.errors import UsageError
from kinegen.file_names import check_name, legible, name_fault, path_fault, portable

GOOD = [
    "arm.raff", "my arm (2).raff", "bras-à-ê.raff", "ロボット.raff", "a" * 250 + ".raff",
    "com.raff", "console.raff", "x.con", "lpt10.raff", ".hidden", "com1x.raff", "été 2026.stl",
]  # fmt: skip
BAD = [
    "", " ", ".", "..", "...", "a.", "a ", " a", "a\u00a0", "a\u3000", "x. ",
    "a<b", "a>b", "a:b", 'a"b', "a|b", "a?b", "a*b", "a/b", "a\\b",
    "con", "CON", "con.raff", "Prn.x.y", "aux .raff", "NUL.stl", "com1.raff", "LPT9",
    "COM\u00b9.raff", "lpt\u00b2", "com\u2074.x", "CONIN$", "conout$.raff", "\uff43on.raff",
    "com0", "clock$",
    "a\0b", "a\nb", "a\tb", "a\x1bb", "a\x7fb", "a\x85b", "a\u2028b",
    "a\u200bb", "a\u200db", "a\u2060b", "\ufeffa", "a\u00adb", "a\u202eb", "a\u2066b", "a\u061cb",
    "a\u3164b", "a\u115fb", "a\ufe0fb", "a\u034fb", "a\u2800", "a\U000e0041b", "a\ue000b",
    "\ud800", "a\udcffb", "a\uffffb", "a\ufdd0b",
    "a" * 256, "ä" * 128,
]  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_good_names(name: str) -> None:
    assert name_fault(name) == ""
    check_name(name)
    assert portable(name) == name


@pytest.mark.parametrize("name", BAD, ids=ascii)
def test_bad_names(name: str) -> None:
    assert name_fault(name)
    with pytest.raises(UsageError, match="cannot be called") as caught:
        check_name(name)
    assert str(caught.value).isprintable()


def test_paths_may_have_drives_and_lead_up() -> None:
    for path in ("parts/arm.raff", "../a.raff", "/arms/a.raff", "C:\\arms\\a.raff", "./a//b"):
        assert path_fault(path) == ""
    for path in (
        "",
        "a/con/b.raff",
        "a\\b?.raff",
        "\\\\.\\pipe\\x",
        "//?/C:/x",
        "C:a.raff",
        "a/b /c",
    ):
        assert path_fault(path)


def test_messages_show_names_that_can_be_read() -> None:
    assert legible("a\u202eb\n") == "a\ufffdb\ufffd"
    assert legible("x" * 100) == "x" * 80 + "…"
    assert portable("con.svg") == "kinegen-con.svg" and not name_fault(portable("con.svg"))
