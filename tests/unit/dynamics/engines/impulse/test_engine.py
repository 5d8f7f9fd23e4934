"""The engine impulse: gaps, order, energy, turns, reports, sweeps."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.engine import Engine, Loads
from kinegen.dynamics.engines.impulse.engine import Contacts, ImpulseEngine
from kinegen.dynamics.engines.impulse.world import Impulses
from kinegen.dynamics.engines.registry import make_engine
from kinegen.dynamics.simulation.system import System
from kinegen.errors import AssemblyError, NumberError, UsageError
from tests.support.contacts.impulse_worlds import chain, go
from tests.support.mechanisms.frictionless import without_servos

G = 9.81


def engine(name: str, step: float, **options: object) -> ImpulseEngine:
    made = make_engine(System.of(kg.load(name)), "impulse", step, **options)
    assert isinstance(made, ImpulseEngine)
    return made


def test_is_an_engine() -> None:
    assert isinstance(engine("arm-6", 1e-3), Engine)


@pytest.mark.parametrize("name", kg.library_names())
def test_every_mechanism_falls_with_closed_joints(name: str) -> None:
    made = engine(name, 1e-3)
    before = made.advance(None, 0)
    report = made.advance(None, 200)
    assert report.time == pytest.approx(0.2)
    assert report.gap <= 1e-6
    assert report.angle_gap <= 1e-6
    assert report.velocity_gap <= 1e-4
    # ends of travel that are overrun at the start take energy in many small pushes
    assert abs(report.balance - before.balance) <= 2e-3 * max(1.0, report.kinetic) + 0.02


@pytest.mark.parametrize("name", ["arm-6", "delta", "stewart"])
def test_gap_down_to_a_nanometre(name: str) -> None:
    report = engine(name, 1e-3, gap=1e-9).advance(None, 50)
    assert report.gap <= 1e-9
    assert report.angle_gap <= 1e-9


def test_error_is_of_second_order() -> None:
    ends = {}
    for step in (1 / 8000, 1 / 1000, 1 / 500, 1 / 250):
        bound = chain(2).bind(Impulses(step=step, gap=1e-9))
        go(bound, round(0.2 / step))
        ends[step] = bound.q.copy()
    errors = [np.abs(ends[step] - ends[1 / 8000]).max() for step in (1 / 250, 1 / 500, 1 / 1000)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.15)


def test_energy_of_a_double_pendulum() -> None:
    bound = chain(2).bind(Impulses(step=1e-3, gap=1e-6))
    start = go(bound, 0)
    end = go(bound, 10_000)
    assert end[3] <= 1e-6
    assert abs(end[6] + end[7] - start[6] - start[7]) < 2e-4  # of about 2 J that swing


@pytest.mark.parametrize(
    ("name", "step", "sweeps"),
    [("delta", 1e-3, 0), ("delta", 0.04, 1), ("puma560", 1e-3, 0), ("five-bar-b", 5e-3, 0)],
)
def test_runs_are_bit_equal_however_they_are_cut(name: str, step: float, sweeps: int) -> None:
    one, other, again = (engine(name, step, sweeps=sweeps) for _ in range(3))
    one.advance(None, 60)
    for _ in range(60):
        other.advance(None, 1)
    again.advance(None, 60)
    assert one.q.tobytes() == again.q.tobytes() == other.q.tobytes()
    assert one.v.tobytes() == again.v.tobytes() == other.v.tobytes()


def test_reset_starts_at_the_given_pose() -> None:
    made = engine("arm-6", 1e-3)
    q = made.model.start() + 0.1
    v = np.linspace(-1, 1, made.model.nv)
    made.reset(q, v, 2.0)
    np.testing.assert_allclose(made.q, q, atol=1e-12)
    np.testing.assert_allclose(made.v, v, atol=1e-12)
    assert made.time == 2.0


def test_turns_are_counted() -> None:
    bound = chain(1).bind(Impulses(step=1e-3))
    efforts = np.array([3.0])
    go(bound, 3000, efforts)
    assert abs(bound.q[0]) > 4 * np.pi


def test_efforts_do_the_work_that_is_reported() -> None:
    made = engine("arm-6", 1e-3, gap=1e-9, stops=False, friction=False)
    before = made.advance(None, 0)
    efforts = np.linspace(-2, 2, made.model.nv)
    loads = Loads.of(
        made.model,
        efforts=efforts,
        wrenches=np.array([[1.0, 2, 3, 0.1, 0.2, 0.3]]),
        links=np.array([4], np.int32),
    )
    report = made.advance(loads, 200)
    assert report.work != 0
    assert report.balance == pytest.approx(before.balance, abs=1e-3 * abs(report.kinetic))


def test_reactions_hold_a_hanging_chain() -> None:
    mechanism = kg.load("arm-6")
    made = make_engine(System.of(mechanism), "impulse", 1e-3)
    assert isinstance(made, ImpulseEngine)
    tau = kg.dynamics.gravity_forces(made.model, made.q)
    made.advance(Loads.of(made.model, efforts=tau), 20)
    wrench = made.reactions()
    weight = -made.model.inertia[1:, 0].sum() * made.model.gravity
    np.testing.assert_allclose(wrench[0, :3], weight, atol=1e-3 * np.abs(weight).max())


@pytest.mark.parametrize("name", kg.library_names())
def test_one_sweep_at_long_steps_holds_mechanisms_together(name: str) -> None:
    """Visum's anytime mode: h = 0.04 s, each joint visited once per step, for 10 s.

    Gaps reach 2.4 % of the mechanism's span, where loops whirl through singular poses. Geared
    rotors, far heavier than their links, need shorter steps.
    """
    gravity = (0.0, -G, 0.0) if name == "five-bar" else None
    system = System.of(without_servos(name), gravity=gravity)
    made = make_engine(system, "impulse", 0.04, sweeps=1)
    assert isinstance(made, ImpulseEngine)
    places = made.link_transforms[:, 9:]
    span = max(np.linalg.norm(places - place, axis=1).max() for place in places)
    start = made.advance(None, 0)
    for _ in range(10):
        report = made.advance(None, 25)
        assert report.gap < 0.05 * span
        assert report.angle_gap < 0.3
        assert report.balance < start.balance + 1e-9 * (1 + abs(start.energy))
    assert report.time == pytest.approx(10)


def test_one_sweep_closes_a_chain_of_ten() -> None:
    """A whip of 2 m, let go level: a tree closes in one sweep outward; energy never grows."""
    bound = chain(10).bind(Impulses(step=0.04, sweeps=1))
    before = go(bound, 0)
    highest = before[6] + before[7]
    for _ in range(50):
        report = go(bound, 5)
        assert report[3] < 1e-3
        assert report[6] + report[7] < highest + 1e-9
    # it hangs or swings, and has not stopped on the way
    assert bound.poses[1:, 6].mean() < -0.5


def test_sweeps_at_short_steps_keep_energy() -> None:
    bound = chain(3).bind(Impulses(step=1e-3, sweeps=1))
    start, end = go(bound, 0), go(bound, 2000)
    assert end[3] < 1e-5
    assert start[6] + start[7] - 0.05 < end[6] + end[7] <= start[6] + start[7] + 1e-9


def test_sweeps_meet_the_direct_solution() -> None:
    a = chain(3).bind(Impulses(step=1e-3, gap=1e-10))
    b = chain(3).bind(Impulses(step=1e-3, gap=1e-10, sweeps=2000))
    go(a, 20)
    go(b, 20)
    np.testing.assert_allclose(a.q, b.q, atol=1e-7)


def test_reactions_of_a_step_that_is_cut() -> None:
    """A rod whirls about its end: its hinge pulls m ω² r."""
    world = chain(1)
    world.gravity = (0.0, 0.0, 0.0)
    world.twists[1] = np.array([0, 0, -3.0, 0, 30, 0])  # 0.6 rad in a step
    bound = world.bind(Impulses(step=0.02, gap=1e-9))
    go(bound, 1)
    pull = np.linalg.norm(bound.reactions()[0, :3])
    # its mean over the turn: the direction turns with it
    assert pull == pytest.approx(0.1 * 30**2 * np.sin(0.3) / 0.3, rel=0.03)


@pytest.mark.parametrize(("name", "most"), [("five-bar-b", 0.03), ("eight-bar-b", 0.1)])
def test_energy_through_singular_poses(name: str, most: float) -> None:
    """Loops that fall through singular poses: 10 s, at the default gap (0.08 and 0.33 J before)."""
    made = engine(name, 1e-3)
    start = made.advance(None, 0)
    for _ in range(100):
        report = made.advance(None, 100)
        assert abs(report.balance - start.balance) < most


def test_a_step_in_which_bodies_turn_far_is_cut() -> None:
    bound = chain(10).bind(Impulses(step=0.04))
    start = go(bound, 0)
    end = go(bound, 100)
    assert end[3] <= 1e-6
    assert abs(end[6] + end[7] - start[6] - start[7]) < 5  # of about 100 J that swing


def test_stops_hold() -> None:
    made = engine("puma560", 1e-3)
    top = made.model.upper.copy()
    bottom = made.model.lower.copy()
    made.advance(Loads.of(made.model, efforts=np.full(made.model.nv, 30.0)), 1500)
    assert np.all(made.q <= top + 1e-3)
    assert np.all(made.q >= bottom - 1e-3)


def test_contacts_from_outside_carry_a_link() -> None:
    """Every link rests on a plane that is found for it: nothing falls."""

    def floor(made: ImpulseEngine) -> Contacts:
        p = made.link_transforms[6, 9:]
        return Contacts(
            np.array([[6, 0]]), p[None], np.array([[0.0, 0, 1]]), np.zeros(1), np.zeros(1),
            np.zeros(1),
        )  # fmt: skip

    made = engine("arm-6", 1e-3, contacts=floor, stops=False)
    height = made.link_transforms[6, 11]
    report = made.advance(None, 50)
    assert report.contacts == 1
    assert made.link_transforms[6, 11] >= height - 1e-5


def test_mechanism_without_mass_is_refused() -> None:
    mechanism = kg.load("four-bar")
    model = System.of(mechanism)
    model.model.inertia[:] = 0
    with pytest.raises(NumberError, match="mass"):
        make_engine(model, "impulse", 1e-3)


def test_bad_options_are_refused() -> None:
    with pytest.raises(UsageError, match="gap"):
        engine("arm-6", 1e-3, gap=0.0)
    with pytest.raises(UsageError, match="sweeps"):
        engine("arm-6", 1e-3, sweeps=-1)


CHAIN_OF_NOTHING = """raff: 1
name: flail
gravity: [0, -9.81, 0]
joints:
  - {name: a, parent: base, mass: 1, centre: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
  - {name: b, parent: a, d: 0.2, mass: 0}
  - {name: c, parent: b, d: 0.2, start: 40 deg, mass: 0}
  - {name: e, parent: c, d: 0.2, start: 50 deg, mass: 1, centre: [0.1, 0, 0],
     inertia: [0.01, 0.01, 0.01]}
"""


def test_links_without_mass_are_named() -> None:
    """Two of them in a row are stretched after 0.15 s, and nothing resists then."""
    made = make_engine(System.of(kg.load(CHAIN_OF_NOTHING)), "impulse", 1e-3)
    assert isinstance(made, ImpulseEngine)
    assert made.remarks == (
        "each of 'b' and 'c' has no mass and gets 1e-05 of the mass of the lightest link",
    )
    assert made.advance(None, 100).gap < 1e-6
    with pytest.raises(AssemblyError, match=r"cannot be kept closed at .* 'b' and 'c' has no mass"):
        made.advance(None, 200)


def test_sweeps_at_short_steps_hold_geared_rotors_together() -> None:
    made = make_engine(System.of(kg.load("so101")), "impulse", 0.005, sweeps=1)
    start = made.advance(None, 0)
    for _ in range(4):
        report = made.advance(None, 100)
        # measured: it loses 0.0032 J of 0.83 J in 2 s
        assert -0.01 < report.balance - start.balance < 1e-9
