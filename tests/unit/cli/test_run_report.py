"""Runs in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.unit.cli.conftest import Run

BOB = """raff: 1
name: bob
joints:
  - {name: A, parent: base, alpha: 90 deg, mass: 1, centre: [L, 0, 0], inertia: [0, I, I]}
"""


def test_loops_that_are_closed_to_rounding_are_said_to_be(run: Run) -> None:
    out = run("simulate", "five-bar", "--time", "0.1").out
    assert re.search(r"widest loop gap +below 0.001 µm\n", out) and "J in motion" in out
    wider = run("simulate", "3-rrr", "--time", "0.2", "--step", "10 ms", "--engine", "impulse").out
    assert re.search(r"widest loop gap +[\d.e-]+ µm\n", wider)


def test_what_is_in_balance_is_said_to_be(run: Run) -> None:
    out = run("simulate", "four-bar", "--time", "0.1").out
    assert "Nothing moves" in out and "drift" not in out
    assert "Nothing moves" not in run("simulate", "five-bar", "--time", "0.1").out


def test_places_and_turns_have_units(run: Run) -> None:
    out = run("simulate", "crawler", "--time", "0.1").out
    assert "roll pitch yaw 0.00°" in out and "981.00 mm/s" in out


def test_contacts_are_reported_where_bodies_can_touch(run: Run) -> None:
    out = run("simulate", "cart", "--floor", "--time", "0.02").out
    assert re.search(r"most contacts at once +8\n", out)
    stopped = run("simulate", "five-bar", "--time", "0.4").out  # a joint reaches its stop
    assert "contacts" not in stopped


def test_nothing_to_move_is_reported(run: Run, file: Callable[..., Path]) -> None:
    out = run("simulate", file("raff: 1\nname: rock\njoints: []\n"), "--time", "0.1").out
    assert "The mechanism has no moving joint." in out and "1e-300" not in out


def test_energy_that_is_kept_badly_is_reported(run: Run, file: Callable[..., Path]) -> None:
    small = file(BOB.replace("L", "1e-6").replace("I", "1e-15"))
    assert "use a smaller --step" in run("simulate", small, "--time", "0.1").out
    good = run("simulate", file(BOB.replace("L", "1").replace("I", "0.1")), "--time", "0.1").out
    assert "smaller" not in good
