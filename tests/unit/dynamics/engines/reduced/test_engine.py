"""The reduced engine: energy, closure, order, stiffness, stops, friction, singular passages."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.dynamics.engines.registry import make_engine
from kinegen.dynamics.simulation.system import System

DOWN = (0.0, -9.81, 0.0)
EXACT = 1e-10
"""Gap that counts as closed [m, rad]."""

PENDULUM = """
raff: 1
name: pendulum
joints:
  - {name: A, parent: base, mass: 1, centre: [1, 0, 0], inertia: [0.01, 0.01, 0.01]EXTRA}
"""
SLIDER = """
raff: 1
name: slider
joints:
  - {name: S, type: prismatic, parent: base, mass: 2, inertia: [0.01, 0.01, 0.01]EXTRA}
"""


def engine_of(
    name: str, step: float = 1e-3, gravity: object = DOWN, **options: object
) -> ReducedEngine:
    system = System.of(kg.load(name), gravity=gravity)  # type: ignore[arg-type]
    return ReducedEngine(system, step, **options)  # type: ignore[arg-type]


def engine_in(
    path: Path, text: str, step: float, gravity: object, **options: object
) -> ReducedEngine:
    file = path / "made.raff"
    file.write_text(text)
    return engine_of(str(file), step, gravity, **options)


@pytest.mark.parametrize(
    "name", ["five-bar", "3-rrr", "delta", "four-bar", "bricard", "eight-bar", "stewart"]
)
def test_energy_and_loops_are_kept_for_ten_seconds(name: str) -> None:
    engine = engine_of(name, stops=False, friction=False)
    if name == "stewart":
        # legs on springs: else the platform falls without end
        for joint in engine.model.joints:
            if joint.name.startswith("leg"):
                engine.model.blocks.real_part("stiffness")[joint.v] = 2e5
                engine.model.blocks.real_part("spring_rest")[joint.v] = 3.2
    engine.reset()
    start = engine.advance(None, 0)
    most = gap = angle = speed = 0.0
    for _ in range(100):
        report = engine.advance(None, 100)
        most = max(most, report.kinetic)
        gap, angle = max(gap, report.gap), max(angle, report.angle_gap)
        speed = max(speed, report.velocity_gap)
    assert report.time == pytest.approx(10)
    assert most > 0
    assert gap < EXACT and angle < EXACT and speed < 1e-9
    assert abs(report.energy - start.energy) < 1e-4 * most


@pytest.mark.parametrize(
    ("integrator", "order"), [("rk4", 4), ("semi-implicit", 2), ("implicit", 2)]
)
@pytest.mark.parametrize("name", ["stewart", "bricard"])
def test_errors_shrink_with_the_method_s_order(name: str, integrator: str, order: int) -> None:
    fine = engine_of(name, 5e-4, stops=False)
    v = np.random.default_rng(1).normal(size=fine.model.nv) * 0.3
    fine.reset(None, v)
    fine.advance(None, 400)
    errors = []
    for step in (8e-3, 4e-3):
        engine = engine_of(name, step, integrator=integrator, stops=False)
        engine.reset(None, v)
        engine.advance(None, round(0.2 / step))
        errors.append(np.abs(engine.q - fine.q).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


def test_the_adaptive_one_keeps_its_tolerance() -> None:
    loose, tight = (
        engine_of("five-bar", 0.02, integrator="adaptive", tolerance=t) for t in (1e-6, 1e-11)
    )
    fine = engine_of("five-bar", 5e-5)
    for engine, steps in ((loose, 15), (tight, 15), (fine, 6000)):
        engine.advance(None, steps)
    assert np.abs(tight.q - fine.q).max() < 1e-8
    assert np.abs(loose.q - fine.q).max() < 1e-3
    assert loose.last.evaluations < tight.last.evaluations


@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_windows_pass_the_flat_position(tmp_path: Path, step: float) -> None:
    """IFToMM's N-four-bar: where all bars lie flat it has three degrees of freedom, not one."""
    mass = "mass: 1, centre: [0.5, 0, 0], inertia: [0.0001, 0.083333333, 0.083333333]"
    rows = [f"{{name: V{i}, parent: base, d: {i}, start: 90 deg, {mass}}}" for i in range(3)]
    rows += [f"{{name: H{i}, parent: V{i}, d: 1, start: -90 deg, {mass}}}" for i in range(2)]
    rows += [
        f"{{name: C{i}, parent: H{i}, d: 1, start: 90 deg, closes: {{onto: V{i + 1}, d: 1}}}}"
        for i in range(2)
    ]
    text = "raff: 1\nname: windows\njoints:\n" + "".join(f"  - {row}\n" for row in rows)
    engine = engine_in(tmp_path, text, step, DOWN)
    engine.reset(None, {"V0": -1.0})
    start = engine.advance(None, 0)
    report = engine.advance(None, round(5 / step))
    bars = engine.q[:3]
    assert np.ptp(bars) < 1e-9  # parallelograms have stayed parallelograms
    assert bars[0] < -2 * np.pi  # and went round
    assert abs(report.energy - start.energy) < 1e-6 * start.energy


def test_bit_equal_runs() -> None:
    first, second = (engine_of("delta") for _ in range(2))
    first.advance(None, 300)
    for _ in range(3):
        second.advance(None, 100)
    again = engine_of("delta")
    again.advance(None, 300)
    assert (first.q == again.q).all() and (first.v == again.v).all()
    np.testing.assert_allclose(first.q, second.q, atol=1e-9)


def test_work_of_efforts_wrenches_and_dampers_balances() -> None:
    engine = engine_of("stewart", stops=False)
    engine.model.blocks.real_part("viscous")[:] = 20.0
    engine.reset()
    model = engine.model
    rng = np.random.default_rng(0)
    loads = kg.dynamics.Loads.of(
        model,
        efforts=rng.normal(size=model.nv) * 100,
        wrenches=rng.normal(size=(2, 6)) * 100,
        links=np.array([3, 7], dtype=np.int32),
    )
    start = engine.advance(None, 0)
    report = engine.advance(loads, 500)
    assert abs(report.work) > 1
    assert report.balance == pytest.approx(start.balance, abs=1e-6 * report.kinetic)


def test_cut_joints_bear_efforts_springs_and_dampers() -> None:
    engine = engine_of("four-bar", 2e-4, stops=False)
    cut = next(joint for joint in engine.model.joints if joint.is_cut)
    for name, value in (("stiffness", 3.0), ("viscous", 0.01)):
        engine.model.blocks.real_part(name)[cut.v] = value
    engine.reset()
    tau = np.zeros(engine.model.nv)
    tau[cut.v] = 0.2
    start = engine.advance(None, 0)
    report = engine.advance(kg.dynamics.Loads.of(engine.model, efforts=tau), 4000)
    assert report.kinetic > 1e-3
    assert report.balance == pytest.approx(start.balance, abs=1e-8)


def test_a_stiff_damper_chooses_implicit_steps(tmp_path: Path) -> None:
    # a mass on a damper of time constant 0.05 ms, pulled by gravity: it creeps at m g / c
    extra = ", friction: {viscous: 40000}"
    engine = engine_in(tmp_path, SLIDER.replace("EXTRA", extra), 1e-3, (0, 0, -10))
    assert engine.integrator == "implicit"
    engine.advance(None, 100)
    assert engine.v[0] == pytest.approx(-20 / 40000, rel=1e-6)
    assert engine_in(tmp_path, SLIDER.replace("EXTRA", ""), 1e-3, DOWN).integrator == "rk4"


def test_dry_friction_holds_and_brakes_exactly(tmp_path: Path) -> None:
    extra = ", friction: {coulomb: 5}"
    engine = engine_in(tmp_path, SLIDER.replace("EXTRA", extra), 1e-3, (0, 0, -2))
    engine.advance(None, 200)  # 4 N of weight against 5 N
    assert engine.v[0] == 0 and abs(engine.q[0]) < 1e-15
    engine.reset(None, [1.0])
    start = engine.advance(None, 0)
    report = engine.advance(None, 500)
    # upwards against 9 N: stops after v² / 2a, and stays
    assert engine.q[0] == pytest.approx(1 / (2 * 4.5), rel=1e-3)
    assert abs(engine.v[0]) < 1e-12
    assert report.work < 0
    assert report.balance == pytest.approx(start.balance, rel=5e-3)


def test_friction_given_while_it_runs_counts(tmp_path: Path) -> None:
    engine = engine_in(tmp_path, SLIDER.replace("EXTRA", ""), 1e-3, (0, 0, -9.81))
    engine.advance(None, 100)
    assert engine.v[0] == pytest.approx(-0.981)
    engine.model.blocks.real_part("coulomb")[:] = 50.0
    engine.advance(None, 200)
    assert abs(engine.v[0]) < 1e-12


def test_numbers_changed_while_it_runs_count() -> None:
    engine = engine_of("five-bar")
    engine.advance(None, 50)
    engine.model.parameters["coupler"] = 0.26
    report = engine.advance(None, 1)
    assert report.gap < EXACT
    assert kg.kinematics.loop_gap(engine.model, engine.q).largest < EXACT


def beyond_stops(engine: ReducedEngine) -> float:
    """How far the joint that is furthest past an end of its travel is past it."""
    model, most = engine.model, -np.inf
    for joint in model.joints:
        if joint.q.stop - joint.q.start == joint.v.stop - joint.v.start:
            at = engine.q[joint.q]
            past = np.maximum(at - model.upper[joint.v], model.lower[joint.v] - at)
            most = max(most, past.max(initial=-np.inf))
    return float(most)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("integrator", ["rk4", "semi-implicit", "implicit", "adaptive"])
def test_stops_hold_and_throw_back(tmp_path: Path, restitution: float, integrator: str) -> None:
    text = SLIDER.replace("EXTRA", ", limits: [-0.2, 1]")
    engine = engine_in(
        tmp_path, text, 4e-3, (0, 0, -9.81), restitution=restitution, integrator=integrator
    )
    start = engine.advance(None, 0)
    lowest, highest_after, hits = 0.0, 0.0, 0
    for _ in range(130):
        report = engine.advance(None, 1)
        lowest = min(lowest, float(engine.q[0]))
        hits += report.contacts
        if hits:
            highest_after = max(highest_after, float(engine.q[0]) + 0.2)
    assert hits and lowest >= -0.2 - 1e-12
    # the impact is where it is, whatever the step: one between two steps is missed by half a step
    assert highest_after == pytest.approx(restitution**2 * 0.2, abs=9.81 * 2e-3**2 + 1e-9)
    assert report.balance == pytest.approx(start.balance, abs=1e-10)
    assert report.work <= 1e-12


FLAIL = """
raff: 1
name: flail
joints:
  - {name: A, parent: base, BAR, limits: [-1, 1], start: -1}
  - {name: B, parent: A, d: 1, BAR}
  - {name: C, parent: B, d: 1, BAR}
""".replace("BAR", "mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]")


def test_what_swings_from_a_joint_on_its_stop_keeps_its_energy(tmp_path: Path) -> None:
    ends, drifts = [], []
    for step in (4e-3, 2e-3, 2.5e-4):
        engine = engine_in(tmp_path, FLAIL, step, DOWN)
        start = engine.advance(None, 0)
        report = engine.advance(None, round(0.4 / step))
        assert engine.q[0] == -1 and report.kinetic > 1
        assert report.work == pytest.approx(0, abs=1e-12)
        drifts.append(abs(report.energy - start.energy))
        ends.append(engine.q)
    errors = [np.abs(end - ends[-1]).max() for end in ends[:2]]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.3)
    assert drifts[0] < 1e-9


@pytest.mark.parametrize("name", ["five-bar", "3-rrr", "stewart", "delta"])
@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_loops_among_stops_invent_no_energy(name: str, restitution: float) -> None:
    engine = engine_of(name, 2e-3, (0, -9.81, -3), restitution=restitution)
    model, q = engine.model, engine.q
    for joint in model.joints:
        if joint.q.stop - joint.q.start == joint.v.stop - joint.v.start:
            model.lower[joint.v] = np.maximum(model.lower[joint.v], q[joint.q] - 0.15)
            model.upper[joint.v] = np.minimum(model.upper[joint.v], q[joint.q] + 0.2)
    engine.reset()
    start = last = engine.advance(None, 0)
    worst, gained, hits, kinetic = -np.inf, 0.0, 0, 0.0
    for _ in range(600):
        report = engine.advance(None, 1)
        worst, hits = max(worst, beyond_stops(engine)), hits + report.contacts
        gained, kinetic = max(gained, report.work - last.work), max(kinetic, report.kinetic)
        last = report
    assert hits and worst < 1e-9
    assert gained < 1e-8 * kinetic
    assert report.balance == pytest.approx(start.balance, abs=1e-6 * kinetic)
    # dead stops bring all to rest, elastic ones lose nothing
    if restitution == 0:
        assert np.abs(engine.v).max() < 1e-12
    else:
        assert report.work == pytest.approx(0, abs=1e-8 * kinetic)


def test_no_joint_leaps_through_a_stop(tmp_path: Path) -> None:
    text = SLIDER.replace("EXTRA", ", limits: [-0.2, 0.1]")
    engine = engine_in(tmp_path, text, 0.05, (0, 0, -500), restitution=0.9)
    engine.reset(None, [-300.0])  # fifty times its travel within a step
    start = engine.advance(None, 0)
    for _ in range(40):
        report = engine.advance(None, 1)
        assert beyond_stops(engine) < 1e-9
    assert engine.q[0] == pytest.approx(-0.2, abs=1e-9) and abs(engine.v[0]) < 1e-9
    assert report.balance == pytest.approx(start.balance, rel=1e-9)


def test_who_starts_beyond_a_stop_is_not_thrown_back(tmp_path: Path) -> None:
    text = SLIDER.replace("EXTRA", ", limits: [-0.2, 0.1]")
    engine = engine_in(tmp_path, text, 1e-3, (0, 0, -9.81))
    engine.reset([-0.3])
    engine.advance(None, 100)
    assert engine.q[0] == pytest.approx(-0.3) and engine.v[0] == 0
    up = kg.dynamics.Loads.of(engine.model, efforts=[40.0])
    engine.advance(up, 200)
    assert engine.q[0] == pytest.approx(-0.3 + (20 - 9.81) / 2 * 0.2**2)
    engine.advance(None, 400)
    assert engine.q[0] == pytest.approx(-0.2, abs=1e-9)  # inside once, its stop counts


def test_stiff_springs_of_cut_joints_are_implicit() -> None:
    ends = []
    for step, integrator in ((2e-5, "rk4"), (1e-3, "auto")):
        engine = engine_of("four-bar", step, integrator=integrator, stops=False, friction=False)
        (cut,) = (joint for joint in engine.model.joints if joint.is_cut)
        rest = engine.q[cut.q] + 0.1
        for name, value in (("stiffness", 4e4), ("viscous", 60.0), ("spring_rest", rest)):
            engine.model.blocks.real_part(name)[cut.v] = value
        engine.reset()
        start = engine.advance(None, 0)
        report = engine.advance(None, round(0.05 / step))
        ends.append((engine.q, report.work))
    assert engine.integrator == "implicit" and report.gap < EXACT
    assert np.isfinite(engine.v).all()
    np.testing.assert_allclose(ends[1][0], ends[0][0], atol=2e-4)
    assert start.potential > 100
    assert ends[1][1] == pytest.approx(ends[0][1], rel=0.05)


def test_reactions_carry_the_weight(tmp_path: Path) -> None:
    engine = engine_in(tmp_path, PENDULUM.replace("EXTRA", ", start: -90 deg"), 1e-3, DOWN)
    np.testing.assert_allclose(engine.reactions()[0], [0, 9.81, 0, 0, 0, 0], atol=1e-9)
    engine.reset(None, [2.0])
    # and what keeps it on its circle: m v² / r
    np.testing.assert_allclose(engine.reactions()[0, :3], [0, 9.81 + 4, 0], atol=1e-9)


def test_a_weld_bears_what_moves_its_link(tmp_path: Path) -> None:
    weld = "\n  - {name: W, type: fixed, parent: A, d: 0.5, mass: 3, centre: [0.2, 0, 0]}\n"
    text = PENDULUM.replace("EXTRA", ", start: -90 deg").rstrip() + weld
    engine = engine_in(tmp_path, text, 1e-3, DOWN)
    engine.reset(None, [2.0])
    # its weight, and what keeps it on its circle of 0.7 m
    np.testing.assert_allclose(engine.reactions()[1, :3], [0, 3 * (9.81 + 4 * 0.7), 0], atol=1e-9)


@pytest.mark.parametrize("extra", [", limits: [0, 1]", ", friction: {coulomb: 20}"])
def test_what_a_stop_or_friction_holds_is_borne(tmp_path: Path, extra: str) -> None:
    engine = engine_in(tmp_path, PENDULUM.replace("EXTRA", extra), 1e-3, DOWN)
    engine.advance(None, 3)
    assert engine.q[0] == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(engine.reactions()[0], [0, 9.81, 0, 0, 0, 9.81], atol=1e-9)


@pytest.mark.parametrize("held", ["stops", "friction"])
def test_the_ground_bears_what_loops_at_rest_weigh(held: str) -> None:
    engine = engine_of("five-bar", 1e-3)
    model, q = engine.model, engine.q
    if held == "stops":
        model.lower[:], model.upper[:] = q - 0.02, q + 0.02
    else:
        model.blocks.real_part("coulomb")[:] = 5.0
    engine.reset()
    engine.advance(None, 400)
    assert np.abs(engine.v).max() < 1e-9
    total = np.zeros(3)
    for joint, row in zip(model.joints, engine.reactions(), strict=True):
        total += row[:3] * ((joint.parent == 0) - (joint.child == 0))
    np.testing.assert_allclose(total, -model.inertia[1:, 0].sum() * model.gravity, atol=2e-5)


def test_a_joint_bears_what_the_floor_does_not(tmp_path: Path) -> None:
    text = PENDULUM.replace("EXTRA", ", shape: {sphere: 0.1, xyz: [1, 0, 0]}")
    file = tmp_path / "bob.raff"
    file.write_text(text.replace("{name: A,", "{name: A, rpy: [90 deg, 0, 0],"))
    engine = ReducedEngine(System.of(kg.load(str(file)), floor=-0.3), 1e-3)
    engine.advance(None, 1500)
    assert engine.contacts is not None and np.abs(engine.v).max() < 1e-6
    sign = np.where(engine.contacts.link_b == 1, 1.0, -1.0)
    floor = (sign[:, None] * engine.impulses).sum(axis=0) / engine.step
    assert floor[2] > 5
    bar = engine.reactions()[0]
    np.testing.assert_allclose(bar[:3], [-floor[0], 0, 9.81 - floor[2]], atol=1e-4)
    # nothing drives the joint: its wrench has no moment about its axis
    assert abs(bar[4]) < 1e-4


@pytest.mark.parametrize("integrator", ["rk4", "semi-implicit", "implicit"])
def test_steps_far_too_long_are_made_shorter(integrator: str) -> None:
    engine = engine_of("five-bar", 0.1, integrator=integrator, stops=False)
    engine.reset(None, {"A": 20.0, "E": -15.0})
    start = engine.advance(None, 0)
    report = engine.advance(None, 20)
    assert engine.last.refined > 0
    assert report.gap < EXACT
    assert abs(report.balance - start.balance) < 0.02 * start.kinetic


def test_a_tolerance_below_rounding_is_met_as_far_as_numbers_allow() -> None:
    ends = []
    for tolerance in (1e-12, 1e-17):
        engine = engine_of("five-bar", 0.01, integrator="adaptive", tolerance=tolerance)
        engine.advance(None, 20)
        ends.append(engine.q)
        assert engine.last.evaluations < 40_000, "no steps as short as rounding"
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


def test_a_motion_that_no_step_follows_ends_with_a_report() -> None:
    # a spring that turns over within 1e-10 s: adaptive steps cannot be short enough
    engine = engine_of("five-bar", 0.01, integrator="adaptive", tolerance=1e-9)
    engine.model.blocks.real_part("stiffness")[0] = 1e20
    engine.model.blocks.real_part("spring_rest")[0] = engine.q[0] + 0.1
    engine.reset()
    with pytest.raises(kg.errors.KinegenError, match="adaptive steps became too short"):
        engine.advance(None, 50)


def test_bad_options_are_reported() -> None:
    with pytest.raises(kg.errors.KinegenError, match=r"integrator 'euler' is unknown; .*rk4"):
        engine_of("five-bar", integrator="euler")
    with pytest.raises(kg.errors.KinegenError, match="restitution"):
        engine_of("five-bar", restitution=2.0)
    with pytest.raises(kg.errors.KinegenError, match="tolerance"):
        engine_of("five-bar", tolerance=0.0)


def test_singular_poses_are_passed_with_the_order_of_the_method() -> None:
    """The rhombus of the linkage folds flat twice within the second, its bars at full speed."""
    system = kg.dynamics.System.of(kg.load("peaucellier"), gravity=[4.0, -6.0, -6.5])
    ends = []
    for step in (2e-3, 1e-3, 5e-4, 1e-4):
        made = make_engine(system, "reduced", step, stops=False)
        made.advance(None, round(1 / step))
        ends.append(made.q.copy())
    errors = [float(np.abs(q - ends[-1]).max()) for q in ends[:-1]]
    assert errors[0] < 1e-3
    for coarse, fine in pairwise(errors):
        assert fine < coarse / 6
