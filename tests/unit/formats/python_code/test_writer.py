"""Mechanisms as Python programs: running one, or reading it, gives the same mechanism."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.formats.python_code.reader import read_python
from kinegen.formats.python_code.writer import MOST_ROWS, python_code
from kinegen.mechanism.write import write

COMMENTED = """
# A linkage
# of two lines.
raff: 1
name: pair
parameters:
  a: 0.10   # the long one
  b: {value: a/2, min: 1 mm, note: "#1, of two"}
joints:
  # first
  - {name: A, parent: base, closes: {onto: C, d: a}}
  - {name: B, parent: base, start: 90 deg,   # upright
     d: 2*a}
  - {name: C, parent: B, d: b, motor: {torque: 2}}
springs: [{name: s, from: {link: B}, to: {link: C}, stiffness: 10}]
# the end
"""


def run(program: str) -> kg.Mechanism:
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(program, namespace)
    mechanism = namespace["mechanism"]
    assert isinstance(mechanism, kg.Mechanism)
    return mechanism


@pytest.mark.parametrize("name", ["five-bar", "stewart", "so101", "cart", "arm-and-wall"])
def test_running_and_reading_a_program_give_the_same_mechanism(name: str) -> None:
    mechanism = kg.load(name)
    program, notes = python_code(mechanism)
    assert notes == [] and "mechanism.add_joint(" in program
    assert max(map(len, program.splitlines())) <= 100
    built, read = run(program), read_python(program, file="program.py")
    assert built.to_raff() == read.to_raff() == write(mechanism)
    assert built == read == mechanism
    model = mechanism.compile()
    assert np.array_equal(kg.forward(built.compile()), kg.forward(model))


def test_comments_and_joints_that_come_later_are_kept() -> None:
    mechanism = kg.load(COMMENTED.replace(", closes: {onto: C, d: a}", ""))
    program, _ = python_code(mechanism)
    lines = program.splitlines()
    top = lines.index('mechanism = kg.Mechanism("pair")')
    assert lines[top - 2 : top] == ["# A linkage", "# of two lines."]
    assert 'mechanism.add_parameter("a", "0.10")  # the long one' in lines
    assert lines[lines.index("# first") + 1] == 'mechanism.add_joint("A", "base")'
    assert 'mechanism.add_joint("B", "base", start="90 deg", d="2*a")  # upright' in lines
    assert "# the end" in lines
    assert 'note="#1, of two"' in program
    assert run(program) == mechanism


def test_a_cut_joint_may_close_onto_a_later_one() -> None:
    mechanism = kg.load(COMMENTED)
    program, notes = python_code(mechanism)
    assert notes == []
    assert 'mechanism.set_value("A", "closes", {"onto": "C", "d": "a"})' in program
    assert run(program) == read_python(program, file="x.py") == mechanism


def test_long_chains_and_several_robots_are_written_too() -> None:
    rows = "".join(f"  - {{name: j{k}, parent: j{k - 1}, d: 1}}\n" for k in range(1, MOST_ROWS + 2))
    chain = kg.load(f"raff: 1\nname: chain\njoints:\n  - {{name: j0, parent: base}}\n{rows}")
    program, notes = python_code(chain)
    assert "kg.load" in program and "whole text" in notes[0]
    assert read_python(program, file="x.py") == chain
    pair = kg.load(
        "raff: 1\nname: pair\nrobots:\n  - {name: left, include: four-bar}\n"
        "  - {name: right, include: four-bar, at: {d: 1}}\n"
    )
    program, _ = python_code(pair)
    assert run(program).to_raff() == write(pair)


def test_export_and_convert(tmp_path: Path) -> None:
    made = kg.export(kg.load("four-bar"), tmp_path / "four_bar.py")
    assert made.format == "python" and made.notes == ()
    assert kg.load(tmp_path / "four_bar.py") == kg.load("four-bar")
    posed = kg.export(kg.load("four-bar"), tmp_path / "posed.py", q={"crank": 1.0})
    assert posed.files
    start = kg.load(tmp_path / "posed.py").compile().start()
    assert start[0] == pytest.approx(1.0)
