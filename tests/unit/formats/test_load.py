"""Loading files and texts of any format, by suffix and by content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.errors import FormatError, KinegenError, NameNotFoundError, UsageError
from kinegen.formats.format import Format
from kinegen.formats.load import as_raff, load
from kinegen.formats.mechanisms.values import parse_values
from kinegen.formats.registry import FORMATS, GROUP, readable_suffixes
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_raff
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.opener import Opener

TABLE = "theta, d, a, alpha\nq1, 0, L1, 0\nq2, 0, 0.2, 0\n"
ARM = "raff: 1\njoints: [{name: A, parent: base}]\n"


def _chain(
    text: str, *, file: str, values: Mapping[str, Formula], options: Mapping[str, str],
    opener: Opener | None = None,
) -> Mechanism:  # fmt: skip
    count = int(re.findall(r"\d+", text)[0])
    rows = "".join(
        f"  - {{name: J{i}, parent: {f'J{i - 1}' if i else 'base'}}}\n" for i in range(count)
    )
    return load_raff(f"raff: 1\nname: chain\njoints:\n{rows}")


CHAIN = Format(
    "chain", "chains", (".chain", ".xml"), _chain, recognises=lambda text: "<chain" in text
)
OTHER = Format("other", "something else", (".xml",), _chain, recognises=lambda text: False)


@pytest.fixture
def plug_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OTHER", "CHAIN"):
        entry = EntryPoint(name.lower(), f"{__name__}:{name}", GROUP)
        monkeypatch.setitem(FORMATS.entries, entry.name, entry)


def test_a_suffix_says_the_format(tmp_path: Path) -> None:
    file = tmp_path / "arm.csv"
    file.write_text(TABLE)
    assert kg.load(file, values=parse_values(["L1=0.3"])).compile().nq == 2
    with pytest.raises(FormatError, match="L1"):
        kg.load(file)
    assert kg.load(file, format="mdh", values=parse_values(["L1=0.3"])).name == "arm"


def test_raff_is_what_nothing_else_is(tmp_path: Path) -> None:
    for name in ("arm.raff", "arm.yaml", "arm"):
        (tmp_path / name).write_text(ARM)
        assert list(load(tmp_path / name).joints) == ["A"]
    assert list(load(ARM).joints) == ["A"]
    assert list(load(ARM, format="raff").joints) == ["A"]
    with pytest.raises(UsageError, match="is a RAFF file: it contains the values"):
        load(ARM, values=parse_values(["L1=0.3"]))


@pytest.mark.usefixtures("plug_ins")
def test_a_reader_is_only_registered(tmp_path: Path) -> None:
    assert {".chain", ".xml"} <= set(readable_suffixes())
    for name in ("a.chain", "a.xml", "a.txt"):  # the last two by their content
        (tmp_path / name).write_text("<chain length='3'/>")
        assert kg.load(tmp_path / name).compile().nq == 3
    assert kg.load("<chain\nlength='4'/>").compile().nq == 4
    assert "J1" in as_raff("<chain length='2'/>", "from elsewhere").text


def test_what_nothing_reads_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    file.write_text("<rig/>")
    with pytest.raises(FormatError, match=r"the root of an MJCF file is <mujoco>"):
        load(file)
    with pytest.raises(FormatError, match="'svg' can be written but not read"):
        load(file, format="svg")
    with pytest.raises(NameNotFoundError, match=r"file 'nope\.par' does not exist"):
        load("nope.par")
    file = tmp_path / "picture.csv"
    file.write_bytes(b"\x89PNG\xff")
    with pytest.raises(FormatError, match=r"is not UTF-8 text \(byte 1\)"):
        load(file)


def test_a_symoro_text_is_known_by_its_first_comment() -> None:
    with pytest.raises(KinegenError, match="NL") as caught:
        load("(* Robotname = 'x' *)\nType = 0\n")
    assert isinstance(caught.value, FormatError)


def test_raff_stays_as_it_is_written() -> None:
    for text, file in ((ARM, "text"), ("# not much\n", "x.raff"), ("a: b\n", "text")):
        assert as_raff(text, file).text is text
