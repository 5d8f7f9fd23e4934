"""The lists of engines and of formats to download."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.dynamics.engines import registry
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.formats.format import Format
from kinegen.formats.registry import formats
from kinegen.studio.wire.data import registered as module
from kinegen.studio.wire.data.registered import download_data, engine_data
from kinegen.studio.wire.messages import EngineData


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


class Plain(ReducedEngine):
    """An engine of somebody else's, which describes itself."""

    title, note, touches = "Plain", "Nothing special.", False


def silent(system: object, step: float) -> None:
    """An engine of somebody else's, which is a function and says nothing."""


def test_the_built_in_engines_describe_themselves() -> None:
    found = {one.name: one for one in engine_data()}
    assert list(found)[:3] == ["reduced", "impulse", "mujoco"]
    assert all(one.title != one.name and one.note.endswith(".") for one in found.values())
    assert [one.name for one in found.values() if one.opens_joints] == ["impulse"]


def test_a_plug_in_engine_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("plain", "Plain"), ("silent", "silent"), ("gone", "Gone")):
        entry = EntryPoint(name, f"{__name__}:{value}", registry.GROUP)
        monkeypatch.setitem(registry.ENGINES.entries, name, entry)
    with pytest.warns(RuntimeWarning, match="engine plug-in 'gone' .* is skipped"):
        found = engine_data()
    assert found[-2:] == [
        EngineData("plain", "Plain", "Nothing special.", touches=False, opens_joints=False),
        EngineData("silent", "silent", "", touches=False, opens_joints=False),
    ]
