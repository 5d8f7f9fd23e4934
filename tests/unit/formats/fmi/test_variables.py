"""Variables of units: kinds as the compiled engine has them, names, units, independent joints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.formats.fmi.units import UNITS
from kinegen.formats.fmi.variable import VariableKind, quoted
from kinegen.formats.fmi.variables import fmu_variables, held_variables

HEADER = Path(__file__).parents[4] / "native" / "fmu" / "unit.hpp"


def test_kinds_are_those_of_the_compiled_engine() -> None:
    text = HEADER.read_text(encoding="utf-8")
    found = dict(re.findall(r"^    ([A-Z_]+) = (\d+),", text, re.M))
    assert found.pop("KIND_COUNT") == str(len(VariableKind))
    assert {name: int(number) for name, number in found.items()} == dict(
        VariableKind.__members__.items()
    )


@pytest.mark.parametrize(
    ("name", "written"),
    [("A", "A"), ("left-hip", "'left-hip'"), ("it's", r"'it\'s'"), ("2nd", "'2nd'")],
)
def test_names_that_are_no_identifiers_are_quoted(name: str, written: str) -> None:
    assert quoted(name) == written


@pytest.mark.parametrize("name", ["five-bar", "stewart", "lynx6"])
def test_every_variable_has_a_unit_and_a_name_of_its_own(name: str) -> None:
    run = Simulation(kg.load(name), hold=True, record=0)
    variables = fmu_variables(run, held_variables(run))
    assert len({one.name for one in variables}) == len(variables)
    assert {one.unit for one in variables} <= set(UNITS)
    assert all(one.description for one in variables)


def test_starts_are_given_for_motors_first() -> None:
    run = Simulation(kg.load("five-bar"), hold=True, record=0)
    names = [run.model.joints[i].name for i in held_variables(run)]
    assert names == ["A", "E"]
    free = Simulation(kg.load("four-bar"), record=0)
    assert len(held_variables(free)) == 1


def test_parameters_have_the_units_of_what_they_stand_for() -> None:
    run = Simulation(kg.load("five-bar"), hold=True, record=0)
    units = {one.name: one.unit for one in fmu_variables(run, [])}
    assert units["parameters.crank"] == units["parameters.ground"] == "m"
    assert units["motors.A.kp"] == "N.m/rad" and units["gravity.y"] == "m/s2"
