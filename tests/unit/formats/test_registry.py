"""Formats as plug-ins: found by name and suffix, broken ones skipped with a warning."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from kinegen.errors import FormatError, NameNotFoundError, UsageError
from kinegen.formats.format import Format
from kinegen.formats.load import load
from kinegen.formats.registry import BUILT_IN, FORMATS, GROUP, format_named, format_of, formats
from kinegen.mechanism.write import write

PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"
MINE = Format("mine", "a test's own format", (".mine",), write=lambda mechanism, options: "hello")


def install(monkeypatch: pytest.MonkeyPatch, entry: EntryPoint) -> None:
    monkeypatch.setitem(FORMATS.entries, entry.name, entry)


def test_the_built_in_formats_are_there() -> None:
    found = formats()
    assert set(BUILT_IN) <= set(found)
    assert all(found[name].name == name for name in BUILT_IN)
    assert all(f.read or f.write for f in found.values())


def test_a_plug_in_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, EntryPoint("mine", f"{__name__}:MINE", GROUP))
    assert format_named("mine") is MINE
    assert format_of("x.mine", for_writing=True) is MINE
    assert "symoro" in formats()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no_such_module_anywhere:FORMAT", "ModuleNotFoundError"),
        ("kinegen.formats.registry:NOTHING", "AttributeError"),
        ("kinegen.formats.registry:GROUP", "is not a Format but a str"),
    ],
)
def test_a_broken_plug_in_warns_and_is_skipped(
    monkeypatch: pytest.MonkeyPatch, value: str, reason: str
) -> None:
    install(monkeypatch, EntryPoint("broken", value, GROUP))
    with pytest.warns(RuntimeWarning, match=f"'broken' .* is skipped: .*{reason}"):
        found = formats()
    assert "broken" not in found
    assert "symoro" in found


@pytest.mark.parametrize(
    ("file", "name"),
    [("a.raff", "raff"), ("dir/A.PAR", "symoro"), ("t.csv", "dh"), ("t.mdh", "mdh")],
)
def test_a_files_suffix_says_its_format(file: str, name: str) -> None:
    assert format_of(file).name == name


def test_an_unknown_suffix_lists_what_there_is() -> None:
    with pytest.raises(FormatError, match=r"no format reads '.xyz' files .*symoro \(.par\)"):
        format_of("robot.xyz")
    with pytest.raises(FormatError, match=r"no format writes '.par' files"):
        format_of("robot.par", for_writing=True)
    assert format_of("robot.svg", for_writing=True).name == "svg"


def test_an_unknown_name_has_a_hint() -> None:
    with pytest.raises(NameNotFoundError, match="did you mean 'symoro'"):
        format_named("symorro")


def test_raff_is_a_format_too() -> None:
    raff = format_named("raff")
    assert raff.read is not None and raff.write is not None
    mechanism = load("four-bar")
    text = raff.write(mechanism, options={})
    assert text == write(mechanism)
    again = raff.read(text, file="x.raff", values={}, options={})
    assert list(again.joints) == list(mechanism.joints)
    with pytest.raises(UsageError, match="has no option 'x'; options: none"):
        raff.write(mechanism, options={"x": "1"})
