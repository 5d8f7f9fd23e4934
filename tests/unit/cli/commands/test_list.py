"""``kinegen list``."""

from __future__ import annotations

import pytest

import kinegen as kg
from tests.unit.cli.conftest import Run


def test_every_mechanism_has_a_line(run: Run) -> None:
    code, out, err = run("list")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[0] for line in lines[2:-2]] == kg.library_names()
    assert lines[-1].startswith(
        f"{len(kg.library_names())} mechanisms; for details of one: kinegen info "
    )
    assert "Stewart-Gough platform" in out


def test_json_says_what_each_model_says(run: Run) -> None:
    rows = run("list", "--json").data["mechanisms"]
    assert [row["name"] for row in rows] == kg.library_names()
    for row in rows:
        model = kg.load(row["name"]).compile()
        assert (row["joints"], row["loops"], row["nv"]) == (
            len(model.joints),
            len(model.loops),
            model.nv,
        )
        assert row["title"]


def test_an_empty_library_is_no_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kinegen.cli.commands.list.library_names", list)
    code, out, _ = run("list")
    assert code == 0
    assert "0 mechanisms" in out
    assert run("list", "--json").data["mechanisms"] == []
