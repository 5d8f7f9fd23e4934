"""Sweeps: every pose on the branch of the start, no angle that wraps."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.solving.assembling.many import Assemblies
from kinegen.kinematics.tolerances import is_closed
from kinegen.mechanism.load import load_document
from kinegen.raff.document import Document
from tests.support.mechanisms.legs import JANSEN, KLANN, WATT

TURNS = np.linspace(0, 2 * math.tau, 241)
LEGS = {"jansen": JANSEN, "klann": KLANN, "watt": WATT}


def compiled(text: str) -> kg.Model:
    return load_document(Document(text)).compile()


def sweep(model: kg.Model, crank: str) -> Assemblies:
    home = kg.assemble(model).q
    return kg.kinematics.assemble_many(
        model, {crank: home[model.joint(crank).q.start] + TURNS}, threads=1
    )


@pytest.mark.parametrize("name", [*LEGS, "four-bar", "slider-crank"])
def test_two_turns_of_a_crank_have_no_jump(name: str) -> None:
    """Every pose alone from the start jumped to other branches: 10 times for the four-bar."""
    model = compiled(LEGS[name]) if name in LEGS else kg.load(name).compile()
    crank = kg.kinematics.inputs_of(model)[0]
    found = sweep(model, crank)
    qs = found.q
    assert found.gap.max() < 1e-9 * model.size
    assert np.abs(np.diff(qs, axis=0)).max() < 0.5
    seen = np.array([kg.forward(model, qs[i])[:, 4:] for i in (0, 120, 240)])
    np.testing.assert_allclose(seen[1:], seen[:-1], atol=1e-7 * model.size)


@pytest.mark.parametrize("name", LEGS)
@pytest.mark.parametrize("angle", [90, 200, -130, 450])
def test_a_held_crank_is_where_the_sweep_has_it(name: str, angle: float) -> None:
    model = compiled(LEGS[name])
    at = math.radians(angle)
    made = kg.assemble(model, {"crank": at}, locked=["crank"])
    assert made.q[0] == at and not made.branch_changed and is_closed(model, made.q)
    many = kg.kinematics.assemble_many(model, {"crank": [at]})
    assert many.gap[0] < 1e-9 * model.size
    np.testing.assert_allclose(many.q, [made.q], atol=1e-7)


def test_the_foot_of_jansens_leg_walks() -> None:
    """Flat on the ground for half a turn: the numbers were chosen for that."""
    model = compiled(JANSEN)
    qs = sweep(model, "crank").q
    heights = np.array([kg.pose(model, q, "S").translation[1] for q in qs[:121]])
    low = heights < heights.min() + 5
    assert 0.4 < low.mean() < 0.8 and heights.max() - heights.min() > 15


def test_two_inputs_are_held_at_once() -> None:
    model = kg.load("five-bar").compile()
    home = kg.assemble(model).q
    a, e = (home[model.joint(name).q.start] for name in ("A", "E"))
    away = np.linspace(0, 1.2, 60)
    many = kg.kinematics.assemble_many(model, {"A": a + away, "E": e - 0.5 * away})
    qs, gaps = many.q, many.gap
    assert gaps.max() < 1e-9 * model.size and np.abs(np.diff(qs, axis=0)).max() < 0.2
    for i in (20, 59):
        held = {"A": a + away[i], "E": e - 0.5 * away[i]}
        made = kg.assemble(model, held, locked=["A", "E"])
        assert not made.branch_changed
        np.testing.assert_allclose(qs[i], made.q, atol=1e-7)


def test_a_held_slider_turns_its_crank() -> None:
    model = kg.load("slider-crank").compile()
    piston, crank = (model.joint(name).q.start for name in ("piston", "crank"))
    home = kg.assemble(model).q
    made = kg.assemble(model, {"piston": home[piston] - 0.3 * model.size}, locked=["piston"])
    assert not made.branch_changed and made.q[crank] > home[crank]


def test_inputs_out_of_reach_stay_open() -> None:
    model = kg.load("five-bar").compile()
    wanted = np.array([math.radians(90), math.radians(-60), math.nan, 1e9])
    with np.errstate(invalid="ignore"):
        many = kg.kinematics.assemble_many(model, {"A": wanted, "E": np.full(4, math.radians(90))})
        qs, gaps = many.q, many.gap
    assert gaps[0] < 1e-9 and gaps[3] > 1e-6
    np.testing.assert_array_equal(qs[:, model.joint("A").q.start], wanted)


def test_held_joints_do_not_turn_round_to_fit_their_limits() -> None:
    """Beyond a limit by 10°, a held joint came back one turn earlier, within it."""
    model = kg.load("five-bar").compile()
    joint = model.joint("A")
    beyond = float(model.upper[joint.v.start]) + math.radians(10)
    with pytest.raises(kg.errors.AssemblyError, match="beyond its joint limits: A"):
        kg.assemble(model, {"A": beyond, "E": beyond - math.pi / 2}, locked=["A", "E"])
