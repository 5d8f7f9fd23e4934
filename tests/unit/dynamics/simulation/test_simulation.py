"""Simulations: control, recording, and ends that are not asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.impulse.engine import ImpulseEngine
from tests.support.mechanisms.simulated import benchmark, bob, double_pendulum

ENGINES = [name for name in kg.dynamics.engine_names() if name in ("reduced", "mujoco", "impulse")]


def swing(**keys: object) -> kg.Simulation:
    return kg.Simulation(bob(), **keys)  # type: ignore[arg-type]


def test_a_run_records_from_start_to_end() -> None:
    run = kg.simulate(bob(), time=0.505, record=100)
    assert run.complete and run.reason == "reached 0.505 s"
    assert run.steps == 505 and len(run) == 52
    np.testing.assert_allclose(run.times[:3], [0, 0.01, 0.02], atol=1e-12)
    assert run.times[-1] == pytest.approx(0.505) and run.duration == pytest.approx(0.505)
    assert run.q.shape == (52, 1) and run.kinetic[0] == 0


@pytest.mark.parametrize(("record", "rows"), [(0, 2), (None, 101), (10, 2), (20, 3)])
def test_the_rate_of_recording_is_chosen(record: float | None, rows: int) -> None:
    assert len(kg.simulate(bob(), time=0.1, record=record)) == rows


def test_advancing_in_pieces_is_the_same_run() -> None:
    whole = kg.simulate(double_pendulum(), time=0.3)
    pieces = kg.Simulation(double_pendulum())
    for _ in range(30):
        pieces.advance(0.01)
    np.testing.assert_array_equal(whole.q, pieces.run().q)
    assert pieces.run().complete


def test_thirds_of_steps_add_up() -> None:
    simulation = swing()
    for _ in range(3):
        simulation.advance(0.0005)
    assert simulation.steps == round(1.5) and simulation.time == pytest.approx(0.002, abs=1.1e-3)


def test_control_by_joint_name_and_its_work() -> None:
    run = kg.simulate(
        bob(), time=1, control=lambda t, q, v: {"A": 9.81 * math.cos(q[0])}, record=None
    )
    # held for one step at a time: the pendulum hardly leaves its place
    assert abs(run.joint("A")).max() < 1e-9 and run.efforts[-1, 0] == pytest.approx(9.81)
    pushed = kg.simulate(bob(), time=1, control=lambda t, q, v: [12.0])
    assert pushed.work[-1] > 1 and pushed.energy_drift < 1e-6


def test_control_is_asked_at_its_interval() -> None:
    asked: list[float] = []

    def control(time: float, q: np.ndarray, v: np.ndarray) -> None:
        asked.append(time)

    kg.simulate(bob(), time=0.1, control=control, control_step=0.01)
    np.testing.assert_allclose(asked, np.arange(10) * 0.01, atol=1e-12)


def test_other_sources_of_load_add_up() -> None:
    simulation = swing(control=lambda t, q, v: [5.0])
    lift = np.array([[0, 4.81, 0, 0, 0, 4.81]])  # at 1 m: force and its moment about the origin
    model = simulation.model
    simulation.sources.append(
        lambda t, q, v: kg.dynamics.Loads.of(
            model, efforts=None, wrenches=lift, links=np.array([1])
        )
    )
    simulation.advance(0.01)
    # 5 N m and 4.81 N at 1 m carry 9.81 N m exactly
    assert abs(simulation.engine.q[0]) < 1e-9


@pytest.mark.parametrize("engine", ENGINES)
def test_efforts_that_are_no_numbers_end_the_run(engine: str) -> None:
    run = kg.simulate(
        bob(), time=1, engine=engine, control=lambda t, q, v: [math.nan if t > 0.0495 else 0.0]
    )
    assert not run.complete and run.reason == (
        "the controller returned a value that is not finite for effort on A at 0.05 s"
    )
    assert len(run) == 6 and np.isfinite(run.q).all()


def test_a_controller_that_fails_ends_the_run() -> None:
    def control(time: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        return [1.0 / (0.02 - time)] if time < 0.0195 else [1 / 0]

    run = kg.simulate(bob(), time=1, control=control)
    assert not run.complete and "ZeroDivisionError" in run.reason
    assert run.times[-1] == pytest.approx(0.02)


def test_a_controller_with_the_wrong_size_is_reported() -> None:
    run = kg.simulate(bob(), time=1, control=lambda t, q, v: [1.0, 2.0])
    assert not run.complete and "must be 1 numbers, got shape (2,)" in run.reason


def test_stopping_keeps_what_there_is() -> None:
    simulation = swing()
    simulation.advance(0.1)
    simulation.stop("enough")
    simulation.advance(0.1)
    run = simulation.run()
    assert not run.complete and run.reason == "enough" and run.duration == pytest.approx(0.1)
    simulation.reset()
    assert simulation.is_running and simulation.time == 0 and len(simulation.run()) == 1


@pytest.mark.parametrize("time", [0, -1, math.nan, math.inf, "5"])
def test_times_are_positive(time: float) -> None:
    with pytest.raises(kg.errors.KinegenError, match="use a positive number of seconds"):
        kg.simulate(bob(), time=time)


def test_a_run_too_long_to_record_is_refused() -> None:
    with pytest.raises(kg.errors.KinegenError, match="more than 2,000,000 rows"):
        kg.simulate(bob(), time=1e5, record=None)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"mass": -1.0}, "link 'A' has the negative mass -1 kg"),
        ({"inertia.yy": 5.0}, "which is impossible"),
        ({"inertia.zz": -0.5}, "has a negative value among"),
        ({"mass": 0.0, "inertia.yy": 0.0, "inertia.zz": 0.0}, "has no mass to move"),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_masses_that_no_body_has_are_refused(
    keys: dict[str, float], message: str, engine: str
) -> None:
    system = kg.dynamics.System.of(bob())
    for key, value in keys.items():
        system.model.set_number("A", key, value)
    with pytest.raises(kg.errors.KinegenError, match=message):
        kg.simulate(system, time=0.1, engine=engine)


def test_doubtful_masses_are_remarked() -> None:
    run = kg.simulate(kg.load("puma560"), time=0.01)
    assert run.complete and "9.6% above" in run.remarks[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_step_that_is_too_large_is_reported_with_one_that_does(engine: str) -> None:
    mechanism, start, step = benchmark("squeezer"), {"K1": 2000.0}, 2e-3
    # both of these make smaller steps by themselves where loops or stops ask for them
    if engine == "reduced":
        mechanism, start, step = kg.load("arm-6"), {"elbow": 50.0}, 0.1
    if engine == "impulse":
        mechanism, start, step = kg.load("puma560"), {"waist": 200.0}, 0.1
    run = kg.simulate(mechanism, time=0.2, step=step, engine=engine, v=start)
    assert not run.complete and f"the step of {step:g} s is too large; " in run.reason
    good = float(run.reason.split("too large; ")[1].split(" s would be small enough")[0])
    assert good < step and np.isfinite(run.q).all()
    better = kg.simulate(mechanism, time=max(0.01, good), step=good, engine=engine, v=start)
    assert better.complete, better.reason


def test_without_stops_joints_may_pass_them() -> None:
    run = kg.simulate(kg.load("puma560"), time=0.2, step=1e-3, v={"waist": 50.0}, stops=False)
    assert run.complete and run.joint("waist").max() > 5


def test_an_engine_that_gives_up_is_asked_again_with_smaller_steps() -> None:
    run = kg.simulate(
        benchmark("governor"), time=0.5, step=1e-3, v={"shaft": 6.28}, integrator="semi-implicit"
    )
    assert not run.complete and run.reason.endswith("s would be small enough")


def test_every_engine_runs_bit_equal_twice() -> None:
    for engine in ENGINES:
        first, second = (
            kg.simulate(kg.load("five-bar-spatial"), time=0.1, step=1e-3, engine=engine)
            for _ in "12"
        )
        np.testing.assert_array_equal(first.q, second.q)
        np.testing.assert_array_equal(first.kinetic, second.kinetic)


def test_a_floor_needs_an_engine_that_touches(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.delattr(ImpulseEngine, "touches")  # as an engine of others may be
        with pytest.raises(kg.errors.KinegenError, match="the engine 'impulse' has no contacts"):
            kg.simulate(bob(), time=1, engine="impulse", floor=-2.0)
    ball = bob(shape="{sphere: 0.1, xyz: [1, 0, 0]}")
    for engine in ENGINES:
        run = kg.simulate(ball, time=1, engine=engine, floor=-0.5)
        assert run.complete and run.contacts.max() >= 1
        assert run.joint("A").min() > -0.5  # the ball lies on the floor


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"step": None}, "the step is None"),
        ({"step": "1"}, "the step is '1'"),
        ({"record": "often"}, "rows per second"),
        ({"control": [1.0]}, "control must be a function"),
        ({"hold": "A"}, "hold must be True or False"),
        ({"modes": {"A": "torque"}}, "specify targets, or hold=True"),
    ],
)
def test_arguments_that_make_no_sense_are_reported(keys: dict[str, object], message: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=message):
        swing(**keys)


@pytest.mark.parametrize("seconds", ["1", None, float("nan"), -1])
def test_times_that_are_none_are_refused(seconds: float) -> None:
    with pytest.raises(kg.errors.KinegenError, match="time"):
        swing().advance(seconds)
    with pytest.raises(kg.errors.KinegenError, match="positive number of seconds"):
        kg.simulate(bob(), time=seconds)


def test_numbers_of_numpy_are_numbers() -> None:
    run = kg.simulate(bob(), time=np.int64(1), step=np.float64(0.01), record=np.int32(10))  # type: ignore[arg-type]
    assert run.steps == 100 and len(run) == 11


@pytest.mark.parametrize("engine", ENGINES)
def test_a_start_beyond_the_limits_is_refused(engine: str) -> None:
    if engine == "mujoco":
        pytest.importorskip("mujoco")
    bounded = bob(limits="[-40 deg, 40 deg]")
    with pytest.raises(
        kg.errors.KinegenError, match=r"'A' is at 50°, beyond its limits -40° … 40°"
    ):
        kg.simulate(bounded, time=0.1, engine=engine, q={"A": math.radians(50)})
    free = kg.simulate(bounded, time=0.1, engine=engine, q={"A": math.radians(50)}, stops=False)
    assert free.complete


def test_a_simulation_writes_itself_in_a_line() -> None:
    simulation = swing()
    simulation.advance(0.25)
    assert repr(simulation) == "Simulation('bob', engine 'reduced', at 0.25 s)"
