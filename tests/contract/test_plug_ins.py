"""Kinegen's own plug-ins: one table per kind, which pyproject.toml and the file format repeat."""

from __future__ import annotations

import tomllib

import pytest

from kinegen.bridges.registry import BRIDGES
from kinegen.devices.registry import DEVICES
from kinegen.drive.ports import PORTS
from kinegen.dynamics.engines.registry import ENGINES
from kinegen.dynamics.motors.laws import ACTUATORS, CONTROLLERS
from kinegen.formats.registry import FORMATS
from kinegen.plug_ins import PlugIns
from kinegen.raff.sections.device import FORCE_DEVICES
from kinegen.raff.sections.wiring import BUSES
from kinegen.raff.sections.world import SENSOR, SENSOR_TYPES
from kinegen.results import WRITERS
from kinegen.world.agents.load import AGENTS
from kinegen.world.renderer import RENDERERS
from kinegen.world.sensors.registry import SENSORS
from tests.support.packages.building import ROOT

KINDS: dict[str, PlugIns[object]] = {
    one.group: one  # type: ignore[misc]
    for one in (
        ACTUATORS, AGENTS, BRIDGES, CONTROLLERS, DEVICES, ENGINES, FORMATS, PORTS, RENDERERS,
        SENSORS, WRITERS,
    )
}  # fmt: skip
PYPROJECT = ROOT / "pyproject.toml"
HAS_SOURCES = pytest.mark.skipif(not PYPROJECT.is_file(), reason="the sources are not here")


@HAS_SOURCES
def test_kinegens_own_are_registered_like_those_of_other_packages() -> None:
    groups = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["entry-points"]
    assert {group: dict(one.built_in) for group, one in KINDS.items()} == groups


@HAS_SOURCES
def test_every_kind_is_in_the_page_about_parts_of_your_own() -> None:
    page = (ROOT / "docs" / "how-to" / "extending.md").read_text(encoding="utf-8")
    assert [group for group in KINDS if f"`{group}`" not in page] == []


@pytest.mark.parametrize("group", KINDS)
def test_kinegens_own_can_be_loaded(group: str) -> None:
    kind = KINDS[group]
    assert {*kind.built_in} <= {*kind.all()}


def test_the_file_format_knows_kinegens_own() -> None:
    assert {*SENSOR_TYPES} == {*SENSORS.built_in}
    assert {*SENSOR.keys["renderer"].kind.choices} == {*RENDERERS.built_in}  # type: ignore[attr-defined]
    assert {*BUSES} <= {*BRIDGES.built_in}
    assert {*PORTS.built_in} <= {*BUSES}
    # `haptic` is any other device, by the name of its plug-in
    assert {*FORCE_DEVICES} - {"haptic"} <= {*DEVICES.built_in}
