from __future__ import annotations

import io
import json

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.clouds.cloud import cloud, cloud_chunks, plan_cloud

LYNX = kg.load("lynx6").compile()


def test_figure_5_of_the_paper() -> None:
    made = cloud(LYNX, factor=15)
    assert made.pose_count == 5184 == 12 * 6 * 6 * 12
    assert made.frames == ("waist", "shoulder", "elbow", "wrist", "tool")
    assert made.point_count == 5 * 5184 and made.complete and made.elapsed > 0
    reach = np.linalg.norm(made.points[:, -1] - [0, 0, 0.11], axis=1).max()
    assert 0.36 < reach <= 0.37 + 1e-12  # 120 + 120 + 130 mm from the shoulder


def test_points_and_poses_are_those_of_forward_kinematics() -> None:
    made = cloud(LYNX, count=30, rotations=True)
    qs = made.sweep.chunk(0, 30)
    assert made.poses is not None
    for i in (0, 11, 29):
        for k, frame in enumerate(made.frames):
            X = kg.pose(LYNX, qs[:, i], frame)
            np.testing.assert_allclose(made.points[i, k], X.translation, atol=1e-12)
            assert abs(made.poses[i, k, :4] @ X.quat) == pytest.approx(1)
    low, high = made.bounds[-1]
    np.testing.assert_array_equal(low, made.points[:, -1].min(axis=0))
    np.testing.assert_array_equal(high, made.points[:, -1].max(axis=0))


def test_a_pose_leads_back_to_its_configuration() -> None:
    plan = plan_cloud(LYNX, factor=30)
    assert np.array_equal(plan.configuration(7), plan.sweep.chunk(0, 8)[:, 7])
    with pytest.raises(UsageError, match="a pose of this cloud must be a whole number from 0"):
        plan.configuration(plan.sweep.count)


def test_a_stream_gives_the_same_points_in_pieces() -> None:
    plan = plan_cloud(LYNX, factor=30)
    whole = cloud(LYNX, factor=30)
    pieces = list(cloud_chunks(plan, chunk=100))
    assert len(pieces) == -(-plan.sweep.count // 100)
    np.testing.assert_array_equal(np.concatenate([p.points for p in pieces]), whole.points)
    assert pieces[1].first == 100 and pieces[1].qs.shape == (100, LYNX.nq)


def test_progress_is_reported_and_may_stop_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    reports = []

    def stop_after_two(done: int, total: int) -> bool:
        reports.append((done, total))
        return len(reports) < 2

    monkeypatch.setattr("kinegen.workspace.clouds.sweep.CHUNK", 500)
    monkeypatch.setattr(
        "kinegen.workspace.clouds.cloud.cloud_chunks",
        lambda *args, **options: cloud_chunks(*args, **options, chunk=500),
    )
    made = cloud(LYNX, factor=15, progress=stop_after_two)
    assert reports == [(500, 5184), (1000, 5184)]
    assert not made.complete and made.pose_count == 1000


def test_a_held_joint_narrows_the_cloud() -> None:
    made = cloud(LYNX, factor=30, ranges={"waist": (0.0, 0.0)})
    assert np.abs(made.points[:, -1, 1]).max() < 1e-12  # all in the arm's plane
    assert next(one for one in made.sweep.ranges if one.name == "waist").count == 1


def test_density_is_worked_out_at_the_end() -> None:
    made = cloud(LYNX, factor=30, layer="density")
    assert made.values[:, 0].min() == made.pose_count  # the waist's origin never moves


def test_what_makes_no_cloud_is_refused() -> None:
    with pytest.raises(UsageError, match=r"has loops.*zone"):
        cloud(kg.load("five-bar").compile())
    with pytest.raises(UsageError, match="not both"):
        cloud(LYNX, factor=15, count=10)
    with pytest.raises(UsageError, match="at least one frame"):
        cloud(LYNX, frames=[])
    with pytest.raises(UsageError, match="no joint of mechanism 'lynx6' moves base"):
        cloud(LYNX, frames=["base"])
    with pytest.raises(UsageError, match=r"1e.12 poses.*larger factor.*cloud_chunks"):
        cloud(LYNX, count=10**12)
    with pytest.raises(
        UsageError, match=r"poses per piece must be a whole number from 1 to .* not 0"
    ):
        next(cloud_chunks(plan_cloud(LYNX), chunk=0))


def test_balls_and_free_bases_are_said_to_hold_still() -> None:
    assert (
        "right_shoulder"
        in kg.cloud(kg.load("humanoid-30").compile(), frame="right_hand", count=9).held
    )
    assert kg.cloud(kg.load("lynx6").compile(), count=9).held == ()


def test_files_of_a_cloud() -> None:
    made = cloud(LYNX, count=20, layer="joint:elbow")
    head, *rows = made.to_bytes("a.csv").decode().splitlines()
    assert head == "frame,joint:elbow,x [m],y [m],z [m]" and len(rows) == made.point_count
    frame, value, *xyz = rows[21].split(",")  # frame after frame
    assert frame == made.frames[1] and float(value) == made.values[1, 1]
    assert [float(x) for x in xyz] == made.points[1, 1].tolist() == made.xyz[21].tolist()
    with np.load(io.BytesIO(made.to_bytes("a.npz"))) as kept:
        np.testing.assert_array_equal(kept["points"], made.points)
        assert kept["frames"].tolist() == list(made.frames) and "poses" not in kept
    assert b"element vertex 100\n" in made.to_bytes("a.ply", palette="paper")
    assert json.loads(made.to_bytes("a.json"))["ranges"][0]["name"] == "waist"
    assert {".svg", ".glb", ".stl"} <= set(made.suffixes())
