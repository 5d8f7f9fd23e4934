from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.zones.zone import zone, zone_slice

FIVE = kg.load("five-bar").compile()
EIGHT = kg.load("eight-bar").compile()


def test_circles_and_solver_make_the_same_zone() -> None:
    step = math.radians(10)
    exact = zone(FIVE, step=step, poses=True)
    general = zone(FIVE, step=step, method="solver", poses=True)
    assert (exact.method, general.method) == ("triangles", "solver")
    assert exact.modes[0].name == general.modes[0].name == "home"
    here = exact.modes[0]
    places = {tuple(np.round(x, 9)): p for x, p in zip(here.inputs, here.points, strict=True)}
    pairs = [
        (places[tuple(np.round(x, 9))], p)
        for x, p in zip(general.modes[0].inputs, general.modes[0].points, strict=True)
    ]
    assert len(pairs) > 0.95 * exact.modes[0].count
    away = np.array([np.abs(a - b).max() for a, b in pairs])
    # behind a singular pose continuity may lead to the other side
    assert (away < 1e-9).mean() > 0.99


def test_a_five_bar_has_two_modes_that_together_are_its_zone() -> None:
    found = zone(FIVE, step=math.radians(3))
    assert [mode.name for mode in found.modes] == ["home", "C flipped"]
    assert found.measure.value >= max(mode.measure.value for mode in found.modes)
    assert found.points.shape == (sum(mode.count for mode in found.modes), 3)
    inside = zone_slice(FIVE, step=0.01, limits=False, through=True)
    assert abs(found.measure.value - inside.measure.value) < found.measure.error + 0.03


def test_the_eight_bar_keeps_its_tilt() -> None:
    found = zone(EIGHT, step=math.radians(6), poses=True, modes=["home"])
    assert found.inputs == ("O", "B") and found.held == {"tilt": pytest.approx(math.pi / 2)}
    mode = found.modes[0]
    assert mode.qs is not None
    for i in range(0, mode.count, mode.count // 9):
        assert kg.kinematics.loop_gap(EIGHT, mode.qs[i]).distance < 1e-9
        X = kg.pose(EIGHT, mode.qs[i], "handle")
        np.testing.assert_allclose(X.translation, mode.points[i], atol=1e-9)
        assert X.so3.rpy[2] == pytest.approx(math.pi / 2)
    other = zone(EIGHT, step=math.radians(6), tilt=1.0)
    assert other.held == {"tilt": 1.0} and other.modes[0].count != mode.count


def test_joint_limits_of_a_planar_linkage_count() -> None:
    wide = zone(FIVE, step=math.radians(5), ranges={"A": (0, 1), "E": (1, 2)})
    model = kg.load("five-bar").compile()
    model.lower[model.joint("B").v] = -1.0
    model.upper[model.joint("B").v] = 0.5
    tight = zone(model, step=math.radians(5), ranges={"A": (0, 1), "E": (1, 2)}, poses=True)
    assert 0 < tight.modes[0].count < wide.modes[0].count
    assert tight.modes[0].qs is not None
    assert tight.modes[0].qs[:, 1].max() <= 0.5 + 1e-9


def test_a_delta_by_its_motors_and_by_its_tool() -> None:
    model = kg.load("delta").compile()
    driven = zone(model, step=math.radians(20), poses=True)
    assert driven.method == "solver" and driven.measure.unit == "m³"
    assert driven.modes[0].qs is not None
    gaps = [kg.kinematics.loop_gap(model, q).distance for q in driven.modes[0].qs[::40]]
    assert max(gaps) < 1e-9
    placed = zone_slice(model, step=0.2)
    assert placed.measure.unit == "m³" and placed.modes[0].count > 100


def test_assembly_modes_have_zones_of_their_own() -> None:
    model = kg.load("delta").compile()
    found = zone(model, step=math.radians(40), modes=["all"])
    assert len(found.modes) >= 1 and all(mode.name.startswith("mode") for mode in found.modes)
    with pytest.raises(UsageError, match="no mode is called mode 99; modes: home, all, mode 1"):
        zone(model, step=math.radians(40), modes=["mode 99"])
    with pytest.raises(UsageError, match="no mode is called up; modes: home, C flipped"):
        zone(FIVE, modes=["up"])


def test_stewart_slices_of_place_and_turn() -> None:
    model = kg.load("stewart").compile()
    placed = zone_slice(model, step=0.4, poses=True)
    mode = placed.modes[0]
    assert mode.qs is not None and mode.count > 50
    home = kg.pose(model, None, "handle")
    for i in range(0, mode.count, 17):
        X = kg.pose(model, mode.qs[i], "handle")
        np.testing.assert_allclose(X.translation, mode.points[i], atol=1e-7)
        assert X.so3.minus(home.so3) == pytest.approx(0, abs=1e-7)
        legs = [mode.qs[i, model.joint(f"leg{k}").q.start] for k in range(1, 7)]
        assert min(legs) >= 2.4 - 1e-9 and max(legs) <= 4.0 + 1e-9
    turned = zone_slice(model, step=math.radians(20), kind="turn", poses=True)
    assert turned.kind == "turn" and turned.modes[0].count > 20
    assert turned.modes[0].qs is not None
    X = kg.pose(model, turned.modes[0].qs[-1], "handle")
    np.testing.assert_allclose(X.translation, home.translation, atol=1e-7)


def test_what_makes_no_zone_is_refused() -> None:
    with pytest.raises(UsageError, match=r"6 inputs .* too many to sweep"):
        zone(kg.load("stewart").compile())
    with pytest.raises(UsageError, match="not a planar linkage made of dyads"):
        zone(kg.load("delta").compile(), method="triangles")
    with pytest.raises(UsageError, match="no motors: name the inputs"):
        zone(kg.load("bricard").compile())
    with pytest.raises(UsageError, match="methods: auto, triangles, solver"):
        zone(FIVE, method="magic")
    with pytest.raises(UsageError, match="reversed"):
        zone(FIVE, ranges={"A": (1, 0)})
    for wrong in (0.0, -1.0, math.nan):
        with pytest.raises(UsageError, match="the step is"):
            zone(FIVE, step=wrong)
        with pytest.raises(UsageError, match="the step is"):
            zone_slice(FIVE, step=wrong)
    with pytest.raises(UsageError, match="larger step"):
        zone(FIVE, step=1e-9)
    with pytest.raises(UsageError, match="slices: place, turn"):
        zone_slice(FIVE, step=0.1, kind="shape")
    with pytest.raises(UsageError, match="more than 10 cells"):
        zone_slice(FIVE, step=0.01, most=10)


def test_a_platform_stays_on_its_side_of_the_base() -> None:
    model = kg.load("stewart").compile()
    above = zone_slice(model, step=0.4).modes[0].points
    assert above[:, 2].min() > 0
    both = zone_slice(model, step=0.4, through=True).modes[0].points
    assert both[:, 2].min() < -1 and len(both) > 1.9 * len(above)


def test_a_slice_that_would_take_days_is_refused_with_the_step_that_would_do() -> None:
    model = kg.load("stewart").compile()
    with pytest.raises(UsageError, match=r"cells of 1 mm: about \d+ days; .* at least 1\d mm"):
        zone_slice(model, step=0.001)
    with pytest.raises(UsageError, match=r"Use a step of at least [\d.]+ deg"):
        zone(FIVE, step=1e-3, method="solver")


def test_the_estimate_is_near_what_is_tried() -> None:
    reports: list[tuple[int, int]] = []
    found = zone_slice(
        kg.load("stewart").compile(), step=0.08, progress=lambda *one: reports.append(one)
    )
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    assert reports[-1][0] == found.tried
    assert reports[0][1] == pytest.approx(found.modes[0].count, rel=0.3)
    stopped = zone(FIVE, step=0.1, method="solver", progress=lambda *_: False)
    assert 0 < stopped.tried < 10


@pytest.mark.parametrize("method", ["triangles", "solver"])
def test_a_step_with_hardly_any_values_is_refused(method: str) -> None:
    with pytest.raises(UsageError, match=r"1000 deg leaves fewer than 3 values of input 'A'"):
        zone(FIVE, step=math.radians(1000), method=method)
    # a range of no width is a joint that holds
    assert zone(FIVE, step=0.2, ranges={"A": (1, 1)}, method=method).modes[0].count
