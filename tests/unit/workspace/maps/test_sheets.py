"""Branches followed from place to place."""

from __future__ import annotations

import numpy as np

import kinegen as kg
from kinegen.workspace.maps.joint_map import joint_map

FIVE = kg.load("five-bar").compile()
BOX = {"x": (0.05, 0.15, 11), "y": (0.25, 0.35, 11)}


def test_a_branch_stays_the_same_from_place_to_place() -> None:
    found = joint_map(FIVE, BOX)
    assert len(found.branches) == 4
    for branch in found.branches:
        grid = branch.qs.reshape(*found.shape, FIVE.nq)
        for axis in (0, 1):
            steps = np.abs(np.diff(grid, axis=axis))
            assert np.nanmax(steps) < 0.3
        for i in np.flatnonzero(branch.reached)[::17]:
            q = branch.qs[i]
            assert kg.kinematics.loop_gap(FIVE, q).distance < 1e-9
            place = kg.pose(FIVE, q, "handle").translation
            np.testing.assert_allclose(place, found.points[i], atol=1e-7)


def test_branches_differ_everywhere() -> None:
    found = joint_map(FIVE, BOX)
    first, *others = found.branches
    for other in others:
        both = first.reached & other.reached
        assert np.abs(first.qs[both] - other.qs[both]).max(axis=1).min() > 1e-2


def test_the_present_branch_comes_with_its_name() -> None:
    q = kg.assemble(FIVE).q
    here = kg.pose(FIVE, q, "handle").translation
    box = {"x": (here[0] - 0.02, here[0] + 0.02, 3), "y": (here[1] - 0.02, here[1] + 0.02, 3)}
    found = joint_map(FIVE, box, start=q)
    own = next(branch for branch in found.branches if branch.name == "current")
    np.testing.assert_allclose(own.qs[4], q, atol=1e-6)


def test_the_branch_of_a_pose_is_found() -> None:
    found = joint_map(FIVE, BOX)
    for k, branch in enumerate(found.branches):
        place = np.flatnonzero(branch.reached)[0]
        assert found.present_branch(branch.qs[place]) == k


def test_a_family_of_answers_is_one_branch() -> None:
    arm = kg.load("franka").compile()
    found = joint_map(arm, {"x": (0.3, 0.4, 3), "z": (0.4, 0.5, 3)})
    assert [branch.name for branch in found.branches] == ["current"]
    assert found.branches[0].reached.all()


def test_places_apart_are_found_too() -> None:
    # the tool stands outside of the box; one corner of it is out of reach
    found = joint_map(FIVE, {"x": (-0.2, 0.4, 13), "y": (-0.35, 0.2, 12)})
    assert any(branch.reached.any() for branch in found.branches)
    assert not np.any([branch.reached for branch in found.branches], axis=0).all()


def test_work_can_be_ended() -> None:
    reports: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> bool:
        reports.append((done, total))
        return False

    found = joint_map(FIVE, BOX, progress=stop)
    assert reports == [(1, 4)] and len(found.branches) == 1
