"""The list of formats to download."""

from __future__ import annotations

from pathlib import Path

import pytest

import kinegen as kg
from kinegen.formats.format import Format
from kinegen.formats.registry import formats
from kinegen.studio.wire import download_data as module
from kinegen.studio.wire.download_data import download_data


def test_all_writers_are_listed_by_heading() -> None:
    listed = download_data()
    assert {one.name for one in listed} == {n for n, one in formats().items() if one.write}
    by_name = {one.name: one for one in listed}
    assert by_name["raff"].group == by_name["urdf"].group == "Robot descriptions"
    assert by_name["dxf"].group == "For the workshop" and by_name["csv"].group == "Tables"
    assert by_name["page"].group == "Web page" and by_name["glb"].group == "Pictures and 3D"
    assert by_name["svg"].options and by_name["csv"].has_motions
    headings = list(dict.fromkeys(one.group for one in listed))
    assert len(headings) == len(set(headings)) and headings[0] == "Robot descriptions"


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(*_: object, **__: object) -> str:
        return ""

    mine = Format("mine", "mine", write=write, needs={"json": "", "no_such_module": "cad"})
    monkeypatch.setattr(module, "formats", lambda: {"mine": mine})
    (one,) = download_data()
    assert one.needs == "pip install 'kinegen[cad]'" and one.group == "Others"


def test_every_format_that_needs_a_package_says_so(tmp_path: Path) -> None:
    """Writing fails for no other reason than a package that the list names."""
    four_bar = kg.load("four-bar")
    for one in download_data():
        if not one.needs:
            kg.export(four_bar, tmp_path / f"x{one.suffix}", format=one.name)
