"""Denavit-Hartenberg tables that a page is asked for while they are typed."""

from __future__ import annotations

from typing import Any

import pytest

import kinegen as kg
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.questions.table import TableResult
from tests.unit.studio.workbench import compiled_of, put


@pytest.fixture(scope="module")
def compiled() -> CompiledText:
    return compiled_of("four-bar")


def ask(compiled: CompiledText, text: str, **fields: Any) -> TableResult:
    found, _ = put(compiled, "table", text=text, **{"convention": "standard", **fields})
    assert isinstance(found, TableResult)
    return found


def test_a_table_becomes_a_mechanism(compiled: CompiledText) -> None:
    text = "theta\td\ta\talpha(deg)\nq1\t400\t25\t-90\nq2\t\t455\t\n"
    found = ask(compiled, text, length="mm", name="My arm")
    assert found.problems == [] and found.joints == 2
    assert found.columns == ["theta", "d", "a", "alpha [deg]"]
    assert found.rows[1] == ["q1", "400", "25", "-90"]
    made = kg.load(found.raff)
    assert made.name == "my-arm" and made.compile().nq == 2
    assert "400 mm" in found.raff
    modified = ask(compiled, text, convention="modified", length="mm")
    assert modified.raff != found.raff and "Modified" in modified.raff


def test_problems_are_found_in_their_cells(compiled: CompiledText) -> None:
    found = ask(compiled, "theta,d,a,alpha\nq1,0,1,0\nq2,0,1 +,0\n")
    (problem,) = found.problems
    assert (problem.row, problem.cell, problem.line) == (2, 2, 3) and found.raff == ""
    found = ask(compiled, "theta,d,a,alfa\n0,0,1,0\n")
    assert {(one.row, one.cell) for one in found.problems} == {(0, 3), (0, 0)}
    assert found.columns[3] == ""
    assert ask(compiled, "").problems[0].row == -1


def test_symbols_ask_for_their_numbers(compiled: CompiledText) -> None:
    text = "theta d a alpha\nq1 L1 0 0\nq2 0 L2 0\n"
    found = ask(compiled, text)
    assert (
        found.symbols == ["L1", "L2"] and found.problems[0].message == "specify numbers for L1, L2"
    )
    assert ask(compiled, text, values={"L1": "400 mm", "L2": "0.5"}).joints == 2
    wrong = ask(compiled, text, values={"L1": "4 +"})
    assert "symbol 'L1'" in wrong.problems[0].message
