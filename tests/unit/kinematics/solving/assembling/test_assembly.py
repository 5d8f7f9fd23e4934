"""Assembly: loops closed from any start, every mode, errors that name the bar."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import Floats
from kinegen.kernels.backend import name as backend_name
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.solving.polygon import loop_bars
from kinegen.mechanism.load import world_names
from tests.unit.kinematics.mobility.test_mobility import four_bar

FORTY = Path(__file__).parents[4] / "support" / "mechanisms" / "stewart-40.raff"
CLOSED = [
    name for name in kg.library_names() if any(j.closes for j in kg.load(name).joints.values())
]


def test_starts_of_the_library_close_without_a_search() -> None:
    # a page lists them all when it opens; with the NumPy kernels a search may take half a minute
    every = (*kg.library_names(), *world_names())
    attempts = {name: kg.assemble(kg.load(name)).attempts for name in every}
    assert {name: count for name, count in attempts.items() if count > 1} == {}


@pytest.mark.parametrize("name", CLOSED)
def test_closes_from_a_disturbed_start(name: str) -> None:
    model = kg.load(name).compile()
    rng = np.random.default_rng(5)
    q = kg.kinematics.integrate(model, None, 0.05 * rng.normal(size=model.nv))
    result = kg.assemble(model, q)
    assert loop_gap(model, result.q).distance <= 1e-9
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
    inputs = kg.kinematics.inputs_of(model)
    for mode in modes:
        assert loop_gap(model, mode.q).distance <= 1e-9
        for name_ in inputs:
            part = model.joint(name_).q
            np.testing.assert_allclose(mode.q[part], modes[0].q[part], atol=1e-12)


def test_a_planar_three_legged_robot_has_up_to_six_modes() -> None:
    model = kg.load("3-rrr").compile()
    counts = []
    rng = np.random.default_rng(2)
    for _ in range(12):
        q = model.start()
        for name in kg.kinematics.inputs_of(model):
            q[model.joint(name).q.start] += rng.normal() * 0.5
        try:
            counts.append(len(kg.assembly_modes(model, q, attempts=400)))
        except kg.errors.AssemblyError:
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
    legs = [model.joint(name).q.start for name in kg.kinematics.inputs_of(model)]
    poses = []
    for mode in modes:
        assert loop_gap(model, mode.q).distance <= 1e-9
        np.testing.assert_array_equal(mode.q[legs], model.start()[legs])
        X = kg.pose(model, mode.q, "platform")
        poses.append(np.append(X.translation, X.so3.matrix))
    apart = np.abs(np.array(poses)[:, None] - np.array(poses)).max(axis=2)
    # the two nearest are 0.155 apart in the largest of 12 numbers
    assert apart[~np.eye(40, dtype=bool)].min() > 0.15


def test_a_dead_point_is_a_mode_and_no_family() -> None:
    """Coupler and rocker are stretched: a motion of theirs begins and ends at once."""
    model = kg.load(four_bar(1, 2, 1, 4, 0, 0, 180, 0)).compile()
    (mode,) = kg.assembly_modes(model, inputs=["A"])
    assert mode.loose == 0


def test_a_family_of_poses_is_one_mode_and_hides_no_other() -> None:
    """Collapsed, Peaucellier's rhombus swings about its pivot: that fills any list of poses."""
    model = kg.load("peaucellier").compile()
    modes = kg.assembly_modes(model, most=6)
    assert sorted(mode.loose for mode in modes) == [0, 0, 0, 0, 1]


def test_inputs_that_leave_a_degree_of_freedom_are_refused() -> None:
    with pytest.raises(
        kg.errors.KinegenError, match="moves with 1 degree of freedom: its poses form a continuous"
    ):
        kg.assembly_modes(kg.load("bricard").compile())


def test_a_bar_too_long_is_named_with_the_shortage() -> None:
    model = kg.load("four-bar").compile()
    model.parameters["crank"] = 5.0
    with pytest.raises(kg.errors.AssemblyError) as caught:
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
    many = kg.kinematics.assemble_many(model, inputs)
    qs, gaps = many.q, many.gap
    assert gaps.max() <= 1e-9
    for i, q in enumerate(qs):
        assert loop_gap(model, q).distance <= 1e-9
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
    with pytest.raises(kg.errors.AssemblyError, match=r"stay open|beyond its joint limits"):
        kg.assemble(kg.load(text).compile(), attempts=50)


FLAT = """raff: 1
joints:
  - {name: A, parent: base, start: 90 deg, motor: true}
  - {name: B, parent: A, d: 0.3, start: -90 deg}
  - {name: D, parent: base, d: 0.4, start: 90 deg}
  - {name: C, parent: B, d: 0.4, closes: {onto: D, d: 0.3}}
"""


def degrees(model: kg.Model, q: np.ndarray, name: str) -> float:
    return float(np.degrees(q[model.joint(name).q.start]))


def test_what_the_file_states_stays_where_only_the_cut_joint_is_left_open() -> None:
    model = kg.load(FLAT).compile()
    made = kg.assemble(model)
    found = [degrees(model, made.q, name) for name in "ABDC"]
    assert found == pytest.approx([90, -90, 90, 90], abs=1e-7)
    assert [move.joint for move in made.moved] == ["C"]
    assert made.moved[0].by == pytest.approx([np.pi / 2])


@pytest.mark.parametrize("kind", ["spherical", "universal"])
def test_ball_and_universal_joints_in_the_cut_move_first(kind: str) -> None:
    text = FLAT.replace("{name: C, parent: B", f"{{name: C, type: {kind}, parent: B")
    if kind == "universal":
        text = text.replace("closes: {onto: D", "closes: {onto: D, alpha: 30 deg")
    model = kg.load(text).compile()
    made = kg.assemble(model)
    assert degrees(model, made.q, "A") == pytest.approx(90, abs=1e-9)
    assert kg.kinematics.loop_gap(model, made.q).distance <= 1e-9


def test_a_motor_stays_while_passive_joints_can_give_way() -> None:
    model = kg.load(FLAT.replace("d: 0.4, start: 90 deg", "d: 0.45, start: 90 deg")).compile()
    made = kg.assemble(model)
    assert degrees(model, made.q, "A") == pytest.approx(90, abs=1e-9)
    assert {move.joint for move in made.moved} == {"B", "D", "C"}


def test_a_motor_that_must_give_way_moves_as_little_as_possible() -> None:
    """The crank of a double rocker stands beyond its dead point, which is at acos(-0.25)."""
    text = """raff: 1
joints:
  - {name: A, parent: base, start: 120 deg, motor: true}
  - {name: B, parent: A, d: 1}
  - {name: D, parent: base, d: 1, start: 60 deg}
  - {name: C, parent: B, d: 0.5, closes: {onto: D, d: 1}}
"""
    model = kg.load(text).compile()
    made = kg.assemble(model)
    # coupler and rocker in one line: |crank end - D| = 1.5
    limit = np.degrees(np.arccos((1 + 1 - 1.5**2) / 2))
    assert degrees(model, made.q, "A") == pytest.approx(limit, abs=0.05)
    assert "A" in [move.joint for move in made.moved]
    # not in the dead point itself, where the motor would have no hold and efforts no bound
    assert kg.kinematics.singularities(model, made.q, inputs=["A"]).gain_distance > 1e-3


def test_a_slider_without_a_start_is_assembled_within_its_limits() -> None:
    text = """raff: 1
joints:
  - {name: A, parent: base, start: 40 deg, motor: true}
  - {name: B, parent: A, d: 0.3}
  - {name: S, parent: base, type: prismatic, rpy: [0, 90 deg, 0], limits: [0.7, 1.1]}
  - {name: C, parent: B, d: 0.6, closes: {onto: S, rpy: [0, -90 deg, 0]}}
"""
    model = kg.load(text).compile()
    slide = model.joint("S").q.start
    made = kg.assemble(model)
    assert 0.7 <= made.q[slide] <= 1.1
    x = 0.3 * np.cos(np.radians(40)) + np.sqrt(0.36 - (0.3 * np.sin(np.radians(40))) ** 2)
    assert made.q[slide] == pytest.approx(x, abs=1e-9)
    assert kg.Simulation(kg.load(text)).last.q[slide] == pytest.approx(x, abs=1e-9)


def scissor(stages: int) -> kg.Model:
    """A scissor lift: bars of length 2 crossing in their middles; A0 lifts it."""
    angle = 0.6
    rows = [
        f"{{name: S, parent: base, type: prismatic, rpy: [0, 90 deg, 0], "
        f"start: {2 * np.cos(angle)}}}",
        f"{{name: A0, parent: base, start: {angle}, motor: true}}",
    ]
    for k in range(stages):
        if k:
            rows.append(f"{{name: A{k}, parent: B{k - 1}, d: 1, start: {2 * angle} - 180 deg}}")
        rows.append(f"{{name: B{k}, parent: A{k}, d: 1, start: 180 deg - {2 * angle}}}")
        onto = f"A{k - 1}, d: 2" if k else "S, rpy: [0, -90 deg, 0]"
        rows.append(f"{{name: C{k}, parent: B{k}, xyz: [-1, 0, 0], closes: {{onto: {onto}}}}}")
    return kg.load("raff: 1\njoints:\n" + "".join(f"  - {row}\n" for row in rows)).compile()


def test_a_long_scissor_follows_its_held_input() -> None:
    model = scissor(50)
    made = kg.assemble(model, {"A0": 0.7}, locked=["A0"])
    assert not made.branch_changed
    assert made.q[model.joint("S").q.start] == pytest.approx(2 * np.cos(0.7), abs=1e-9)


def test_many_turns_are_followed_and_no_measure_ends_it() -> None:
    """A crank turns as often as it is asked to; what is too far to follow ends all the same."""
    model = kg.load("four-bar").compile()
    once = kg.assemble(model, {"crank": 1.0}, locked=["crank"])
    often = kg.assemble(model, {"crank": 1.0 + 40 * np.pi}, locked=["crank"])
    assert not often.branch_changed
    X = kg.forward(model, often.q)[:, 4:]
    assert X == pytest.approx(kg.forward(model, once.q)[:, 4:], abs=1e-9)
    for far in (1e6, 1e308):
        assert kg.assemble(model, {"crank": far}, locked=["crank"]).gap <= 1e-9


PARALLELOGRAM = """raff: 1
joints:
  - {name: A, parent: base, start: 90 deg, motor: true}
  - {name: B, parent: A, d: 0.3, start: -90 deg}
  - {name: D, parent: base, d: 0.4, start: 90 deg}
  - {name: C, parent: B, d: 0.4, start: 90 deg, closes: {onto: D, d: 0.3}}
"""


@pytest.mark.parametrize("angle", [-90, 0.5, 181, 270, 359, 451, -500])
def test_flat_poses_are_passed_on_the_same_branch(angle: float) -> None:
    """A parallelogram lies flat at 0 and 180°, where it could become an antiparallelogram."""
    model = kg.load(PARALLELOGRAM).compile()
    made = kg.assemble(model, {"A": np.radians(angle)}, locked=["A"])
    assert not made.branch_changed
    expected = angle * np.array([1, -1, 1, 1])
    assert np.degrees(made.q) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("end", "count"), [(450, 361), (-270, 361), (-270, 37), (450, 7)])
def test_sweeps_pass_flat_poses_whatever_their_steps(end: float, count: int) -> None:
    model = kg.load(PARALLELOGRAM).compile()
    values = np.radians(np.linspace(90, end, count))
    many = kg.kinematics.assemble_many(model, {"A": values})
    qs, gaps = many.q, many.gap
    assert gaps.max() < 1e-9
    assert qs[:, model.joint("D").q.start] == pytest.approx(values, abs=1e-3)


@pytest.mark.parametrize("far", [0.02, -0.3])
def test_a_whole_pose_stays_on_its_own_branch(far: float) -> None:
    model = kg.load("four-bar").compile()
    crank = model.joint("crank").q.start
    for mode in kg.assembly_modes(model):
        q = mode.q.copy()
        for _ in range(20):
            q[crank] += far
            made = kg.assemble(model, q, locked=["crank"])
            assert not made.branch_changed
            assert made.q[crank] == q[crank]
            assert np.abs(made.q - q).max() < 2 * abs(far)
            q = made.q


def test_a_branch_that_had_to_change_is_reported() -> None:
    """The crank's two ranges, one the mirror of the other, have no way between them."""
    text = """raff: 1
joints:
  - {name: A, parent: base, start: 60 deg}
  - {name: B, parent: A, d: 1}
  - {name: D, parent: base, d: 1.5, start: 120 deg}
  - {name: C, parent: B, d: 1.5, closes: {onto: D, d: 0.7}}
"""
    model = kg.load(text).compile()
    assert not kg.assemble(model, {"A": np.radians(50)}, locked=["A"]).branch_changed
    mirrored = kg.assemble(model, {"A": np.radians(-60)}, locked=["A"])
    assert degrees(model, mirrored.q, "A") == pytest.approx(-60)
    assert mirrored.branch_changed


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e4, 1e8])
def test_the_unit_of_length_does_not_matter(scale: float) -> None:
    text = f"""raff: 1
joints:
  - {{name: A, parent: base, start: 60 deg, motor: true}}
  - {{name: B, parent: A, d: {0.3 * scale}}}
  - {{name: D, parent: base, d: {0.5 * scale}, start: 80 deg}}
  - {{name: C, parent: B, d: {0.45 * scale}, closes: {{onto: D, d: {0.4 * scale}}}}}
"""
    model = kg.load(text).compile()
    assert len(kg.assembly_modes(model)) == 2
    assert kg.assemble(model).gap <= 1e-9 * scale


def test_modes_that_differ_by_orientation_alone_are_different() -> None:
    """A spherical four-bar: all joints lie in one point."""
    text = """raff: 1
joints:
  - {name: A, parent: base, start: 40 deg, motor: true}
  - {name: B, parent: A, alpha: 30 deg}
  - {name: D, parent: base, alpha: 50 deg}
  - {name: C, parent: B, alpha: 60 deg, closes: {onto: D, alpha: 70 deg}}
"""
    modes = kg.assembly_modes(kg.load(text).compile())
    assert len(modes) == 2


@pytest.mark.parametrize(("limit", "good"), [(20, False), (59, False), (61, True)])
def test_the_swing_of_a_ball_joint_has_a_limit(limit: float, good: bool) -> None:
    text = PARALLELOGRAM.replace(
        "start: 90 deg, closes: {onto: D, d: 0.3}",
        f"type: spherical, limits: {limit} deg, "
        "closes: {onto: D, xyz: [0.3, 0, 0], rpy: [60 deg, 0, 0]}",
    )
    model = kg.load(text).compile()
    if good:
        assert kg.assemble(model).gap <= 1e-9
    else:
        with pytest.raises(kg.errors.AssemblyError, match="closes only beyond its joint limits: C"):
            kg.assemble(model)


@pytest.mark.parametrize("turns", [1, -1, 3])
def test_a_held_joint_that_turns_all_round_takes_the_others_with_it(turns: int) -> None:
    model = kg.load("four-bar").compile()
    start, way = model.start(), 2 * np.pi * turns
    found = kg.assemble(model, {"crank": start[0] + way}, locked=["crank"])
    # the coupler turns back against the crank, the rocker swings and returns
    np.testing.assert_allclose(found.q - start, [way, -way, 0, 0], atol=1e-8)
    assert not found.branch_changed


def test_held_joints_that_contradict_each_other_are_named_with_their_values() -> None:
    model = kg.load("four-bar").compile()
    with pytest.raises(kg.errors.AssemblyError) as caught:
        kg.assemble(model, {"crank": np.pi / 2, "rocker": 1.0}, locked=["crank", "rocker"])
    text = str(caught.value)
    assert "do not close with crank = 90°, rocker = 57.296° all held" in text
    assert f"open by {caught.value.gap * 1000:.3g} mm" in text


@pytest.mark.parametrize("angle", [250, 300, -200, 720])
def test_three_straight_parallel_cranks_are_followed_from_their_flat_start(angle: float) -> None:
    model = kg.load("""raff: 1
name: three
joints:
  - {name: A, parent: base, start: 0, motor: true}
  - {name: B, parent: base, d: 1, start: 0}
  - {name: C, parent: base, d: 2, start: 0}
  - {name: rail, parent: A, d: 1, start: 0}
  - {name: b, parent: B, d: 1, start: 0, closes: {onto: rail, d: 1}}
  - {name: c, parent: C, d: 1, start: 0, closes: {onto: rail, d: 2}}
""").compile()
    found = kg.assemble(model, {"C": np.radians(angle)}, locked=["C"])
    assert not found.branch_changed
    np.testing.assert_allclose(np.degrees(found.q[:3]), angle, atol=1e-4)


def test_a_motor_without_a_start_gives_way_before_a_stated_joint() -> None:
    text = """raff: 1
joints:
  - {name: A, parent: base, MOTOR}
  - {name: B, parent: A, d: 0.1}
  - {name: D, parent: base, d: 0.2, start: 90 deg}
  - {name: C, parent: B, d: 0.25, closes: {onto: D, d: 0.25}}
"""
    model = kg.load(text.replace("MOTOR", "motor: true")).compile()
    assert kg.assemble(model).q[2] == np.pi / 2
    # a start that is stated is kept, though it is the same
    model = kg.load(text.replace("MOTOR", "motor: true, start: 0")).compile()
    found = kg.assemble(model).q
    assert found[0] == 0 and found[2] != np.pi / 2


@pytest.mark.parametrize("scale", [1e-12, 1e-9, 1e-6, 1.0, 1e6])
def test_limits_of_sliders_hold_at_any_size(scale: float) -> None:
    """Crank 0.3, rod 1: at 40° the slider is at 1.211, or at -0.751, beyond its limits."""
    model = kg.load(f"""raff: 1
joints:
  - {{name: A, parent: base, start: 40 deg, motor: true}}
  - {{name: P, parent: A, d: {0.3 * scale!r}, start: -60 deg}}
  - {{name: S, type: prismatic, parent: base, gamma: 90 deg, alpha: 90 deg,
     limits: [{0.7 * scale!r}, {1.25 * scale!r}]}}
  - {{name: W, parent: P, d: {scale!r}, closes: {{onto: S, alpha: -90 deg, theta: -90 deg}}}}
""").compile()
    at = 0.3 * np.cos(np.radians(40)) + np.sqrt(1 - (0.3 * np.sin(np.radians(40))) ** 2)
    assert kg.assemble(model).q[2] / scale == pytest.approx(at, abs=1e-9)
    assert len(kg.assembly_modes(model)) == 1
    assert len(kg.assembly_modes(model, limits=False)) == 2


@pytest.mark.parametrize(("joint", "start"), [("B", -3.0), ("B", 1.494), ("D", -2.2), ("D", 0.2)])
def test_of_two_ways_to_close_the_one_that_moves_stated_joints_least(
    joint: str, start: float, tmp_path: Path
) -> None:
    rows = [
        ("A", "parent: base, start: 0.7, motor: true"),
        ("B", "parent: A, d: 0.25"),
        ("D", "parent: base, d: 0.45"),
        ("C", "parent: B, d: 0.4, closes: {onto: D, d: 0.35}"),
    ]
    text = "raff: 1\njoints:\n" + "".join(
        f"  - {{name: {name}, {row}{f', start: {start}' if name == joint else ''}}}\n"
        for name, row in rows
    )
    (tmp_path / "bars.raff").write_text(text, encoding="utf-8")
    model = kg.load(tmp_path / "bars.raff").compile()
    i = model.joint(joint).q.start

    def way(q: Floats) -> float:
        return abs(math.remainder(q[i] - start, math.tau))

    modes = kg.assembly_modes(model)
    assert len(modes) == 2
    assert way(kg.assemble(model).q) == pytest.approx(min(way(mode.q) for mode in modes), abs=1e-9)
