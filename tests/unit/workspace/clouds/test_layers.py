from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.clouds.cloud import plan_cloud
from kinegen.workspace.clouds.layers import (
    Layer,
    density,
    layer_of,
    layer_values,
    position_jacobians,
)

MODEL = kg.load("puma560").compile()
PLAN = plan_cloud(MODEL, count=40)
SWEEP, FRAMES = PLAN.sweep, PLAN.frames
QS = SWEEP.chunk(0, 40)


def values(layer: str) -> np.ndarray:
    kind, one = layer_of(layer, SWEEP.ranges)
    return layer_values(SWEEP, kind, one, FRAMES, QS)


def test_jacobians_are_those_of_the_exact_kernel() -> None:
    J = position_jacobians(SWEEP, "tool", QS)
    columns = [one.variable for one in SWEEP.ranges]
    for i in range(0, 40, 7):
        exact = kg.jacobian(MODEL, QS[:, i], "tool")[:3, columns]
        np.testing.assert_allclose(J[i], exact, atol=1e-8)


def test_manipulability_is_yoshikawas() -> None:
    columns = [one.variable for one in SWEEP.ranges]
    found = values("manipulability")
    for i in range(0, 40, 7):
        J = kg.jacobian(MODEL, QS[:, i], "tool")[:3, columns]
        assert found[-1, i] == pytest.approx(np.sqrt(np.linalg.det(J @ J.T)), rel=1e-5)


def test_singularity_is_zero_when_a_planar_arm_is_stretched() -> None:
    text = """
raff: 1
joints: [{name: a, parent: base}, {name: b, parent: a, d: 1}]
frames: [{name: tip, parent: b, d: 1}]
"""
    model = kg.load(text).compile()
    plan = plan_cloud(model, factor=90)
    sweep, frames = plan.sweep, plan.frames
    qs = sweep.chunk(0, sweep.count)
    found = layer_values(sweep, Layer.SINGULARITY, None, frames, qs)[-1]
    singular = np.abs(np.sin(qs[1])) < 1e-9
    assert singular.any() and not singular.all()
    assert np.all(found[singular] < 1e-6) and np.all(found[~singular] > 0.1)


def test_limits_are_zero_at_the_ends_and_one_in_the_middle() -> None:
    one = SWEEP.ranges[0]
    qs = np.repeat(QS[:, :1], 3, axis=1)
    for each in SWEEP.ranges:
        qs[each.variable] = (each.lower + each.upper) / 2
    qs[one.variable] = [one.lower, (one.lower + one.upper) / 2, one.upper]
    found = layer_values(SWEEP, Layer.LIMITS, None, FRAMES, qs)[0]
    np.testing.assert_allclose(found, [0, 1, 0], atol=1e-12)


def test_links_and_joints_colour_by_index_and_value() -> None:
    np.testing.assert_array_equal(values("link")[:, 0], range(len(FRAMES)))
    np.testing.assert_array_equal(values("joint:elbow")[0], QS[2])


def test_density_counts_the_points_of_a_cell() -> None:
    points = np.zeros((1, 3, 5))
    points[0, 0] = [0, 0.001, 0.002, 1, 1]
    np.testing.assert_array_equal(density(points), [[3, 3, 3, 2, 2]])


def test_unknown_layers_are_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="'manipulabilty'; did you mean 'manipulability'"):
        layer_of("manipulabilty", SWEEP.ranges)
    with pytest.raises(UsageError, match="its joints: joint:waist"):
        layer_of("joint:gripper", SWEEP.ranges)
