"""Assembly: loops closed from any start, every mode, errors that name the bar."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels.backend import name as backend_name
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.polygon import loop_bars

FORTY = Path(__file__).parents[2] / "support" / "stewart-40.raff"
CLOSED = [
    name for name in kg.library_names() if any(j.closes for j in kg.load(name).joints.values())
]


@pytest.mark.parametrize("name", CLOSED)
def test_closes_from_a_disturbed_start(name: str) -> None:
    model = kg.load(name).compile()
    rng = np.random.default_rng(5)
    q = kg.integrate(model, None, 0.05 * rng.normal(size=model.nv))
    result = kg.assemble(model, q)
    assert loop_gap(model, result.q)[0] <= 1e-9
    assert result.gap <= 1e-9


@pytest.mark.parametrize("name", CLOSED)
def test_closes_from_nothing(name: str) -> None:
    model = kg.load(name).compile()
    assert kg.assemble(model, model.zero()).gap <= 1e-9


@pytest.mark.parametrize(("name", "count"), [("four-bar", 2), ("five-bar", 2), ("slider-crank", 2)])
def test_known_numbers_of_modes(name: str, count: int) -> None:
    model = kg.load(name).compile()
    modes = kg.assembly_modes(model)
    assert len(modes) == count
    assert [mode.name for mode in modes] == [f"mode {n + 1}" for n in range(count)]
    inputs = kg.inputs_of(model)
    for mode in modes:
        assert loop_gap(model, mode.q)[0] <= 1e-9
        for name_ in inputs:
            part = model.joint(name_).q
            np.testing.assert_allclose(mode.q[part], modes[0].q[part], atol=1e-12)


def test_a_planar_three_legged_robot_has_up_to_six_modes() -> None:
    model = kg.load("3-rrr").compile()
    counts = []
    rng = np.random.default_rng(2)
    for _ in range(12):
        q = model.start()
        for name in kg.inputs_of(model):
            q[model.joint(name).q.start] += rng.normal() * 0.5
        try:
            counts.append(len(kg.assembly_modes(model, q, attempts=400)))
        except kg.AssemblyError:
            continue
    assert max(counts) <= 6
    assert max(counts) >= 2
    assert all(count % 2 == 0 for count in counts)  # they appear and vanish in pairs


def test_a_platform_with_all_forty_postures_real() -> None:
    if backend_name() != "native":
        pytest.skip("KINEGEN_KERNELS=reference: too slow for so many starts")
    model = kg.load(FORTY).compile()
    modes = kg.assembly_modes(model)
    assert len(modes) == 40  # and never more: 40 is the number of complex solutions
    legs = [model.joint(name).q.start for name in kg.inputs_of(model)]
    poses = []
    for mode in modes:
        assert loop_gap(model, mode.q)[0] <= 1e-9
        np.testing.assert_array_equal(mode.q[legs], model.start()[legs])
        X = kg.pose(model, mode.q, "platform")
        poses.append(np.append(X.translation, X.so3.matrix))
    apart = np.abs(np.array(poses)[:, None] - np.array(poses)).max(axis=2)
    # the two nearest are 0.155 apart in the largest of 12 numbers
    assert apart[~np.eye(40, dtype=bool)].min() > 0.15


def test_inputs_that_leave_a_freedom_are_refused() -> None:
    with pytest.raises(kg.KinegenError, match="keeps 1 freedom: name more inputs"):
        kg.assembly_modes(kg.load("bricard").compile())


def test_a_bar_too_long_is_named_with_the_shortage() -> None:
    model = kg.load("four-bar").compile()
    model.parameters["crank"] = 5.0
    with pytest.raises(kg.AssemblyError) as caught:
        kg.assemble(model)
    assert "link 'crank' (5000 mm) is longer than all others together" in str(caught.value)
    lack = 5.0 - sum(model.parameters[n] for n in ("ground", "coupler", "rocker"))
    assert f"{lack * 1000:.4g} mm too short" in str(caught.value)
    assert caught.value.gap >= lack - 1e-6


def test_the_sides_of_a_loop_are_its_bars() -> None:
    model = kg.load("four-bar").compile()
    lengths = sorted(bar.longest for bar in loop_bars(model, model.loops[0], model.start()))
    expected = sorted(model.parameters[n] for n in ("ground", "crank", "coupler", "rocker"))
    np.testing.assert_allclose(lengths[-4:], expected, atol=1e-12)


def test_many_at_once() -> None:
    model = kg.load("stewart").compile()
    rng = np.random.default_rng(1)
    inputs = {f"leg{i}": 3.15 + rng.uniform(-0.1, 0.1, 50) for i in range(1, 7)}
    qs, gaps = kg.assemble_many(model, inputs)
    assert gaps.max() <= 1e-9
    for i, q in enumerate(qs):
        assert loop_gap(model, q)[0] <= 1e-9
        assert q[model.joint("leg3").q.start] == inputs["leg3"][i]


def test_limits_that_exclude_every_pose() -> None:
    text = """
raff: 1
name: shut
parameters: {ground: 0.2, crank: 0.1, coupler: 0.25, rocker: 0.25}
joints:
  - {name: A, parent: base, limits: [0, 10 deg]}
  - {name: B, parent: A, d: crank}
  - {name: D, parent: base, d: ground, limits: [-20 deg, -10 deg]}
  - {name: C, parent: B, d: coupler, limits: [0, 1 deg], closes: {onto: D, d: rocker}}
"""
    with pytest.raises(kg.AssemblyError, match=r"stay open|beyond its joint limits"):
        kg.assemble(kg.load(text).compile(), attempts=50)
