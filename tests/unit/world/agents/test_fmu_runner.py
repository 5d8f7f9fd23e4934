"""Units of FMI as agents: the foreign controller drives an arm as the same law in Python does."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import kinegen as kg
from kinegen.errors import KinegenError, UsageError
from tests.support.units.foreign import DESCRIPTION, GAIN, TAU, foreign_unit, has_compiler

pytestmark = pytest.mark.skipif(
    not has_compiler(), reason="the other unit is made with a C compiler"
)

ARM = """
raff: 1
name: arm
joints:
  - {name: lift, parent: base, axis: y, mass: 1, centre: [0.1, 0, 0],
     inertia: [0.01, 0.02, 0.02, 0, 0, 0], motor: {torque: 20, kp: 200, kd: 10}}
agents:
  - {name: pilot, fmu: foreign.fmu, rate: 100, inputs: {position: lift.position},
     outputs: {target: lift}, options: {goal: 0.7}}
"""


class Law:
    """What the unit does."""

    def __init__(self) -> None:
        self.x, self.last = 0.0, -1.0

    def step(self, time: float, seen: Mapping[str, Any]) -> dict[str, float]:
        if self.last < 0:
            self.x = float(seen["lift.position"])
        else:
            self.x += (time - self.last) * (float(seen["lift.position"]) - self.x) / TAU
        self.last = time
        return {"lift": 0.7 - GAIN * self.x}


def world_of(folder: Path, text: str = ARM, description: str = DESCRIPTION) -> kg.World:
    foreign_unit(folder / "foreign.fmu", description)
    (folder / "arm.raff").write_text(text, encoding="utf-8")
    return kg.World(kg.load(folder / "arm.raff"))


def test_a_unit_drives_as_the_same_law_in_python_does(tmp_path: Path) -> None:
    ends = []
    with world_of(tmp_path) as world:
        world.run(0.3)
        ends.append(float(world.signals["lift.position"].value))
        assert [event.message for event in world.events if "pilot" in event.message] == []
    text = ARM.replace("fmu: foreign.fmu", "program: none").replace(
        "inputs: {position: lift.position},\n     outputs: {target: lift}, options: {goal: 0.7}",
        "joints: [lift]",
    )
    with kg.World(kg.load(text), agents={"pilot": Law()}) as world:
        world.run(0.3)
        ends.append(float(world.signals["lift.position"].value))
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)
    assert ends[0] > 0.2


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("lift.position}", "lift.positon}", "signal 'lift.positon'.*did you mean 'lift.position'"),
        ("{target: lift}", "{target: lfit}", "motor 'lfit'"),
        ("{position: lift", "{place: lift", "variable 'place' is not in 'inputs' of the FMU"),
        ("{goal: 0.7}", "{gaol: 0.7}", "variable 'gaol'.*did you mean 'goal'"),
        ("{goal: 0.7}", "{goal: high}", "option 'goal' of agent 'pilot' must be a number"),
        ("foreign.fmu", "other.fmu", "there is no file"),
        ("foreign.fmu", "arm.raff", "cannot be read"),
    ],
)
def test_wrong_connections_are_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(KinegenError, match=words):
        world_of(tmp_path, ARM.replace(old, new))


def test_units_that_cannot_run_here_are_refused(tmp_path: Path) -> None:
    exchange = DESCRIPTION.replace("<CoSimulation", "<ModelExchange")
    exchange = exchange.replace(' canHandleVariableCommunicationStepSize="true"', "")
    with pytest.raises(UsageError, match="not for co-simulation"):
        world_of(tmp_path, description=exchange)
    world_of(tmp_path).close()
    path = tmp_path / "foreign.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
        archive.writestr("binaries/win64/foreign.dll", b"")
    with pytest.raises(UsageError, match=r"no binary for linux64; binaries: win64"):
        kg.World(kg.load(tmp_path / "arm.raff"))


def _zipped(path: Path, **files: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("_xml", ".xml"), text)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"2.0"', '"1.0"', r"is of FMI 1.0: it must be of FMI 2 or 3"),
        ('"2.0"', '"4.0"', r"is of FMI 4.0: it must be of FMI 2 or 3"),
        ('fmiVersion="2.0"', "", "is not an FMU: its modelDescription.xml has no fmiVersion"),
        ("</ModelVariables>", "", "cannot be read: .*line"),
    ],
)
def test_descriptions_that_are_wrong_are_named(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        world_of(tmp_path, description=DESCRIPTION.replace(old, new, 1))


def test_files_that_are_damaged_are_named(tmp_path: Path) -> None:
    (tmp_path / "arm.raff").write_text(ARM, encoding="utf-8")
    path = foreign_unit(tmp_path / "foreign.fmu")
    whole = path.read_bytes()
    at = whole.index(b"fmiModelDescription")
    for data, words in (
        (b"", "not a zip file"),
        (whole[:-200], "not a zip file"),
        (whole[:at] + b"X" + whole[at + 1 :], "Bad CRC-32"),
    ):
        path.write_bytes(data)
        with pytest.raises(UsageError, match=f"'foreign.fmu' of agent 'pilot' cannot .*{words}"):
            kg.World(kg.load(tmp_path / "arm.raff"))
    _zipped(path, other_xml="")
    with pytest.raises(UsageError, match=r"is not an FMU: it has no modelDescription.xml"):
        kg.World(kg.load(tmp_path / "arm.raff"))


UNITS = """<UnitDefinitions>
<Unit name="deg"><BaseUnit rad="1" factor="0.017453292519943295"/></Unit>
<Unit name="mm"><BaseUnit m="1" factor="0.001"/></Unit></UnitDefinitions><ModelVariables>"""


def test_units_of_measure_are_converted(tmp_path: Path) -> None:
    """The same law in degrees: its goal, its input and its output."""
    ends = []
    degrees = DESCRIPTION.replace("<ModelVariables>", UNITS)
    degrees = degrees.replace('<Real start="0"/>', '<Real start="0" unit="deg"/>')
    degrees = degrees.replace("<Real/>", '<Real unit="deg"/>')
    for text, description in (
        (ARM, DESCRIPTION),
        (ARM.replace("goal: 0.7", "goal: 40.10704565915762"), degrees),
    ):
        with world_of(tmp_path, text, description) as world:
            world.run(0.1)
            ends.append(float(world.signals["lift.position"].value))
    assert ends[0] == pytest.approx(ends[1], abs=1e-12) and ends[0] > 0.05
    wrong = DESCRIPTION.replace("<ModelVariables>", UNITS).replace("<Real/>", '<Real unit="mm"/>')
    with pytest.raises(
        UsageError, match=r"'target' of the .* is in 'mm', and 'lift' in 'rad': they"
    ):
        world_of(tmp_path, description=wrong)


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (101, "ended with exit code 1: the FMU failed at 0.01 s: fmi2DoStep failed with status 3"),
        (102, "has not answered within 0.3 s"),
        (103, "ended by signal 6"),
        (104, "commands 'lift' = nan, which is not finite"),
    ],
)
def test_failing_hanging_and_crashing_units_are_events(
    tmp_path: Path, goal: int, words: str
) -> None:
    text = ARM.replace("goal: 0.7", f"goal: {goal}")
    if goal == 102:
        text = text.replace("rate: 100", "rate: 100, timeout: 0.3 s")
    with world_of(tmp_path, text) as world:
        world.run(0.03)
        assert world.time == pytest.approx(0.03)
        texts = [event.message for event in world.events]
    assert any(f"agent 'pilot' {words}" in one for one in texts), texts


def test_the_rate_fits_the_step_of_the_unit(tmp_path: Path) -> None:
    bound = DESCRIPTION.replace(' canHandleVariableCommunicationStepSize="true"', "")
    with pytest.raises(UsageError, match=r"125 Hz, which does not fit the step of 0.01 s"):
        world_of(tmp_path, ARM.replace("rate: 100", "rate: 125"), bound)
    with pytest.raises(UsageError, match="steps of one length only"):
        world_of(tmp_path, ARM.replace("rate: 100", "rate: 30"), bound)
    with world_of(tmp_path, ARM.replace("rate: 100,", ""), bound) as world:
        assert world.agents["pilot"].schedule.period(1e-3) == pytest.approx(0.01)


def test_a_unit_that_fails_is_an_event_and_the_world_continues(tmp_path: Path) -> None:
    """It knows no times beyond 90 s; a binary that is none at all cannot be loaded."""
    path = foreign_unit(tmp_path / "foreign.fmu")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
        archive.writestr("binaries/linux64/foreign.so", b"no library")
    (tmp_path / "arm.raff").write_text(ARM, encoding="utf-8")
    with kg.World(kg.load(tmp_path / "arm.raff")) as world:
        world.run(0.02)
        assert world.time == pytest.approx(0.02)
        texts = [event.message for event in world.events]
    assert any("agent 'pilot' ended with exit code 1: the FMU failed" in text for text in texts)
