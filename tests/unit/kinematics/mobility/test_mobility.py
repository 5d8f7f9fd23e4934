"""Mobility: the degrees of freedom that the literature gives, and merely instantaneous ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NameNotFoundError, UsageError
from kinegen.kinematics.mobility.mobility import mobility

# finite degrees of freedom, Grübler's count in space, counted in the plane, redundant constraints
LIBRARY = {
    "3-rrr": (3, -3, 3, 6),
    "bricard": (1, 0, None, 1),
    "delta": (3, 3, None, 0),
    "eight-bar": (3, -3, 3, 6),
    "eight-bar-b": (3, -3, 3, 6),
    "five-bar": (2, -1, 2, 3),
    "five-bar-b": (2, -1, 2, 3),
    "five-bar-spatial": (3, 3, None, 0),
    "four-bar": (1, -2, 1, 3),
    "hybrid-9": (6, 3, 6, 3),
    "parallel-18": (3, 0, None, 3),
    "peaucellier": (1, -8, 1, 9),
    "quick-return": (1, -5, 1, 6),
    "slider-crank": (1, -2, 1, 3),
    "stewart": (6, 6, None, 0),
    "tricept": (3, 3, None, 0),
    "humanoid-30": (30, 30, None, 0),
    "puma560": (6, 6, None, 0),
    "geared-five-bar": (1, -2, 1, 3),
    "parallel-gripper": (1, -5, 1, 6),
    "grooved-cam": (1, -2, 1, 3),
}


def four_bar(crank: float, coupler: float, rocker: float, ground: float, *starts: float) -> str:
    """A planar four-bar; starts of crank, coupler, rocker and pin in degrees."""
    a, b, d, c = starts
    return f"""raff: 1
joints:
  - {{name: A, parent: base, start: {a} deg}}
  - {{name: B, parent: A, d: {crank}, start: {b} deg}}
  - {{name: D, parent: base, d: {ground}, start: {d} deg}}
  - {{name: C, parent: B, d: {coupler}, start: {c} deg, closes: {{onto: D, d: {rocker}}}}}
"""


# Two bars between fixed points that they just reach: the middle can be plucked, not moved.
SHAKY = """
  - {name: SA, parent: PARENT}
  - {name: SB, parent: SA, d: 1}
  - {name: SC, parent: SB, d: 1, closes: {onto: PARENT, d: 2}}
"""


def ladder(cells: int) -> str:
    """Parallelograms on top of each other."""
    rows = ["raff: 1", "name: ladder", "joints:"]
    for i in range(cells):
        foot = f"T{i - 1}" if i else "base"
        rows += [
            f"  - {{name: L{i}, parent: {foot}, start: 90 deg}}",
            f"  - {{name: R{i}, parent: {foot}, d: 1, start: 90 deg}}",
            f"  - {{name: T{i}, parent: L{i}, d: 1, start: -90 deg}}",
            f"  - {{name: C{i}, parent: R{i}, d: 1, start: -90 deg, closes: {{onto: T{i}, d: 1}}}}",
        ]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("name", LIBRARY)
def test_library_mechanisms_have_the_degrees_of_freedom_of_their_literature(name: str) -> None:
    found = mobility(kg.load(name).compile())
    finite, gruebler, planar, redundant = LIBRARY[name]
    assert found.finite == found.instantaneous == finite
    assert (found.gruebler, found.gruebler_planar) == (gruebler, planar)
    assert found.redundant == redundant
    assert found.idle == 0
    assert found.is_closed
    assert found.rank_gap > 1e6  # the rank is no matter of taste
    assert found.text.startswith(f"moves with {finite} degree")


def test_every_closed_mechanism_of_the_library_is_in_the_table() -> None:
    closed = {name for name in kg.library_names() if kg.load(name).compile().loops}
    assert closed <= LIBRARY.keys()


@pytest.mark.parametrize("name", ["bricard", "delta", "stewart", "hybrid-9"])
def test_directions_are_an_orthonormal_basis_of_what_the_loops_allow(name: str) -> None:
    model = kg.load(name).compile()
    found = mobility(model)
    basis = found.directions
    assert basis.shape == (model.nv, found.instantaneous)
    np.testing.assert_allclose(basis.T @ basis, np.eye(found.instantaneous), atol=1e-12)
    np.testing.assert_allclose(kg.kinematics.loop_jacobian(model, found.q) @ basis, 0, atol=1e-11)


@pytest.mark.parametrize("unit", [1e-3, 1e3, 1e6])
def test_nothing_depends_on_the_unit_of_length(unit: float) -> None:
    text = "slider-crank"
    small, large = kg.load(text).compile(), kg.load(text).compile()
    for name in ("crank", "rod"):
        large.parameters[name] *= unit
    q = large.start()
    q[large.joint("piston").q] *= unit
    one, other = mobility(small), mobility(large, q)
    np.testing.assert_allclose(one.singular_values, other.singular_values, atol=1e-12)
    assert (one.finite, one.redundant) == (other.finite, other.redundant) == (1, 3)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (four_bar(1, 2, 1, 2, 0, 0, 0, 0), "parallelogram folded flat"),
        (four_bar(1, 1, 2, 2, 0, 180, 180, 0), "kite folded flat"),
        (four_bar(1, 2, 0.5, 2.5, 0, 0, 0, 0), "change point of a four-bar with 1 + 2 = 2.5 + 0.5"),
    ],
)
def test_a_degree_of_freedom_that_two_branches_share_does_not_count_twice(
    text: str, what: str
) -> None:
    found = mobility(kg.load(text).compile())
    assert (found.instantaneous, found.finite) == (2, 1), what
    assert "one more degree of freedom begins and ends at once (a singular pose)" in found.text


def test_shaky_structures_do_not_move() -> None:
    shaky = "raff: 1\njoints:" + SHAKY.replace("PARENT", "base")
    found = mobility(kg.load(shaky).compile())
    assert (found.instantaneous, found.finite) == (1, 0)
    assert found.text.startswith("cannot move: 0 degrees of freedom")


def test_a_shaky_part_does_not_hide_behind_one_that_moves() -> None:
    """Both the four-bar's pose and every pose it moves to have a false degree of freedom."""
    text = four_bar(1, 2, 1, 2, 60, -60, 60, 60) + SHAKY.replace("PARENT", "A").lstrip("\n")
    found = mobility(kg.load(text).compile())
    assert (found.instantaneous, found.finite) == (2, 1)


def singular_3_rrr() -> tuple[kg.Model, np.ndarray]:
    """Couplers that all point at the platform's centre cannot hold it against turning."""
    model = kg.load("3-rrr").compile()
    coupler, crank, radius = (model.parameters[n] for n in ("coupler", "crank", "radius"))
    elbow = coupler + radius
    model.parameters["base_radius"] = math.hypot(elbow, crank)
    phi = math.atan2(crank, elbow)  # elbow's angle about the centre, seen from its motor
    alpha = phi + math.pi / 2  # crank's angle: perpendicular to the coupler
    q = model.zero()
    for i, end in enumerate(("platform", "C2", "C3"), 1):
        q[model.joint(f"A{i}").q] = alpha
        q[model.joint(f"B{i}").q] = phi + math.pi - alpha
        q[model.joint(end).q] = 0
    return model, q


def test_motors_lose_hold_of_a_3_rrr_for_an_instant_only() -> None:
    model, q = singular_3_rrr()
    assert kg.kinematics.loop_gap(model, q).largest < 1e-12
    free = mobility(model, q)
    assert (free.instantaneous, free.finite) == (3, 3)
    held = mobility(model, q, locked=["A1", "A2", "A3"])
    assert (held.instantaneous, held.finite) == (1, 0)
    assert (held.gruebler, held.gruebler_planar) == (-6, 0)
    # the motion that begins is a turn of the platform about its centre
    twist = kg.kinematics.link_twists(model, q, held.directions[:, 0])[model.site("platform")]
    assert abs(twist[5]) > 0.1
    centre = kg.jacobian(model, q, "handle") @ held.directions[:, 0]
    np.testing.assert_allclose(centre[:3], 0, atol=1e-9)


def test_away_from_there_the_motors_hold() -> None:
    model = kg.load("3-rrr").compile()
    held = mobility(model, locked=["A1", "A2", "A3"])
    assert held.instantaneous == held.finite == 0


def test_locked_motors_hold_a_stewart_platform() -> None:
    model = kg.load("stewart").compile()
    legs = [f"leg{i}" for i in range(1, 7)]
    assert mobility(model, locked=legs).instantaneous == 0
    assert mobility(model, locked=legs[:4]).finite == 2


BALL_ROD = """raff: 1
joints:
  - {name: A, parent: base, start: 60 deg}
  - {name: rod, type: spherical, parent: A, d: 1, start: [0, 0, -60 deg]}
  - {name: D, parent: base, d: 2, start: 60 deg}
  - {name: ball, type: spherical, parent: rod, d: 2, closes: {onto: D, d: 1}}
"""


def test_a_rod_between_two_balls_spins_idly() -> None:
    found = mobility(kg.load(BALL_ROD).compile())
    assert (found.finite, found.gruebler, found.idle) == (2, 2, 1)
    assert "1 degree of freedom is idle" in found.text


def test_a_spin_that_turns_a_frame_is_not_idle() -> None:
    seen = BALL_ROD + "frames:\n  - {name: flag, parent: rod}\n"
    assert mobility(kg.load(seen).compile()).idle == 0


def test_a_bar_of_no_length_spins_idly_and_the_rest_stands() -> None:
    triangle = kg.load(four_bar(1, 0, 1, 1, 60, 60, 120, 0)).compile()
    found = mobility(triangle)
    assert (found.finite, found.gruebler_planar, found.idle) == (1, 1, 1)


def test_fifty_loops_with_redundant_rows() -> None:
    found = mobility(kg.load(ladder(50)).compile())
    assert (found.finite, found.instantaneous, found.redundant) == (50, 50, 150)
    assert (found.gruebler, found.gruebler_planar) == (-100, 50)
    assert found.rank_gap > 1e6


def test_loops_that_cannot_close_have_no_degree_of_degrees_of_freedom() -> None:
    far = kg.load(four_bar(0.1, 0.2, 0.1, 1, 0, 0, 180, 0)).compile()
    found = mobility(far)
    assert not found.is_closed
    assert found.finite == 0
    # 1 m apart, and the three bars reach 0.4 m
    assert found.gap.distance == pytest.approx(0.6, abs=1e-3)
    assert found.text == "cannot be assembled: the loop closed by 'C' stays open by 600 mm"


def test_a_pose_that_is_not_closed_is_closed_first() -> None:
    model = kg.load("four-bar").compile()
    found = mobility(model, {"coupler": 0.0})
    assert kg.kinematics.loop_gap(model, found.q).largest < 1e-12
    assert found.finite == 1


def test_a_loop_between_parts_that_are_one_piece() -> None:
    found = mobility(
        kg.load("""raff: 1
joints:
  - {name: A, parent: base}
  - {name: plate, type: fixed, parent: A, d: 1}
  - {name: C, parent: plate, closes: {onto: A, d: 1}}
""").compile()
    )
    assert (found.finite, found.redundant) == (1, 5)


def test_a_mechanism_of_nothing() -> None:
    found = mobility(kg.load("raff: 1\njoints: []\n").compile())
    assert (found.finite, found.gruebler, found.redundant, found.idle) == (0, 0, 0, 0)
    assert found.text == "cannot move: 0 degrees of freedom"


def test_the_tolerance_decides_what_is_nearly_free() -> None:
    nearly = kg.load(four_bar(1, 2, 1, 2, 0.01, -0.01, 0.01, 0.01)).compile()
    assert mobility(nearly).instantaneous == 1
    assert mobility(nearly, tolerance=1e-2).instantaneous == 2


def test_words_explain_the_counts() -> None:
    bricard = mobility(kg.load("bricard").compile()).text
    assert bricard == (
        "moves with 1 degree of freedom; Grübler's count (degrees of freedom of the joints minus 6 "
        "per loop) is 0, because the axes of its six hinges are placed so that "
        "one constraint is redundant"
    )
    four = mobility(kg.load("four-bar").compile()).text
    assert four.endswith("counted in the plane (minus 3 per loop) it is 1")
    assert mobility(kg.load("stewart").compile()).text == (
        "moves with 6 degrees of freedom, as Grübler's count (degrees of freedom of the joints "
        "minus 6 per loop) says"
    )
    assert mobility(kg.load("puma560").compile()).text == (
        "moves with 6 degrees of freedom, one for each joint variable"
    )


def test_a_spherical_four_bar_is_counted_about_its_centre() -> None:
    found = mobility(
        kg.load("""raff: 1
joints:
  - {name: A, parent: base, start: 90 deg}
  - {name: B, parent: A, alpha: 40 deg, start: -60 deg}
  - {name: D, parent: base, alpha: 60 deg, start: 90 deg}
  - {name: C, parent: B, alpha: 70 deg, start: 50 deg, closes: {onto: D, alpha: 50 deg}}
""").compile()
    )
    assert (found.finite, found.gruebler, found.gruebler_planar) == (1, -2, None)
    assert found.text.endswith("counted about that point (minus 3 per loop) it is 1")


def test_bad_input_is_refused() -> None:
    model = kg.load("four-bar").compile()
    with pytest.raises(UsageError, match="use finite numbers"):
        mobility(model, [math.nan] * 4)
    for tolerance in (0, -1, 0.1, math.nan):
        with pytest.raises(UsageError, match=r"between 0 and 0\.1, got"):
            mobility(model, tolerance=tolerance)
    with pytest.raises(NameNotFoundError, match="did you mean 'crank'"):
        mobility(model, locked=["crnak"])


def parallel_cranks(count: int, spacing: float = 1.0) -> kg.Model:
    """Equal parallel cranks pinned to one straight rail, all of them in one line with it."""
    rows = [f"{{name: A{i}, parent: base, d: {i * spacing}}}" for i in range(count)]
    rows.append("{name: P0, parent: A0, d: 1}")
    rows += [
        f"{{name: P{i}, parent: P0, d: {i * spacing}, closes: {{onto: A{i}, d: 1}}}}"
        for i in range(1, count)
    ]
    return kg.load("raff: 1\njoints:\n" + "".join(f"  - {row}\n" for row in rows)).compile()


@pytest.mark.parametrize("count", [2, 3, 4, 6])
@pytest.mark.parametrize("spacing", [1.0, 0.7])
def test_a_crossing_of_branches_is_not_rigid(count: int, spacing: float) -> None:
    """All cranks in one line with the rail: few of the free directions lead out of the pose."""
    found = kg.mobility(parallel_cranks(count, spacing))
    assert (found.instantaneous, found.finite) == (2, 1)


def test_a_flat_triangle_of_bars_stays_rigid() -> None:
    """Shaky to first order, and no finite motion: the second order must not invent one."""
    text = """raff: 1
joints:
  - {name: A, parent: base}
  - {name: B, parent: A, d: 1}
  - {name: C, parent: B, d: 1, closes: {onto: base, d: 2}}
"""
    found = kg.mobility(kg.load(text).compile())
    assert (found.instantaneous, found.finite) == (1, 0)
