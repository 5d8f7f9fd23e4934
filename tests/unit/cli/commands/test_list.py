"""``kinegen list``."""

from __future__ import annotations

import pytest

import kinegen as kg
from tests.unit.cli.conftest import Run


def test_every_mechanism_has_a_line(run: Run) -> None:
    code, out, err = run("list")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    names, worlds = kg.library_names(), kg.world.world_names()
    assert [line.split()[0] for line in lines[2 : 2 + len(names)]] == names
    assert f"{len(names)} mechanisms; for details of one: kinegen info {names[0]}" in lines
    assert [line.split()[0] for line in lines[-2 - len(worlds) : -2]] == worlds
    assert lines[-1] == f"{len(worlds)} worlds; to run one: kinegen run {worlds[0]}"
    assert "Stewart-Gough platform" in out


def test_json_says_what_each_model_says(run: Run) -> None:
    data = run("list", "--json").data
    assert [row["name"] for row in data["mechanisms"]] == kg.library_names()
    assert [row["name"] for row in data["worlds"]] == kg.world.world_names()
    assert all(row["agents"] > 0 for row in data["worlds"])
    for row in (*data["mechanisms"], *data["worlds"]):
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
