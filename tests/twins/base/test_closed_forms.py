"""Our kinematics against trigonometry done by hand: linkages, legs, joints."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg

# Metre-sized linkages, ten roundings in a row.
TOLERANCE = 1e-14
ANGLES = np.radians([-150, -75, -10, 0, 20, 90, 133, 180])


def assert_closed(model: kg.Model, q: dict[str, float | list[float]]) -> None:
    np.testing.assert_allclose(kg.kinematics.loop_residual(model, q), 0, atol=TOLERANCE)


def circles(
    centre: np.ndarray, radius: float, other: np.ndarray, other_radius: float, side: int
) -> np.ndarray:
    """Where two circles meet; side +1 is to the left of the line from centre to other."""
    d = other - centre
    length = math.hypot(*d)
    along = (length**2 + radius**2 - other_radius**2) / (2 * length)
    across = math.sqrt(radius**2 - along**2)
    unit = d / length
    return np.asarray(centre + along * unit + side * across * np.array([-unit[1], unit[0]]))


def direction(start: np.ndarray, end: np.ndarray) -> float:
    return math.atan2(end[1] - start[1], end[0] - start[0])


# Linkages


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("t", ANGLES)
@pytest.mark.parametrize("crank", [0.1, 0.04])
def test_four_bar(t: float, side: int, crank: float) -> None:
    model = kg.load("four-bar").compile()
    model.parameters["crank"] = crank
    p = model.parameters
    A = crank * np.array([math.cos(t), math.sin(t)])
    D = np.array([p["ground"], 0.0])
    B = circles(A, p["coupler"], D, p["rocker"], side)
    coupler, rocker = direction(A, B), direction(D, B)
    q: dict[str, float | list[float]] = {
        "crank": t, "coupler": coupler - t, "rocker": rocker, "pin": rocker - coupler,
    }  # fmt: skip
    assert_closed(model, q)
    handle = A + p["reach"] * np.array([math.cos(coupler), math.sin(coupler)])
    np.testing.assert_allclose(
        kg.pose(model, q, "handle").translation, [*handle, 0], atol=TOLERANCE
    )


@pytest.mark.parametrize("t", ANGLES)
@pytest.mark.parametrize("offset", [0.0, 0.03, -0.04])
def test_slider_crank(t: float, offset: float) -> None:
    model = kg.load("slider-crank").compile()
    model.parameters["offset"] = offset
    crank, rod = model.parameters["crank"], model.parameters["rod"]
    lift = crank * math.sin(t) - offset
    x = crank * math.cos(t) + math.sqrt(rod**2 - lift**2)
    lean = -math.asin(lift / rod)  # of the rod against the piston's line
    q: dict[str, float | list[float]] = {"crank": t, "rod": lean - t, "piston": x, "pin": -lean}
    assert_closed(model, q)
    np.testing.assert_allclose(
        kg.pose(model, q, "handle").translation, [x, offset, 0], atol=TOLERANCE
    )
    # dx/dt in closed form is what the loop's rows say with the other joints following
    J = kg.kinematics.loop_jacobian(model, q)
    others = np.linalg.lstsq(J[:, 1:], -J[:, 0], rcond=None)[0]
    wanted = -crank * math.sin(t) - lift * crank * math.cos(t) / math.sqrt(rod**2 - lift**2)
    assert others[1] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize(("a", "e"), [(90, 90), (120, 60), (150, 20), (75, 100), (-30, -160)])
def test_five_bar(a: float, e: float, side: int) -> None:
    model = kg.load("five-bar").compile()
    a, e = math.radians(a), math.radians(e)
    ground, crank, coupler = (model.parameters[n] for n in ("ground", "crank", "coupler"))
    B = crank * np.array([math.cos(a), math.sin(a)])
    D = np.array([ground + crank * math.cos(e), crank * math.sin(e)])
    C = circles(B, coupler, D, coupler, side)
    left, right = direction(B, C), direction(D, C)
    q: dict[str, float | list[float]] = {
        "A": a, "B": left - a, "E": e, "D": right - e, "C": right - left,
    }  # fmt: skip
    assert_closed(model, q)
    np.testing.assert_allclose(kg.pose(model, q, "handle").translation, [*C, 0], atol=TOLERANCE)


# Stewart platform

LEGS = np.radians([2.5, 117.5, 122.5, 237.5, 242.5, -2.5])
BALLS = np.radians([50, 70, 170, 190, 290, 310])
"""Where the legs stand on the base circle (3 m) and hold the platform's (1 m), by the source."""


@pytest.mark.parametrize("seed", range(6))
def test_stewart_leg_lengths(seed: int) -> None:
    """From a pose of the platform the six legs follow; with them every loop closes."""
    rng = np.random.default_rng(seed)
    # seed 0 is the file's own pose: level, 2 m up
    turn = 0.3 * rng.normal(size=3) if seed else np.zeros(3)
    shift = 0.3 * rng.normal(size=3) if seed else np.zeros(3)
    X_WH = kg.SE3(kg.SO3.exp(turn), np.array([0, 0, 2.0]) + shift)
    model = kg.load("stewart").compile()

    q: dict[str, float | list[float]] = {}
    lengths = []
    for k, (g, angle) in enumerate(zip(LEGS, BALLS, strict=True), start=1):
        radial = np.array([math.cos(g), math.sin(g), 0])
        tangent = np.array([math.sin(g), -math.cos(g), 0])
        leg = X_WH.apply([math.cos(angle), math.sin(angle), 0]) - 3 * radial
        lengths.append(math.hypot(*leg))
        u = leg / lengths[-1]
        # u = -sin a cos b · radial + cos a cos b · up + sin b · tangent
        q[f"U{k}"] = [math.atan2(-u @ radial, u[2]), math.asin(u @ tangent)]
        q[f"leg{k}"] = lengths[-1]
    if seed == 0:
        corner = (
            math.cos(BALLS[0]) - 3 * math.cos(LEGS[0]),
            math.sin(BALLS[0]) - 3 * math.sin(LEGS[0]),
        )
        np.testing.assert_allclose(lengths, math.hypot(*corner, 2), atol=TOLERANCE)
        # the file writes its start with ten digits
        np.testing.assert_allclose(lengths, model.number("leg1", "start"), atol=1e-9)

    # ball joints: whatever turn their two sides have
    X_PH = kg.pose(model, None, "platform").inverse() @ kg.pose(model, None, "handle")
    X_WP = X_WH @ X_PH.inverse()
    q["platform"] = (kg.pose(model, q, "leg1").inverse() @ X_WP).quat.tolist()
    for k in range(2, 7):
        M, K = (kg.SE3.from_pose(row) for row in kg.kinematics.loop_poses(model, q)[k - 2])
        S = kg.SO3(model.start()[model.joint(f"S{k}").q])
        q[f"S{k}"] = (S @ M.so3.inverse() @ K.so3).quat.tolist()
    np.testing.assert_allclose(kg.pose(model, q, "handle").pose, X_WH.pose, atol=1e-9)
    np.testing.assert_allclose(kg.kinematics.loop_residual(model, q), 0, atol=1e-13)


# Joints


@pytest.mark.parametrize(("a", "b"), [(0.0, 0.0), (0.3, -1.2), (2.0, 2.5)])
def test_planar_2r_jacobian(a: float, b: float) -> None:
    model = kg.load("""raff: 1
joints: [{name: A, parent: base}, {name: B, parent: A, d: 0.7}]
frames: [{name: tip, parent: B, d: 0.4}]
""").compile()
    s, c, sb, cb = math.sin(a), math.cos(a), math.sin(a + b), math.cos(a + b)
    np.testing.assert_allclose(
        kg.pose(model, [a, b], "tip").translation,
        [0.7 * c + 0.4 * cb, 0.7 * s + 0.4 * sb, 0],
        atol=TOLERANCE,
    )
    wanted = np.array(
        [
            [-0.7 * s - 0.4 * sb, -0.4 * sb],
            [0.7 * c + 0.4 * cb, 0.4 * cb],
            [0, 0],
            [0, 0],
            [0, 0],
            [1, 1],
        ]
    )
    np.testing.assert_allclose(kg.jacobian(model, [a, b], "tip"), wanted, atol=TOLERANCE)
    # its determinant is the textbook's: singular when stretched or folded
    assert np.linalg.det(wanted[:2]) == pytest.approx(0.7 * 0.4 * math.sin(b))
    # and its derivative at speeds (u, w)
    u, w = 1.5, -0.5
    dot = kg.kinematics.jacobian_dot(model, [a, b], "tip", [u, w])
    np.testing.assert_allclose(
        dot[:2],
        [
            [-0.7 * c * u - 0.4 * cb * (u + w), -0.4 * cb * (u + w)],
            [-0.7 * s * u - 0.4 * sb * (u + w), -0.4 * sb * (u + w)],
        ],
        atol=TOLERANCE,
    )


@pytest.mark.parametrize("turns", [0.0, 0.25, -3.0, 12.5])
def test_screw(turns: float) -> None:
    model = kg.load("""raff: 1
joints: [{name: nut, type: screw, parent: base, pitch: 5 mm}]
frames: [{name: rim, parent: nut, d: 0.2}]
""").compile()
    q = math.tau * turns
    x, y = 0.2 * math.cos(q), 0.2 * math.sin(q)
    np.testing.assert_allclose(
        kg.pose(model, [q], "rim").translation, [x, y, 0.005 * turns], atol=TOLERANCE
    )
    np.testing.assert_allclose(
        kg.jacobian(model, [q], "rim")[:, 0], [-y, x, 0.005 / math.tau, 0, 0, 1], atol=TOLERANCE
    )


@pytest.mark.parametrize("turns", [0.5, -7.0])
def test_differential_screw(turns: float) -> None:
    """A spindle with two threads moves its guided nut by the difference of the pitches."""
    model = kg.load("""raff: 1
joints:
  - {name: spindle, type: screw, parent: base, pitch: 5 mm}
  - {name: nut, type: screw, parent: spindle, pitch: 4 mm, r: 0.1}
  - {name: guide, type: prismatic, parent: base, closes: {onto: nut, r: -0.1}}
""").compile()
    q = math.tau * turns
    travel = (0.005 - 0.004) * turns
    assert_closed(model, {"spindle": q, "nut": -q, "guide": travel})


@pytest.mark.parametrize(("a", "b"), [(0.4, 0.0), (0.0, 0.4), (-1.1, 2.0)])
def test_universal(a: float, b: float) -> None:
    """About z, then about the turned x: a point on the carried z axis, and its velocities."""
    model = kg.load("""raff: 1
joints: [{name: U, type: universal, parent: base}]
frames: [{name: tip, parent: U, r: 2}]
""").compile()
    s, c, sb, cb = math.sin(a), math.cos(a), math.sin(b), math.cos(b)
    np.testing.assert_allclose(
        kg.pose(model, [a, b], "tip").translation,
        [2 * s * sb, -2 * c * sb, 2 * cb],
        atol=TOLERANCE,
    )
    wanted = np.array(
        [[2 * c * sb, 2 * s * cb], [2 * s * sb, -2 * c * cb], [0, -2 * sb], [0, c], [0, s], [1, 0]]
    )
    np.testing.assert_allclose(kg.jacobian(model, [a, b], "tip"), wanted, atol=TOLERANCE)


@pytest.mark.parametrize("t", ANGLES)
@pytest.mark.parametrize("bend", [0.2, -0.6])
def test_cardan_shaft(t: float, bend: float) -> None:
    """Hooke's joint between two shafts that meet at an angle: tan(out) = tan(in) cos(bend)."""
    model = kg.load(f"""raff: 1
parameters: {{bend: {bend}}}
joints:
  - {{name: drive, parent: base}}
  - {{name: cross, type: universal, parent: drive, gamma: 90 deg, alpha: 90 deg}}
  - {{name: driven, parent: cross, alpha: -90 deg, closes: {{onto: base, rpy: [-bend, 0, 0]}}}}
""").compile()
    out = math.atan2(math.sin(t) * math.cos(bend), math.cos(t))
    a = math.atan(-math.cos(t) * math.tan(bend))
    b = math.asin(math.sin(bend) * math.sin(t))
    q: dict[str, float | list[float]] = {
        "drive": t, "cross": [a, b], "driven": -(math.pi / 2 + out),
    }  # fmt: skip
    assert_closed(model, q)
    # the famous unevenness of its speed: cos(bend) / (1 - sin²(bend) sin²(in))
    J = kg.kinematics.loop_jacobian(model, q)
    others = np.linalg.lstsq(J[:, 1:], -J[:, 0], rcond=None)[0]
    ratio = math.cos(bend) / (1 - (math.sin(bend) * math.sin(t)) ** 2)
    assert others[2] == pytest.approx(-ratio, abs=1e-12)
