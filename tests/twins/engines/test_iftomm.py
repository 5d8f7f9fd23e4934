"""The IFToMM benchmarks: against closed forms, published references and their own energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinegen as kg
from bench.support.iftomm import PROBLEMS, SQUEEZER, TORQUE, n_four_bar, pendulum_angle
from tests.support.mechanisms.simulated import benchmark

DRIFT = 1e-3
"""What the issue allows over 10 s: 0.1 %; what the engine reaches is asserted below it."""


def test_numbers_are_those_of_the_problems() -> None:
    governor = benchmark("governor").compile()
    masses = dict(zip(governor.link_names, governor.inertia[:, 0], strict=True))
    assert masses["shaft"] == pytest.approx(0.3) and masses["slider"] == pytest.approx(3)
    assert masses["rod_a"] == masses["rod_b"] == pytest.approx(0.3) and masses["ball_a"] == 5
    springs = kg.dynamics.System.of(benchmark("governor")).springs
    assert springs.stiffness.tolist() == [8e5] * 2 and springs.damping.tolist() == [4e4] * 2
    links = np.empty((governor.link_count, 12))
    governor.kernels.forward_links(governor.start(), links)
    assert springs.potential(links) == pytest.approx(0, abs=1e-20), "relaxed at the start"
    bricard = kg.load("bricard").compile()
    np.testing.assert_allclose(bricard.inertia[1:, 0], 1)
    rod = [(0.1**2 + 0.1**2) / 12, (1 + 0.1**2) / 12, (1 + 0.1**2) / 12]
    np.testing.assert_allclose(bricard.inertia[1:, 4:7], [rod] * 5)
    np.testing.assert_allclose(bricard.inertia[1:, 1:4], [[0.5, 0, 0]] * 5)
    squeezer = benchmark("squeezer").compile()
    assert squeezer.inertia[:, 0].sum() == pytest.approx(0.21023)
    assert kg.kinematics.loop_gap(squeezer).distance < 1e-12, "the published start closes the loops"
    assert kg.mobility(squeezer).instantaneous == 1


def test_the_generator_writes_the_file_for_two_windows() -> None:
    one, other = benchmark("n-four-bar").compile(), kg.load(n_four_bar(2)).compile()
    assert one.link_names == other.link_names
    np.testing.assert_allclose(one.inertia, other.inertia)
    np.testing.assert_allclose(one.transforms, other.transforms, atol=1e-15)
    np.testing.assert_allclose(one.start(), other.start())


def test_a01_follows_the_elliptic_functions() -> None:
    pytest.importorskip("scipy")
    run = kg.simulate(benchmark("pendulum"), time=10, step=2e-3)
    assert run.energy_drift < 1e-9
    np.testing.assert_allclose(run.joint("hinge"), pendulum_angle(run.times), atol=1e-9)


@pytest.mark.parametrize("windows", [2, 10])
def test_a02_passes_its_singular_positions(windows: int) -> None:
    problem = PROBLEMS["A02"]
    run = kg.simulate(kg.load(n_four_bar(windows)), time=10, step=2e-3, v=problem.v)
    assert run.complete and run.energy_drift < 1e-6 < DRIFT and run.max_gap < 1e-9
    first = run.joint("V0")
    assert first[-1] < -9 * np.pi, "it turns over again and again"
    for i in range(1, windows + 1):
        np.testing.assert_allclose(run.joint(f"V{i}"), first, atol=1e-8)
    for i in range(windows):
        np.testing.assert_allclose(run.joint(f"H{i}"), -first, atol=1e-8)


def turned(windows: int, time: float, step: float, **options: Any) -> tuple[float, float, float]:
    """Where the first bar is at the end, how parallel all stay, and the energy's error."""
    run = kg.simulate(
        kg.load(n_four_bar(windows)),
        time=time,
        step=step,
        v=PROBLEMS["A02"].v,
        record=50,
        **options,
    )
    assert run.complete, run.reason
    bars = np.array([run.joint(f"V{i}") for i in range(windows + 1)])
    return float(bars[0, -1]), float(np.ptp(bars, axis=0).max()), run.energy_drift


def test_a02_is_the_better_the_shorter_the_steps() -> None:
    # seven passes of the flat pose within 4 s; shorter steps come nearer to it
    ends = {step: turned(2, 4, step) for step in (4e-3, 1e-3, 2.5e-4, 1e-4)}
    best = ends[1e-4][0]
    assert abs(ends[4e-3][0] - best) < 1e-8 and abs(ends[1e-3][0] - best) < 1e-9
    assert abs(ends[2.5e-4][0] - best) < 1e-9
    assert max(spread for _, spread, _ in ends.values()) < 1e-11
    assert ends[2.5e-4][2] < 1e-11 and ends[1e-4][2] < 1e-11
    many = [turned(40, 3.5, step) for step in (1e-3, 2.5e-4)]
    assert abs(many[0][0] - many[1][0]) < 1e-8 and max(many[0][2], many[1][2]) < 1e-10


@pytest.mark.parametrize("tolerance", [1e-8, 1e-9, 1e-10, 1e-12])
def test_a02_by_adaptive_steps_stays_on_its_branch(tolerance: float) -> None:
    end, spread, drift = turned(2, 10, 1e-2, integrator="adaptive", tolerance=tolerance)
    assert end == pytest.approx(-30.17980086, abs=1e-7 if tolerance > 1e-11 else 1e-8)
    assert spread < 1e-10 and drift < 1e-9


def test_a_parallelogram_of_unlike_bars_passes_its_flat_pose() -> None:
    # masses of all kinds: the loop's forces do not fade where it lies flat
    text = n_four_bar(2)
    ends = []
    for step in (1e-3, 2e-4):
        system = kg.dynamics.System.of(kg.load(text))
        _ = system.model.inertia
        masses = system.model.blocks.real_part("inertia").reshape(-1, 10)
        masses[1:] *= np.linspace(0.3, 3.0, len(masses) - 1)[:, None]
        run = kg.simulate(system, time=4, step=step, v=PROBLEMS["A02"].v, record=50)
        assert run.complete and run.energy_drift < 1e-9
        bars = np.array([run.joint(f"V{i}") for i in range(3)])
        assert np.ptp(bars, axis=0).max() < 1e-9
        ends.append(bars[0, -1])
    assert abs(ends[0] - ends[1]) < 1e-7


def test_a02_by_impulses_keeps_its_energy() -> None:
    run = kg.simulate(
        kg.load(n_four_bar(2)), time=10, step=1e-3, engine="impulse", v=PROBLEMS["A02"].v
    )
    assert run.complete and run.energy_drift < 0.4 * DRIFT and run.max_gap <= 1e-7
    assert run.joint("V0")[-1] < -9 * np.pi


def test_a02_is_a_pendulum_of_its_own() -> None:
    # Parallelograms: N+1 bars turn, N shift; (N+1)/3 + N kg m², weight (N+1)/2 + N at 1 m.
    from math import cos

    run = kg.simulate(kg.load(n_four_bar(2)), time=1, step=1e-3, v={"V0": -1.0}, record=None)
    inertia, weight = 3 / 3 + 2, (3 / 2 + 2) * 9.81
    theta, omega, h = np.pi / 2, -1.0, 1e-4

    def rate(theta: float) -> float:
        return -weight * cos(theta) / inertia

    for _ in range(10000):  # leapfrog, error 1e-8
        omega += 0.5 * h * rate(theta)
        theta += h * omega
        omega += 0.5 * h * rate(theta)
    assert run.joint("V0")[-1] == pytest.approx(theta, abs=1e-6)


def test_a03_meets_the_published_reference() -> None:
    def torque(time: float, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
        return {"K1": TORQUE}

    run = kg.simulate(benchmark("squeezer"), time=0.03, step=1e-5, control=torque, control_step=1.0)
    for name, (angle, speed) in SQUEEZER.items():
        assert run.joint(name)[-1] == pytest.approx(angle, abs=1e-7)
        assert run.v[-1, run.model.joint(name).v][0] == pytest.approx(speed, rel=1e-6)
    # energy balance: E - E0 - torque (beta - beta0)
    turned = run.joint("K1") - run.joint("K1")[0]
    np.testing.assert_allclose(run.energy - run.energy[0], TORQUE * turned, atol=1e-8)
    np.testing.assert_allclose(run.work, TORQUE * turned, atol=1e-8)


def test_a04_moves_although_its_count_says_no() -> None:
    run = kg.simulate(kg.load("bricard"), time=10, step=2e-3)
    assert run.complete and run.energy_drift < 1e-8 < DRIFT and run.max_gap < 1e-9
    assert np.ptp(run.joint("P1")) > 1


def test_a05_by_impulses() -> None:
    # springs are of ω h = 0.4, dampers of h c / m = 8: explicitly it runs away within 50 steps
    problem, ends = PROBLEMS["A05"], {}
    for step in (1e-3, 2.5e-4):
        run = kg.simulate(benchmark("governor"), time=1, step=step, engine="impulse", v=problem.v)
        assert run.complete and run.energy_drift < DRIFT and run.max_gap < 1e-6
        ends[step] = run.joint("slider")
    reduced = kg.simulate(benchmark("governor"), time=1, step=1e-3, v=problem.v).joint("slider")
    errors = [np.abs(ends[step] - reduced).max() for step in ends]
    assert errors[0] < 5e-4
    assert errors[1] < 1e-4


def test_a05_is_stiff_and_needs_no_tiny_steps() -> None:
    problem = PROBLEMS["A05"]
    run = kg.simulate(benchmark("governor"), time=10, step=1e-3, v=problem.v)
    assert run.complete and run.energy_drift < DRIFT
    # the same to eight digits by adaptive steps here and by MuJoCo's RK4 at 0.01 ms
    assert run.joint("slider")[-1] == pytest.approx(0.5874553, abs=1e-5)
    slider = run.joint("slider")
    assert slider.min() == pytest.approx(0.5, abs=1e-3) and slider.max() < 0.8
