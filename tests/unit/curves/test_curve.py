import json
from typing import Any

import numpy as np
import pytest

from kinegen.curves import circle, ellipse, formula_curve, polyline, segment
from kinegen.errors import UsageError


def test_samples_are_equally_far_apart() -> None:
    curve = ellipse((0, 0, 0), (0.3, 0, 0), (0, 0.1, 0))
    steps = np.linalg.norm(np.diff(curve.sample(1000).xyz, axis=0), axis=1)
    assert np.ptp(steps) < 1e-3 * steps.mean()
    uneven = np.linalg.norm(np.diff(curve.sample(100, even=False).xyz, axis=0), axis=1)
    assert np.ptp(uneven) > 0.5 * uneven.mean()


def test_step_gives_the_number_of_points() -> None:
    assert len(segment((0, 0, 0), (1, 0, 0)).spaced(0.1).xyz) == 11
    assert len(segment((0, 0, 0), (1, 0, 0)).spaced(0.3).xyz) == 5


@pytest.mark.parametrize("step", [0, -1, float("nan"), 1e-9])
def test_bad_steps_are_refused(step: float) -> None:
    with pytest.raises(UsageError, match="step"):
        segment((0, 0, 0), (1, 0, 0)).spaced(step)


@pytest.mark.parametrize("points", [0, 1, -3, 10**9, 2.5, float("nan"), float("inf"), "ten", True])
def test_bad_counts_are_refused(points: Any) -> None:
    with pytest.raises(UsageError, match="points"):
        segment((0, 0, 0), (1, 0, 0)).sample(points)


def test_missing_parts_stay_as_gaps() -> None:
    # sqrt has no value for the first half of the range
    curve = formula_curve("t", "sqrt(t)", "0", t=(-1, 1))
    found = curve.sample(101)
    assert not found.exist[:40].any()
    assert found.exist[55:].all()
    assert "sqrt" in found.reason(3)
    assert "t = " in found.reason(3)
    assert found.reason(100) == ""


def test_lifting_follows_normals_and_moving_shifts() -> None:
    flat = polyline([[0, 0, 0], [1, 0, 0]], normals=[[0, 0, 2], [0, 0, 2]])
    assert np.allclose(flat.lifted(0.1).sample(3).xyz[:, 2], 0.1)
    assert np.allclose(flat.moved((0, 1, 0)).sample(3).xyz[:, 1], 1)
    with pytest.raises(UsageError, match="not lie on a surface"):
        segment((0, 0, 0), (1, 0, 0)).lifted(0.1).sample(3)


def test_length_and_closedness() -> None:
    ring = ellipse((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0))
    assert ring.is_closed
    assert abs(ring.length() - 0.2 * np.pi) < 1e-6
    assert not segment((0, 0, 0), (1, 0, 0)).is_closed
    assert segment((0, 0, 0), (1, 0, 0)).gap() == 1


def test_a_curve_is_scaled_about_the_origin_then_shifted() -> None:
    line = segment((0.1, 0, 0), (0.2, 0, 0))
    assert np.allclose(line.placed(2.0, (0, 1, 0)).sample(2).xyz, [[0.2, 1, 0], [0.4, 1, 0]])
    assert line.placed(1.0) is line
    with pytest.raises(UsageError, match="positive"):
        line.placed(0.0)


def test_a_tilt_leans_normals_about_the_way() -> None:
    plain = polyline([[0, 0, 0.2], [0.1, 0, 0.2], [0.2, 0.1, 0.2]], normals=[[0, 0, 1]] * 3)
    assert plain.is_on_surface and not segment((0, 0, 0), (1, 0, 0)).is_on_surface
    lean = plain.tilted(np.radians(30)).sample(12)
    normals = plain.sample(12).normals
    assert lean.normals is not None and normals is not None
    cosines = np.sum(lean.normals * normals, axis=1)
    assert np.allclose(np.degrees(np.arccos(cosines)), 30)
    along = np.gradient(lean.xyz, axis=0)
    assert np.allclose(np.sum(along * lean.normals, axis=1), 0)
    assert plain.tilted(0.0) is plain


def test_points_of_a_curve_as_a_table() -> None:
    points = circle((0, 0, 0.1), 0.2).sample(5)
    head, first, *_ = points.to_bytes("a.csv").decode().splitlines()
    assert head.startswith("share,way [m],x [m],y [m],z [m]") and head.endswith("reason")
    assert [float(x) for x in first.split(",")[2:5]] == points.xyz[0].tolist()
    assert json.loads(points.to_bytes("a.json"))["xyz"] == points.xyz.tolist()
