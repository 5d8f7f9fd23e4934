"""Many configurations at once give what one at a time gives."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from tests.support.mechanisms.random_mechanisms import random_q


@pytest.mark.parametrize("name", ["puma560", "humanoid-30", "stewart", "cart"])
def test_many_are_as_one(name: str) -> None:
    model = kg.load(name).compile()
    rng = np.random.default_rng(0)
    qs = np.array([random_q(model, rng) for _ in range(33)])
    frames = [model.site_names[-1], model.site_names[1]]
    positions = kg.kinematics.forward_many(model, qs, frames)
    poses = kg.kinematics.forward_many(model, qs, frames, rotations=True)
    for n, q in enumerate(qs):
        one = kg.poses(model, q)
        for k, frame in enumerate(frames):
            np.testing.assert_allclose(positions[n, k], one[frame].translation, atol=1e-12)
            assert kg.SE3.from_pose(poses[n, k]).is_close(one[frame], tolerance=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_order_of_storage_changes_nothing(dtype: type) -> None:
    model = kg.load("puma560").compile()
    qs = np.random.default_rng(1).uniform(-3, 3, (1001, model.nq)).astype(dtype)
    rows = kg.kinematics.forward_many(model, qs, ["tool"])
    assert rows.dtype == dtype
    spread = np.repeat(qs, 2, axis=0)[::2]
    for same in (qs.copy("F"), spread):
        np.testing.assert_array_equal(kg.kinematics.forward_many(model, same, ["tool"]), rows)


def test_a_grid_walks_its_ranges() -> None:
    model = kg.load("puma560").compile()
    ranges = {"waist": (-1.0, 1.0, 3), "shoulder": (0.0, 1.0, 4)}
    grid = kg.kinematics.grid_positions(model, ["tool"], ranges)
    assert grid.shape == (3, 4, 1, 3)
    for i, waist in enumerate(np.linspace(-1, 1, 3)):
        for j, shoulder in enumerate(np.linspace(0, 1, 4)):
            X = kg.pose(model, {"waist": waist, "shoulder": shoulder}, "tool")
            np.testing.assert_allclose(grid[i, j, 0], X.translation, atol=1e-12)


def test_a_cloud_can_be_made_in_parts() -> None:
    model = kg.load("ur5e").compile()
    whole = kg.kinematics.point_cloud(model, "tool", 1000)
    parts = [
        kg.kinematics.point_cloud(model, "tool", 500, first=first, threads=1) for first in (0, 500)
    ]
    assert whole.shape == (1000, 3)
    np.testing.assert_array_equal(whole, np.vstack(parts))
    reach = np.linalg.norm(whole - kg.pose(model, None, model.link_names[1]).translation, axis=1)
    assert reach.max() < 1.3
    assert reach.max() > 0.8
    assert kg.kinematics.point_cloud(model, "tool", 10, single=True).dtype == np.float32


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: kg.kinematics.forward_many(m, np.zeros((3, 5)), ["tool"]), r"\(n, 6\)"),
        (lambda m: kg.kinematics.forward_many(m, np.full((3, 6), np.nan), ["tool"]), "not finite"),
        (lambda m: kg.kinematics.forward_many(m, np.zeros((3, 6)), "tool"), "list of names"),
        (lambda m: kg.kinematics.forward_many(m, np.zeros((3, 6)), ["tol"]), "did you mean 'tool'"),
        (lambda m: kg.kinematics.grid_positions(m, ["tool"], {}), "at least one"),
        (lambda m: kg.kinematics.grid_positions(m, ["tool"], {"waist": (0, np.inf, 3)}),
         "two finite"),
        (lambda m: kg.kinematics.grid_positions(
            m, ["tool"], {"waist": (0, 1, 10**6), "elbow": (0, 1, 10**6)}),
         "coarser"),
        (lambda m: kg.kinematics.point_cloud(m, "tool", 0), "from 1 to"),
    ],
)  # fmt: skip
def test_bad_requests_are_named(call: object, said: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=said):
        call(kg.load("puma560").compile())  # type: ignore[operator]


COUPLED = """raff: 1
name: coupled
joints:
  - {name: A, parent: base, limits: [-1, 1], motor: true}
  - {name: B, parent: A, d: 0.5, follows: {joint: A, ratio: -2}, limits: [-1, 1]}
frames: [{name: tip, parent: B, d: 0.2}]
"""


def test_coupled_joints_follow_in_grids_and_clouds() -> None:
    model = kg.load(COUPLED).compile()
    found = kg.kinematics.grid_positions(model, ["tip"], {"A": (-1.0, 1.0, 5)})[:, 0]
    a = np.linspace(-1, 1, 5)
    exact = 0.5 * np.exp(1j * a) + 0.2 * np.exp(-1j * a)
    np.testing.assert_allclose(found[:, 0] + 1j * found[:, 1], exact, atol=1e-15)
    cloud = kg.kinematics.point_cloud(model, "tip", 200)
    # of B's limits A keeps half of its own: |A| <= 0.5
    reach = 0.5 * np.exp(0.5j) + 0.2 * np.exp(-0.5j)
    assert cloud[:, 0].min() == pytest.approx(reach.real, abs=1e-2)
    np.testing.assert_allclose(cloud[:, 0] / 0.7, np.sqrt(1 - (cloud[:, 1] / 0.3) ** 2), atol=1e-12)
    parts = [kg.kinematics.point_cloud(model, "tip", 100, first=k) for k in (0, 100)]
    np.testing.assert_array_equal(np.concatenate(parts), cloud)
