"""Compiling: the graph's order, its refusals, and what each number of a file becomes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import CompileError
from kinegen.joint_types import JointType
from kinegen.mechanism.graph import (
    BASE,
    Closure,
    Frame,
    Joint,
    Mechanism,
    Parameter,
    Placement,
    PlacementKind,
)
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula

ZERO = Formula.constant(0.0)
ORIGIN = Placement(PlacementKind.KLEINFINGER, (ZERO,) * 6)


def along_x(d: str) -> Placement:
    return Placement(PlacementKind.KLEINFINGER, (ZERO, ZERO, ZERO, parse_formula(d), ZERO, ZERO))


def mechanism(*joints: Joint, **parameters: str) -> Mechanism:
    made = Mechanism("made")
    for name, text in parameters.items():
        made.parameters[name] = Parameter(name, parse_formula(text))
    for joint in joints:
        made.joints[joint.name] = joint
    return made


def hinge(name: str, parent: str, d: str = "0") -> Joint:
    return Joint(name, JointType.REVOLUTE, parent, along_x(d))


def cut(name: str, parent: str, onto: str) -> Joint:
    return Joint(name, JointType.REVOLUTE, parent, along_x("1"), closes=Closure(onto, along_x("2")))


# The graph


def test_order_of_rows_does_not_matter_to_where_things_are() -> None:
    rows = [hinge("A", BASE, "1"), hinge("B", "A", "2"), hinge("C", "B", "3"), hinge("D", "B", "4")]
    q = {"A": 0.3, "B": -0.7, "C": 1.1, "D": 0.2}
    wanted = kg.poses(mechanism(*rows).compile(), q)
    for order in itertools.permutations(rows):
        model = mechanism(*order).compile()
        assert [joint.name for joint in model.joints] == [joint.name for joint in order]
        for name, X in kg.poses(model, q).items():
            np.testing.assert_allclose(X.pose, wanted[name].pose, atol=1e-15)


def test_q_follows_the_order_of_the_file_even_when_children_come_first() -> None:
    model = kg.load(
        "raff: 1\njoints:\n- {name: hand, parent: arm, d: 1}\n- {name: arm, parent: base}\n"
    )
    compiled = model.compile()
    assert [joint.q for joint in compiled.joints] == [slice(0, 1), slice(1, 2)]
    # arm (second in q) turns by 90°: the hand's frame, 1 m along x, ends on y
    np.testing.assert_allclose(
        kg.pose(compiled, [0.0, math.pi / 2], "hand").translation, [0, 1, 0], atol=1e-15
    )


def test_parents_in_a_circle_are_named() -> None:
    with pytest.raises(CompileError, match=r"A, B of mechanism 'made' are not connected") as caught:
        mechanism(hinge("A", "B"), hinge("B", "A"), hinge("C", BASE)).compile()
    assert "`closes`" in str(caught.value)
    with pytest.raises(CompileError, match=r"links A of"):
        mechanism(hinge("A", "A")).compile()


def test_unknown_parents_get_a_suggestion() -> None:
    with pytest.raises(CompileError, match=r"joint 'B' sits on 'arn', .*did you mean 'arm'"):
        mechanism(hinge("arm", BASE), hinge("B", "arn")).compile()
    with pytest.raises(
        CompileError, match=r"cut joint 'C' closes onto 'arn', .*did you mean 'arm'"
    ):
        mechanism(hinge("arm", BASE), cut("C", BASE, "arn")).compile()
    made = mechanism(hinge("arm", BASE))
    made.frames["tool"] = Frame("tool", "amr", ORIGIN)
    with pytest.raises(CompileError, match=r"frame 'tool' sits on 'amr', .*did you mean 'arm'"):
        made.compile()


def test_nothing_sits_on_a_cut_joint() -> None:
    loop = (hinge("A", BASE), hinge("B", BASE), cut("C", "A", "B"))
    message = "'C' is a cut joint and carries no link"
    with pytest.raises(CompileError, match=rf"joint 'D' sits on 'C' .*{message}"):
        mechanism(*loop, hinge("D", "C")).compile()
    with pytest.raises(CompileError, match=rf"cut joint 'D' closes onto 'C' .*{message}"):
        mechanism(*loop, cut("D", "A", "C")).compile()
    made = mechanism(*loop)
    made.frames["tool"] = Frame("tool", "C", ORIGIN)
    with pytest.raises(CompileError, match=rf"frame 'tool' sits on 'C' .*{message}"):
        made.compile()


def test_a_cut_joint_needs_two_different_links() -> None:
    with pytest.raises(CompileError, match=r"'C' of .* both ends on link 'A'.*two different links"):
        mechanism(hinge("A", BASE), cut("C", "A", "A")).compile()


def test_names_are_unique() -> None:
    made = mechanism(hinge("A", BASE))
    made.frames["A"] = Frame("A", BASE, ORIGIN)
    with pytest.raises(CompileError, match=r"frame 'A' of .* has the name of a link or joint"):
        made.compile()
    loop = mechanism(hinge("A", BASE), hinge("B", BASE), cut("C", "A", "B"))
    loop.frames["C"] = Frame("C", "A", ORIGIN)
    with pytest.raises(CompileError, match=r"frame 'C'"):
        loop.compile()
    with pytest.raises(CompileError, match=r"two links of .* are called 'base'"):
        mechanism(hinge(BASE, BASE)).compile()
    twice = mechanism(hinge("A", BASE))
    twice.joints["other"] = hinge("A", BASE)
    with pytest.raises(CompileError, match=r"two links of .* are called 'A'"):
        twice.compile()


# Sizes


def test_a_mechanism_without_joints_is_its_base() -> None:
    model = mechanism().compile()
    assert (model.nq, model.nv, model.link_count, model.site_names) == (0, 0, 1, ("base",))
    np.testing.assert_array_equal(kg.forward(model), [[1, 0, 0, 0, 0, 0, 0]])
    assert kg.jacobian(model, None, "base").shape == (6, 0)
    assert kg.kinematics.augmented_jacobian(
        model, None, [kg.kinematics.FrameTask("base")]
    ).shape == (
        6,
        0,
    )
    assert kg.kinematics.loop_gap(model).largest == 0.0


def test_frames_on_the_base_need_no_joint() -> None:
    model = kg.load("raff: 1\nframes:\n- {name: table, parent: base, xyz: [1, 2, 3]}\n").compile()
    np.testing.assert_array_equal(kg.pose(model).pose, [1, 0, 0, 0, 1, 2, 3])


def test_cut_joints_alone_have_no_links_to_close() -> None:
    with pytest.raises(CompileError, match=r"closes onto 'B'.*cut joint and carries no link"):
        mechanism(cut("A", BASE, "B"), cut("B", BASE, "A")).compile()
    with pytest.raises(CompileError, match=r"both ends on link 'base'"):
        mechanism(cut("A", BASE, BASE)).compile()


def test_a_loop_of_fixed_joints_has_a_residual_and_no_degree_of_freedom() -> None:
    fixed = Joint("A", JointType.FIXED, BASE, along_x("1"))
    weld = Joint("C", JointType.FIXED, "A", along_x("1"), closes=Closure(BASE, along_x("1.5")))
    model = mechanism(fixed, weld).compile()
    assert (model.nv, len(model.loops)) == (0, 1)
    np.testing.assert_allclose(kg.kinematics.loop_residual(model), [0.5, 0, 0, 0, 0, 0], atol=1e-15)
    assert kg.kinematics.loop_jacobian(model).shape == (6, 0)
    assert kg.kinematics.augmented_jacobian(model, None, [kg.kinematics.FrameTask("A")]).shape == (
        12,
        0,
    )


def test_a_chain_of_2000_joints_compiles_and_reaches_its_end() -> None:
    links = [BASE, *(f"j{i}" for i in range(2000))]
    chain = [hinge(name, parent, "step") for parent, name in itertools.pairwise(links)]
    model = mechanism(*reversed(chain), step="1 mm").compile()
    np.testing.assert_allclose(kg.pose(model, None, "j1999").translation, [2, 0, 0], atol=1e-9)
    model.parameters["step"] = 0.002
    np.testing.assert_allclose(kg.pose(model, None, "j1999").translation, [4, 0, 0], atol=1e-9)


def test_several_end_frames_follow_their_links() -> None:
    model = kg.load("""raff: 1
joints:
  - {name: trunk, parent: base}
  - {name: left, parent: trunk, d: 1}
  - {name: right, parent: trunk, d: -1}
frames:
  - {name: left_tip, parent: left, d: 2}
  - {name: right_tip, parent: right, d: -2}
  - {name: origin, parent: base}
""").compile()
    assert model.site_names == ("base", "trunk", "left", "right", "left_tip", "right_tip", "origin")
    X = kg.poses(model, {"left": math.pi / 2})
    np.testing.assert_allclose(X["left_tip"].translation, [1, 2, 0], atol=1e-15)
    np.testing.assert_allclose(X["right_tip"].translation, [-3, 0, 0], atol=1e-15)
    # a frame only moves with the joints below it
    np.testing.assert_array_equal(kg.jacobian(model, None, "left_tip")[:, 2], np.zeros(6))
    np.testing.assert_array_equal(kg.jacobian(model, None, "origin"), np.zeros((6, 3)))


def test_several_robots_stand_in_one_model() -> None:
    model = kg.load("""raff: 1
robots:
  - {name: left, include: five-bar}
  - {name: right, include: five-bar, at: {xyz: [1, 0, 0], rpy: [0, 0, 180 deg]}}
""").compile()
    single = kg.load("five-bar").compile()
    assert model.nq == 2 * single.nq
    assert len(model.loops) == 2
    handle = kg.pose(single, None, "handle").translation
    np.testing.assert_allclose(kg.pose(model, None, "left.handle").translation, handle, atol=1e-15)
    x, y, _ = handle
    np.testing.assert_allclose(
        kg.pose(model, None, "right.handle").translation, [1 - x, -y, 0], atol=1e-15
    )
    # each robot has parameters of its own
    model.parameters["left.crank"] = 0.2
    assert model.parameters["right.crank"] == 0.15
    assert model.number("left.B", "d") == 0.2
    assert model.number("right.B", "d") == 0.15


# Numbers


def test_floating_bases_and_ball_joints_start_where_the_file_says() -> None:
    model = kg.load("""raff: 1
joints:
  - {name: body, type: free, parent: base, start: {xyz: [1, 2, 3], rpy: [0, 0, 90 deg]}}
  - {name: neck, type: spherical, parent: body, start: [90 deg, 0, 0]}
  - {name: other, type: spherical, parent: body, start: [0, 0, 0.6, 0.8]}
  - {name: loose, type: free, parent: base}
""").compile()
    h = math.sqrt(0.5)
    q = model.start()
    np.testing.assert_allclose(q[model.joint("body").q], [h, 0, 0, h, 1, 2, 3], atol=1e-15)
    np.testing.assert_allclose(q[model.joint("neck").q], [h, h, 0, 0], atol=1e-15)
    np.testing.assert_allclose(q[model.joint("other").q], [0, 0, 0.6, 0.8], atol=1e-15)
    np.testing.assert_array_equal(q[model.joint("loose").q], [1, 0, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(q[model.joint("loose").q], model.zero()[model.joint("loose").q])
    assert (model.nq, model.nv) == (7 + 4 + 4 + 7, 6 + 3 + 3 + 6)


@pytest.mark.parametrize(
    ("limits", "start"), [((-1, 1), 0.0), ((0.5, 1), 0.5), ((-2, -0.25), -0.25)]
)
def test_a_start_that_is_not_given_is_zero_or_the_nearest_limit(
    limits: tuple[float, float], start: float
) -> None:
    joint = hinge("A", BASE)
    joint.limits = ((Formula.constant(limits[0]), Formula.constant(limits[1])),)
    model = mechanism(joint).compile()
    assert model.start().tolist() == [start]
    assert (model.lower.tolist(), model.upper.tolist()) == ([limits[0]], [limits[1]])


def test_limits_and_defaults_of_joints_with_several_variables() -> None:
    joint = Joint("A", JointType.CYLINDRICAL, BASE, ORIGIN)
    joint.limits = (None, (Formula.constant(0.1), parse_formula("top")))
    model = mechanism(joint, top="0.4").compile()
    assert model.start().tolist() == [0.0, 0.1]
    assert model.lower.tolist() == [-math.inf, 0.1]
    assert model.upper.tolist() == [math.inf, 0.4]
    model.parameters["top"] = 0.5
    assert model.upper.tolist() == [math.inf, 0.5]
    assert model.number("A", "upper.r") == 0.5


def test_motors_give_speed_and_effort_per_degree_of_freedom() -> None:
    model = kg.load("""raff: 1
parameters: {stall: 3}
joints:
  - {name: A, parent: base, motor: {torque: stall, speed: 60 rpm}}
  - {name: B, type: prismatic, parent: A, motor: {force: 20, speed: 0.5}}
  - {name: C, type: universal, parent: B, motor: [{torque: 1}, none]}
  - {name: D, parent: C, motor: true}
  - {name: E, parent: D}
""").compile()
    inf = math.inf
    assert [j.has_motor for j in model.joints] == [True, True, True, True, False]
    assert model.effort.tolist() == [3, 20, 1, inf, inf, inf]
    np.testing.assert_allclose(model.speed, [math.tau, 0.5, inf, inf, inf, inf])
    model.parameters["stall"] = 4
    assert model.effort[0] == 4


def test_mass_centre_and_inertia_reach_the_model() -> None:
    model = kg.load("""raff: 1
parameters: {m: 2}
base: {mass: 10}
joints:
  - {name: A, parent: base, mass: m/2, centre: [0.1, 0, 0], inertia: [1, 2, 3]}
  - {name: B, parent: A, inertia: [1, 2, 3, 0.1, 0.2, 0.3]}
""").compile()
    np.testing.assert_array_equal(model.inertia[0], [10, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(model.inertia[1], [1, 0.1, 0, 0, 1, 2, 3, 0, 0, 0])
    np.testing.assert_array_equal(model.inertia[2, 4:], [1, 2, 3, 0.1, 0.2, 0.3])
    assert model.inertia[2, 0] > 0  # from its shape
    model.parameters["m"] = 3
    assert model.inertia[1, 0] == 1.5


def test_starts_of_the_wrong_size_and_screws_without_pitch_are_refused() -> None:
    joint = Joint("A", JointType.UNIVERSAL, BASE, ORIGIN, start=(ZERO,))
    with pytest.raises(CompileError, match=r"start of joint 'A' \(universal\) .* 2 numbers, got 1"):
        mechanism(joint).compile()
    with pytest.raises(CompileError, match=r"screw joint 'A' of .* needs a pitch"):
        mechanism(Joint("A", JointType.SCREW, BASE, ORIGIN)).compile()


# Parameters and formulas


def test_a_chain_of_5000_parameters_runs_from_end_to_end() -> None:
    chain = {"p0": "1 mm", **{f"p{i}": f"p{i - 1} + 1 mm" for i in range(1, 5000)}}
    model = mechanism(hinge("A", BASE, "p4999"), **chain).compile()
    assert model.number("A", "d") == pytest.approx(5.0)
    # only the free parameter has dependents: 5000 of them, not 5000 · 5000 / 2
    assert model.counts.dependent == 5000
    model.parameters["p0"] = 1.001
    assert model.number("A", "d") == pytest.approx(6.0)
    assert kg.pose(model, None, "A").translation[0] == pytest.approx(6.0)


def test_parameters_may_stand_in_any_order() -> None:
    made = mechanism(hinge("A", BASE, "total"), total="2*half", half="whole/2", whole="0.3")
    model = made.compile()
    assert list(model.parameters) == ["total", "half", "whole"]
    model.parameters["whole"] = 0.5
    assert dict(model.parameters) == {"total": 0.5, "half": 0.25, "whole": 0.5}
    assert model.number("A", "d") == 0.5


def test_cycles_of_parameters_are_named() -> None:
    with pytest.raises(CompileError, match=r"depend on each other") as caught:
        mechanism(a="b + 1", b="c", c="2*a", d="1").compile()
    cycle = str(caught.value).split(": ")[1].split(" -> ")
    assert cycle[0] == cycle[-1]
    assert set(cycle) == {"a", "b", "c"}
    # each needs the one behind it
    needs = {"a": "b", "b": "c", "c": "a"}
    assert all(needs[one] == other for one, other in itertools.pairwise(cycle))
    with pytest.raises(CompileError, match=r"a -> a"):
        mechanism(a="a").compile()


def test_unknown_parameters_get_a_suggestion() -> None:
    with pytest.raises(CompileError, match=r"'half' .* needs 'crnk'.*did you mean 'crank'"):
        mechanism(crank="1", half="crnk/2").compile()
    with pytest.raises(CompileError, match=r"'d' of 'A' .*needs 'crnk'.*did you mean 'crank'"):
        mechanism(hinge("A", BASE, "2*crnk"), crank="1").compile()


def test_formulas_without_a_value_say_why() -> None:
    with pytest.raises(CompileError, match=r"parameter b of .*1/a.*division by zero"):
        mechanism(a="0", b="1/a").compile()
    with pytest.raises(CompileError, match=r"'d' of 'A' of .*sqrt.*not negative"):
        mechanism(hinge("A", BASE, "sqrt(a)"), a="-1").compile()
    with pytest.raises(CompileError, match=r"too large"):
        mechanism(a="1e300", b="a*a").compile()


def test_deep_formulas_compile_up_to_the_stack_and_are_refused_beyond() -> None:
    def nested(levels: int) -> str:  # two values wait on the stack per level
        return "p+p*(" * levels + "p" + ")" * levels

    model = mechanism(hinge("A", BASE, nested(31)), p="0.5").compile()
    wanted = parse_formula(nested(31)).evaluate({"p": 0.25})
    model.parameters["p"] = 0.25
    assert model.number("A", "d") == pytest.approx(wanted, rel=1e-15)
    with pytest.raises(
        CompileError, match=r"'d' of 'A' = .*nested too deeply; split it with a para"
    ):
        mechanism(hinge("A", BASE, nested(32)), p="0.5").compile()


def test_negative_zero_keeps_its_sign_beside_zero() -> None:
    # atan2(0, -0.0) is half a turn, atan2(0, 0.0) none: the two constants are not one
    made = mechanism(hinge("A", BASE, "atan2(0*p, 0)"), hinge("B", BASE, "atan2(0*p, -0)"), p="1")
    model = made.compile()
    assert model.number("A", "d") == 0.0
    assert model.number("B", "d") == pytest.approx(math.pi)


def test_formulas_give_the_same_after_an_edit_as_after_compiling_again() -> None:
    texts = (
        "sin(p) + cos(p)*tan(p/3)", "asin(p/9) - acos(p/9) + atan(p)", "atan2(p, 2) + sqrt(p)",
        "abs(-p) + min(p, 1, 2) - max(p, 1.5)", "exp(p/4) + log(p + 1)",
        "hypot(p, 3, 4) + sign(-p)",
        "floor(p*1.5) + ceil(p*1.7) + round(p + 0.5)", "p^2 - 2**p + -p/7", "(p) deg + 3 mm*p",
    )  # fmt: skip
    for text in texts:
        model = mechanism(hinge("A", BASE, text), p="1.25").compile()
        for value in (0.5, 2.0, 3.75):
            model.parameters["p"] = value
            again = mechanism(hinge("A", BASE, text), p=str(value)).compile()
            assert model.number("A", "d") == pytest.approx(again.number("A", "d"), rel=1e-14), text


def test_a_placement_by_rpy_keeps_its_pitch_angle() -> None:
    """Only screws have a pitch per turn; elsewhere the word is the angle."""
    model = kg.load("""raff: 1
robots: [{name: left, include: five-bar, at: {rpy: [0, 90 deg, 0]}}]
""").compile()
    assert model.number("left", "pitch") == pytest.approx(math.pi / 2)
    model.set_number("left", "pitch", 0.25)
    assert kg.pose(model, None, "left").so3.rpy[1] == pytest.approx(0.25)
    screw = kg.load(
        "raff: 1\njoints: [{name: A, type: screw, parent: base, pitch: 2 mm}]\n"
    ).compile()
    assert screw.number("A", "pitch") == 0.002


def test_compiling_twice_gives_equal_models_that_do_not_share_numbers() -> None:
    made = kg.load("stewart")
    first, second = made.compile(), made.compile()
    np.testing.assert_array_equal(first.ints, second.ints)
    np.testing.assert_array_equal(first.reals, second.reals)
    first.parameters["radius"] = 0.7
    assert second.parameters["radius"] == 1.0


ON_FRAMES = """raff: 1
base: {name: world}
parameters: {h: 100 mm}
joints:
  - {name: base, parent: world, motor: true}
  - {name: arm/upper, parent: mount, d: 0.2, theta: 20 deg}
  - {name: C, parent: "tip:1", closes: {onto: pivot, d: 0.3}}
frames:
  - {name: mount, parent: shelf, xyz: [0, 0, h], rpy: [90 deg, 0, 0]}
  - {name: shelf, parent: base, xyz: [h, 0, 0], rpy: [0, 0, 90 deg]}
  - {name: "tip:1", parent: arm/upper, d: 0.2}
  - {name: pivot, parent: world, d: 0.1}
""".replace("name: arm/upper,", 'name: "arm/upper",')


def test_joints_and_loops_sit_on_frames() -> None:
    """The composed transform is the product of those along the chain, live."""
    model = kg.load(ON_FRAMES).compile()
    assert model.link_names == ("world", "base", "arm/upper")
    joint = model.joint("arm/upper")
    assert model.link_names[joint.parent] == "base"

    def matrix(name: str) -> np.ndarray:
        return np.asarray(kg.poses(model, model.zero())[name].matrix)

    for h, shelf in ((0.1, 0.1), (0.4, 0.25)):
        model.parameters["h"] = h
        if shelf != h:
            mechanism = kg.load(ON_FRAMES)
            mechanism.set_value("shelf", "xyz", [shelf, 0, 0])
            model = mechanism.compile()
            model.parameters["h"] = h
        assert np.allclose(matrix("mount")[:3, 3], [shelf, 0, h], atol=1e-15)
        placed = np.eye(4)
        placed[:3, :3] = model.transforms[joint.placement, :9].reshape(3, 3)
        placed[:3, 3] = model.transforms[joint.placement, 9:]
        c, s = math.cos(math.radians(20)), math.sin(math.radians(20))
        own = np.array([[c, -s, 0, 0.2], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        assert np.allclose(placed, matrix("mount") @ own, atol=1e-15)
        assert np.allclose(matrix("arm/upper"), placed, atol=1e-15)
    model.set_number("shelf", "z", 0.5)
    assert np.allclose(matrix("arm/upper")[2, 3], 0.9, atol=1e-15)
    landing = model.transforms[model.loops[0].placement, 9:]
    assert np.allclose(landing, [0.4, 0, 0], atol=1e-15)
    model.set_number("pivot", "d", 0.3)
    assert np.allclose(landing, [0.6, 0, 0], atol=1e-15)


def test_frames_in_a_cycle_are_refused() -> None:
    mechanism = Mechanism("m", frames={n: Frame(n, o, ORIGIN) for n, o in ("ab", "ba")})
    with pytest.raises(CompileError, match="frames sit on each other in a cycle"):
        mechanism.compile()
