"""Serial arms and trees of the library against formulas, published poses and data sheets."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

import kinegen as kg

ROUNDING = 1e-12  # products of a dozen 4x4 matrices with entries of about 1
CAD_ROUNDING = 1e-6  # m, rad: the SO-101's CAD export rounds its base frame in the sixth digit

CITED = "ur5e franka so101 puma560 irb2400 pa10 lynx6 a255 pioneer2 rhino-xr3 teachmover".split()
REPRESENTATIVE = "serial-5 redundant-7 bionic-3 amtec-7 cart crawler arm-6".split()
ALL = [*CITED, *REPRESENTATIVE, "humanoid-30"]

Matrix = np.ndarray
DhRow = tuple[float, float, float]
"""a [m], alpha [deg], d [m] of one row of a standard D-H table."""

UR5E: list[DhRow] = [
    (0, 90, 0.1625),
    (-0.425, 0, 0),
    (-0.3922, 0, 0),
    (0, 90, 0.1333),
    (0, -90, 0.0997),
    (0, 0, 0.0996),
]
PUMA: list[DhRow] = [
    (0, 90, 0.672),
    (0.4318, 0, 0),
    (0.0203, -90, 0.15005),
    (0, 90, 0.4318),
    (0, -90, 0),
    (0, 0, 0),
]
FRANKA: list[DhRow] = [
    (0, -90, 0.333),
    (0, 90, 0),
    (0.0825, 90, 0.316),
    (-0.0825, -90, 0),
    (0, 90, 0.384),
    (0.088, 90, 0),
    (0, 0, 0.107),
]
PA10: list[DhRow] = [
    (0, -90, 0.315),
    (0, 90, 0),
    (0, -90, 0.45),
    (0, 90, 0),
    (0, -90, 0.5),
    (0, 90, 0),
    (0, 0, 0.08),
]
RHINO: list[DhRow] = [
    (0, -90, 0.2604),
    (0.2286, 0, 0),
    (0.2286, 0, 0),
    (0.0095, -90, 0),
    (0, 0, 0.1683),
]


def turn(axis: str, angle: float) -> Matrix:
    """Rotation about a coordinate axis, 4x4."""
    i = "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    X = np.eye(4)
    X[j, j] = X[k, k] = math.cos(angle)
    X[k, j] = math.sin(angle)
    X[j, k] = -math.sin(angle)
    return X


def shift(x: float = 0, y: float = 0, z: float = 0) -> Matrix:
    """Translation, 4x4."""
    X = np.eye(4)
    X[:3, 3] = x, y, z
    return X


def standard_dh(rows: Sequence[DhRow], q: Sequence[float]) -> list[Matrix]:
    """Poses of the link frames after each row of a standard (distal) D-H table."""
    X, poses = np.eye(4), []
    for (a, alpha, d), angle in zip(rows, q, strict=True):
        X = X @ turn("z", angle) @ shift(a, 0, d) @ turn("x", math.radians(alpha))
        poses.append(X)
    return poses


def matrix(pose: kg.SE3) -> Matrix:
    """An SE3 value as a 4x4 matrix."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = pose.rotation, pose.translation
    return X


def compiled(name: str) -> kg.Model:
    return kg.load(name).compile()


def tool(model: kg.Model, q: np.ndarray, frame: str = "tool") -> Matrix:
    return matrix(kg.pose(model, q, frame))


def at(model: kg.Model, **values: float) -> np.ndarray:
    """The zero pose with some one-variable joints turned."""
    q = model.zero()
    for joint in model.joints:
        if joint.name in values:
            q[joint.q] = values.pop(joint.name)
    assert not values, f"no joints {list(values)}"
    return q


def random_q(count: int, seed: int = 0, reach: float = 2.5) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-reach, reach, count)


# Every file


@pytest.mark.parametrize("name", ALL)
def test_says_what_it_is_and_where_its_numbers_come_from(name: str) -> None:
    mechanism = kg.load(name)
    assert mechanism.name == name
    assert mechanism.title and mechanism.description and mechanism.source
    assert len(mechanism.source) > 60
    assert mechanism.parameters, "every length should be a slider"
    assert ("Representative" in mechanism.source) == (name not in CITED)
    assert "tool" in mechanism.frames


@pytest.mark.parametrize("name", ALL)
def test_starts_inside_its_limits_and_above_the_ground(name: str) -> None:
    mechanism = kg.load(name)
    model = mechanism.compile()
    q = model.start()
    for joint in model.joints:
        limits = mechanism.joints[joint.name].limits
        if joint.type is kg.JointType.SPHERICAL or not limits or limits[0] is None:
            continue
        low, high = (bound.evaluate(dict(model.parameters)) for bound in limits[0])
        assert low - ROUNDING <= q[joint.q][0] <= high + ROUNDING, joint.name
    for site in model.site_names:
        assert kg.pose(model, q, site).translation[2] > -ROUNDING, site


@pytest.mark.parametrize("name", ALL)
def test_start_is_not_the_zero_pose(name: str) -> None:
    model = compiled(name)
    assert np.abs(np.asarray(model.start()) - np.asarray(model.zero())).max() > 0.05


@pytest.mark.parametrize(
    ("name", "joints", "nq", "nv"),
    [
        ("serial-5", 5, 5, 5),
        ("redundant-7", 7, 7, 7),
        ("lynx6", 6, 6, 6),
        ("bionic-3", 3, 3, 3),
        ("a255", 5, 5, 5),
        ("irb2400", 6, 6, 6),
        ("pioneer2", 5, 5, 5),
        ("puma560", 6, 6, 6),
        ("rhino-xr3", 5, 5, 5),
        ("teachmover", 5, 5, 5),
        ("pa10", 7, 7, 7),
        ("amtec-7", 9, 9, 9),
        ("cart", 7, 7 + 6, 6 + 6),
        ("crawler", 4, 7 + 3, 6 + 3),
        ("arm-6", 6, 6, 6),
        ("humanoid-30", 13, 7 + 6 * 4 + 6, 30),
        ("ur5e", 6, 6, 6),
        ("franka", 7, 7, 7),
        ("so101", 6, 6, 6),
    ],
)
def test_has_its_degrees_of_freedom(name: str, joints: int, nq: int, nv: int) -> None:
    model = compiled(name)
    assert (len(model.joints), model.nq, model.nv) == (joints, nq, nv)


@pytest.mark.parametrize("name", ALL)
def test_given_inertias_belong_to_real_bodies(name: str) -> None:
    mechanism = kg.load(name)
    values = dict(mechanism.compile().parameters)
    for joint in mechanism.joints.values():
        if joint.link.mass is not None:
            assert joint.link.mass.evaluate(values) > 0
        if joint.link.inertia is None:
            continue
        xx, yy, zz, xy, xz, yz = (number.evaluate(values) for number in joint.link.inertia)
        a, b, c = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        assert a > 0
        # A rigid body has a + b >= c; the PUMA's measured link 3 misses that by 9 %.
        assert a + b >= 0.9 * c, joint.name


# Arms with a published standard D-H table


@pytest.mark.parametrize(
    ("name", "frame", "table"),
    [
        ("ur5e", "tool", UR5E),
        ("puma560", "wrist_centre", PUMA),
        ("franka", "flange", FRANKA),
        ("pa10", "tool", PA10),
        ("rhino-xr3", "tool", RHINO),
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_the_published_dh_table(
    name: str, frame: str, table: list[DhRow], seed: int
) -> None:
    q = random_q(len(table), seed)
    expected = standard_dh(table, q)[-1]
    np.testing.assert_allclose(tool(compiled(name), q, frame), expected, atol=ROUNDING)


@pytest.mark.parametrize(
    ("name", "frame", "degrees", "position"),
    [
        # Zero pose as the robot's own teach panel shows it.
        ("ur5e", "tool", [0] * 6, [-0.8172, -0.2329, 0.0628]),
        # Corke's nominal pose qn (elbow pi there, -pi here: same angle, within the range).
        ("puma560", "wrist_centre", [0, 45, -180, 0, 45, 0], [0.5963, -0.1501, 0.6576]),
        # The ready pose of the Franka examples, flange and hand.
        ("franka", "flange", [0, -45, 0, -135, 0, 90, 45], [0.306891, 0, 0.590282]),
        ("franka", "tool", [0, -45, 0, -135, 0, 90, 45], [0.306891, 0, 0.486882]),
    ],
)
def test_stands_where_the_literature_says(
    name: str, frame: str, degrees: list[float], position: list[float]
) -> None:
    pose = tool(compiled(name), np.radians(degrees), frame)
    np.testing.assert_allclose(pose[:3, 3], position, atol=1e-4)  # printed with four digits


def test_franka_hand_points_straight_down_when_ready() -> None:
    pose = tool(compiled("franka"), np.radians([0, -45, 0, -135, 0, 90, 45]))
    np.testing.assert_allclose(pose[:3, :3], np.diag([1, -1, -1]), atol=ROUNDING)


@pytest.mark.parametrize(
    ("name", "table", "centres"),
    [
        (
            "ur5e",
            UR5E,
            {
                "shoulder_pan": [0, -0.02561, 0.00193],
                "shoulder_lift": [0.2125, 0, 0.11336],
                "elbow": [0.15, 0, 0.0265],
                "wrist_1": [0, -0.0018, 0.01634],
                "wrist_2": [0, 0.0018, 0.01634],
                "wrist_3": [0, 0, -0.001159],
            },
        ),
        (
            "puma560",
            PUMA,
            {
                "waist": [0, 0, 0],
                "shoulder": [-0.3638, 0.006, 0.2275],
                "elbow": [-0.0203, -0.0141, 0.07],
                "wrist_1": [0, 0.019, 0],
                "wrist_2": [0, 0, 0],
                "wrist_3": [0, 0, 0.032],
            },
        ),
    ],
)
def test_centres_of_mass_are_the_published_ones(
    name: str, table: list[DhRow], centres: dict[str, list[float]]
) -> None:
    """Published in standard D-H frames, kept in modified ones: the same points of the world."""
    mechanism = kg.load(name)
    model = mechanism.compile()
    q = random_q(6, seed=5)
    for X_WL, (link, centre) in zip(standard_dh(table, q), centres.items(), strict=True):
        given = mechanism.joints[link].link.centre
        ours = [c.evaluate({}) for c in given] if given else [0, 0, 0]
        np.testing.assert_allclose(
            tool(model, q, link) @ [*ours, 1], X_WL @ [*centre, 1], atol=ROUNDING
        )


# Arms known from other descriptions


@pytest.mark.parametrize("seed", range(4))
def test_irb2400_agrees_with_abbs_axes(seed: int) -> None:
    q = random_q(6, seed)
    expected = (
        turn("z", q[0])
        @ shift(0.1, 0, 0.615)
        @ turn("y", q[1])
        @ shift(0, 0, 0.705)
        @ turn("y", q[2])
        @ shift(0, 0, 0.135)
        @ turn("x", q[3])
        @ shift(0.755)
        @ turn("y", q[4])
        @ turn("x", q[5])
        @ shift(0.085)
        @ turn("y", math.pi / 2)
    )
    np.testing.assert_allclose(tool(compiled("irb2400"), q), expected, atol=ROUNDING)


def test_irb2400_reaches_as_far_as_its_data_sheet_says() -> None:
    """1.55 m to the wrist, with the elbow at its stop: the ranges matter, not only the lengths."""
    model = compiled("irb2400")
    reaches = [
        tool(model, at(model, axis2=math.radians(lean), axis3=math.radians(-60)), "wrist")[0, 3]
        for lean in range(0, 111)
    ]
    assert max(reaches) == pytest.approx(1.55, abs=1e-3)


SO101_CHAIN = [  # xyz [m], rpy [quarter turns] of the URDF's joints, from the base frame
    ("shoulder_pan", (0, -0.0388353, 0.0624), (-2, 0, 1)),
    ("shoulder_lift", (-0.0303992, -0.0182778, -0.0542), (-1, -1, 0)),
    ("elbow_flex", (-0.11257, -0.028, 0), (0, 0, 1)),
    ("wrist_flex", (-0.1349, 0.0052, 0), (0, 0, -1)),
    ("wrist_roll", (0, -0.0611, 0.0181), (1, 0, 2)),
    ("gripper", (0.0202, 0.0188, -0.0234), (1, 0, 0)),
]
SO101_CENTRES = {
    "shoulder_pan": (-0.0307604, -1.66727e-05, -0.0252713),
    "shoulder_lift": (-0.0898471, -0.00838224, 0.0184089),
    "elbow_flex": (-0.0980701, 0.00324376, 0.0182831),
    "wrist_flex": (-0.000103312, -0.0386143, 0.0281156),
    "wrist_roll": (0.000213627, 0.000245138, -0.025187),
    "gripper": (-0.00157495, -0.0300244, 0.0192755),
}


@pytest.mark.parametrize("seed", range(4))
def test_so101_agrees_with_its_urdf(seed: int) -> None:
    mechanism = kg.load("so101")
    model = mechanism.compile()
    q = random_q(6, seed, reach=1.6)
    X = turn("z", math.pi / 2)  # the URDF's base looks along -y
    for (name, xyz, quarters), angle in zip(SO101_CHAIN, q, strict=True):
        roll, pitch, yaw = (n * math.pi / 2 for n in quarters)
        X = X @ shift(*xyz) @ turn("z", yaw) @ turn("y", pitch) @ turn("x", roll) @ turn("z", angle)
        ours = tool(model, q, name)
        np.testing.assert_allclose(ours[:3, 2], X[:3, 2], atol=CAD_ROUNDING)
        centre = [c.evaluate({}) for c in mechanism.joints[name].link.centre]
        np.testing.assert_allclose(
            ours @ [*centre, 1], X @ [*SO101_CENTRES[name], 1], atol=CAD_ROUNDING
        )
        if name == "wrist_roll":
            tip = X @ [-0.0079, -0.000218121, -0.0981274, 1]
            np.testing.assert_allclose(tool(model, q)[:3, 3], tip[:3], atol=CAD_ROUNDING)


@pytest.mark.parametrize(
    ("name", "lengths"),
    [
        ("a255", [0.254, 0.254, 0.254, 0.0508]),
        ("teachmover", [7.625 * 0.0254, 7 * 0.0254, 7 * 0.0254, 3.8 * 0.0254]),
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_five_axis_arm_is_a_planar_chain_on_a_turntable(
    name: str, lengths: list[float], seed: int
) -> None:
    q = random_q(5, seed)
    pitches = np.cumsum(q[1:4])
    out = float(np.dot(lengths[1:], np.cos(pitches)))
    up = lengths[0] + float(np.dot(lengths[1:], np.sin(pitches)))
    pose = tool(compiled(name), q)
    expected = [out * math.cos(q[0]), out * math.sin(q[0]), up]
    np.testing.assert_allclose(pose[:3, 3], expected, atol=ROUNDING)
    approach = turn("z", q[0]) @ [math.cos(pitches[2]), 0, math.sin(pitches[2]), 0]
    np.testing.assert_allclose(pose[:3, 2], approach[:3], atol=ROUNDING)


@pytest.mark.parametrize(
    ("name", "frame", "height", "reach"),
    [
        ("a255", "tool", 0.254, 0.559),  # user guide: 559 mm to the flange
        ("pa10", "tool", 0.315, 1.03),  # 450 + 500 + 80 mm
    ],
)
def test_reaches_as_far_as_the_maker_says(
    name: str, frame: str, height: float, reach: float
) -> None:
    model = compiled(name)
    stretched = tool(model, model.zero(), frame)[:3, 3] - [0, 0, height]
    assert np.linalg.norm(stretched) == pytest.approx(reach, rel=0.01)


@pytest.mark.parametrize("seed", range(4))
def test_pioneer2_agrees_with_gans_equations(seed: int) -> None:
    """Gan and others 2005: position of the gripper from the five joint angles."""
    l1, l2, l4, l5 = 0.06875, 0.16, 0.13775, 0.11321
    q = random_q(5, seed)
    (c2, s2), (c4, s4), (c5, s5) = ((math.cos(q[i]), math.sin(q[i])) for i in (1, 3, 4))
    c23, s23 = math.cos(q[1] + q[2]), math.sin(q[1] + q[2])
    ahead = l5 * (c23 * c5 - s23 * c4 * s5) + l4 * c23 + l2 * c2 + l1
    aside = -l5 * s4 * s5
    up = l5 * (s23 * c5 + c23 * c4 * s5) + l4 * s23 + l2 * s2
    expected = shift(0.105, 0, 0.3185) @ turn("z", q[0]) @ [ahead, aside, up, 1]
    np.testing.assert_allclose(tool(compiled("pioneer2"), q)[:3, 3], expected[:3], atol=ROUNDING)


# Lynx6: the arm of the 3D-RAS paper


@pytest.mark.parametrize("offset", [0.0, 0.03])
@pytest.mark.parametrize("seed", range(5))
def test_lynx6_obeys_the_papers_inverse_kinematics(seed: int, offset: float) -> None:
    """Eq. 3-9 give back the angles from the gripper's place and its angle to the ground."""
    model = compiled("lynx6")
    model.parameters["a1"] = offset
    a1, d1, a2, a4 = (model.parameters[name] for name in ("a1", "d1", "a2", "a4"))
    assert a2 == model.parameters["a3"]
    low, high = np.radians([[20, 45, 10, -30], [160, 80, 80, 60]])
    angles = np.random.default_rng(seed).uniform(low, high)
    names = ["waist", "shoulder", "elbow", "wrist"]
    x, y, z = tool(model, at(model, **dict(zip(names, angles, strict=True))))[:3, 3]
    ground = angles[1] - angles[2] + angles[3]

    xb = (math.hypot(x, y) - a1 - a4 * math.cos(ground)) / (2 * a2)
    zb = (z - d1 - a4 * math.sin(ground)) / (2 * a2)
    k = math.sqrt(1 / (xb**2 + zb**2) - 1)
    shoulder = math.atan2(zb + k * xb, xb - k * zb)
    forearm = math.atan2(zb - k * xb, xb + k * zb)
    solved = [math.atan2(y, x), shoulder, shoulder - forearm, ground - forearm]
    np.testing.assert_allclose(solved, angles, atol=1e-9)  # a square root of nearly zero


def test_lynx6_has_the_papers_ranges() -> None:
    """Ranges 180, 90, 90, 180 deg: 12 x 6 x 6 x 12 poses at the factor 15 of its Fig. 5."""
    mechanism = kg.load("lynx6")
    ranges = []
    for name in ("waist", "shoulder", "elbow", "wrist"):
        low, high = (math.degrees(bound.evaluate({})) for bound in mechanism.joints[name].limits[0])
        ranges.append((round(low, 9), round(high, 9)))
    assert ranges == [(0, 180), (0, 90), (0, 90), (-90, 90)]
    assert math.prod(round((high - low) / 15) for low, high in ranges) == 12 * 6 * 6 * 12


def test_lynx6_keeps_within_the_papers_longest_reach() -> None:
    """Eq. 20: straight up is as far as the arm gets."""
    model = compiled("lynx6")
    d1, a2, a3, a4 = (model.parameters[name] for name in ("d1", "a2", "a3", "a4"))
    top = tool(model, at(model, shoulder=math.pi / 2))[:3, 3]
    np.testing.assert_allclose(top, [0, 0, d1 + a2 + a3 + a4], atol=ROUNDING)


def test_lynx6_gripper_does_not_move_the_tool() -> None:
    model = compiled("lynx6")
    shut, open_ = (tool(model, at(model, shoulder=1.0, gripper=g)) for g in (0.0, 0.02))
    np.testing.assert_allclose(shut, open_, atol=0)
    jaws = [tool(model, at(model, shoulder=1.0, gripper=g), "gripper")[:3, 3] for g in (0, 0.02)]
    assert np.linalg.norm(jaws[1] - jaws[0]) == pytest.approx(0.02)


# Visum's and I-GMS' robots


def test_amtec_fingers_slide_apart_across_the_hand() -> None:
    model = compiled("amtec-7")
    q = at(model, joint2=0.4, joint4=0.9, joint7=0.3, finger_left=0.02, finger_right=0.02)
    hand = tool(model, q)
    left, right = (tool(model, q, f"finger_{side}")[:3, 3] for side in ("left", "right"))
    np.testing.assert_allclose(left - right, 0.04 * hand[:3, 1], atol=ROUNDING)
    middle = np.linalg.inv(hand) @ [*((left + right) / 2), 1]
    np.testing.assert_allclose(middle[:2], [0, 0], atol=ROUNDING)


def test_amtec_arm_is_as_long_as_its_modules() -> None:
    model = compiled("amtec-7")
    top = tool(model, model.zero(), "joint7")[:3, 3]
    np.testing.assert_allclose(top, [0, 0, 0.25 + 0.408 + 0.3165 + 0.1927], atol=ROUNDING)


def test_cart_stands_on_its_wheels_and_all_axles_meet() -> None:
    model = compiled("cart")
    q = model.start()
    wheels = {
        side: tool(model, q, f"wheel_{side}")
        for side in ("front_left", "front_right", "rear_left", "rear_right")
    }
    radius = model.parameters["wheel_radius"]
    for wheel in wheels.values():
        assert wheel[2, 3] == pytest.approx(radius)
        assert wheel[2, 2] == pytest.approx(0, abs=ROUNDING)
    # Ackermann: both front axles cut the rear axle's line at the same place.
    rear = wheels["rear_left"][0, 3]
    assert wheels["rear_right"][0, 3] == pytest.approx(rear)
    crossings = []
    for side in ("front_left", "front_right"):
        place, axle = wheels[side][:3, 3], wheels[side][:3, 2]
        crossings.append(place[1] + axle[1] * (rear - place[0]) / axle[0])
    assert crossings[0] == pytest.approx(crossings[1])
    assert crossings[0] > 0.5  # a left-hand curve


def test_cart_rolls_forward_for_a_positive_turn() -> None:
    """The wheel's lowest point moves backward against the body, so friction drives it forward."""
    model = compiled("cart")
    before, after = (
        tool(model, at(model, wheel_rear_left=angle), "wheel_rear_left") for angle in (0, 0.1)
    )
    lowest = np.linalg.inv(before) @ (before[:, 3] - [0, 0, model.parameters["wheel_radius"], 0])
    assert ((after - before) @ lowest)[0] < 0


def test_crawler_holds_its_tip_just_above_the_floor() -> None:
    model = compiled("crawler")
    clearance = tool(model, model.start())[2, 3] - model.parameters["thickness"]
    assert 0 < clearance < 0.005
    assert tool(model, at(model, shoulder=-0.5))[2, 3] > tool(model, model.zero())[2, 3]


def test_humanoid_is_as_tall_and_heavy_as_its_sliders_say() -> None:
    mechanism = kg.load("humanoid-30")
    model = mechanism.compile()
    upright = model.zero()
    for height in (1.75, 1.6):
        model.parameters["height"] = height
        head, sole = (tool(model, upright, name)[2, 3] for name in ("head", "left_sole"))
        assert head - sole == pytest.approx(height)
    values = dict(model.parameters)
    masses = [joint.link.mass.evaluate(values) for joint in mechanism.joints.values()]
    assert sum(masses) == pytest.approx(values["body_mass"])


def test_humanoid_has_winters_proportions() -> None:
    """Joint heights of a standing person as fractions of stature (Drillis and Contini)."""
    model = compiled("humanoid-30")
    upright = model.zero()
    floor = tool(model, upright, "left_sole")[2, 3]
    for site, fraction in {
        "left_ankle": 0.039,
        "right_knee": 0.285,
        "left_hip": 0.530,
        "right_shoulder": 0.818,
        "left_elbow": 0.818 - 0.186,
        "tool": 0.818 - 0.186 - 0.146 - 0.108,
    }.items():
        height = tool(model, upright, site)[2, 3] - floor
        assert height / model.parameters["height"] == pytest.approx(fraction), site


def test_humanoid_starts_on_flat_feet_under_its_weight() -> None:
    mechanism = kg.load("humanoid-30")
    model = mechanism.compile()
    q, values = model.start(), dict(model.parameters)
    for side in ("left", "right"):
        sole = tool(model, q, f"{side}_sole")
        np.testing.assert_allclose(sole[:3, :3], np.eye(3), atol=ROUNDING)
        assert sole[2, 3] == pytest.approx(0, abs=ROUNDING)
    weighted, total = np.zeros(3), 0.0
    for name, joint in mechanism.joints.items():
        mass = joint.link.mass.evaluate(values)
        centre = [c.evaluate(values) for c in joint.link.centre]
        weighted += mass * (tool(model, q, name) @ [*centre, 1])[:3]
        total += mass
    foot = values["foot"]
    assert -0.25 * foot < weighted[0] / total < 0.75 * foot  # between heel and toe
    assert abs(weighted[1] / total) < 0.01


def test_humanoid_bends_the_way_people_do() -> None:
    model = compiled("humanoid-30")
    q = at(model, left_elbow=0.5, left_knee=0.5)
    assert tool(model, q, "left_hand")[0, 3] > 0.05  # hand forward
    assert tool(model, q, "left_sole")[0, 3] < -0.05  # heel backward


@pytest.mark.parametrize("name", ["franka", "teachmover"])
def test_an_arm_is_the_same_with_its_hand(name: str) -> None:
    bare, whole = kg.load(name), kg.load(f"{name}-hand")
    for joint in bare.joints.values():
        assert whole.joints[joint.name] == joint
    assert len(whole.couplings) == 0  # fingers follow: no rows of their own
    model = whole.compile()
    assert {one.kind for one in model.couplings} == {"follows"}
    tools = [kg.pose(one.compile(), None, "tool").pose for one in (bare, whole)]
    np.testing.assert_allclose(tools[0], tools[1], atol=1e-12)
