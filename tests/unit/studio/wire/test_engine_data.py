"""The engines as a page lists them."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from kinegen.dynamics.engines import registry
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.studio.wire.engine_data import engine_data
from kinegen.studio.wire.messages import EngineData


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
