"""Branches with names."""

from __future__ import annotations

import numpy as np

import kinegen as kg
from kinegen.studio.jobs.branches import named_branches
from kinegen.studio.session.compiled_text import closed_start


def test_branches_of_an_arm_are_told_in_words() -> None:
    model = kg.load("ur5e").compile()
    circle = kg.circle([0.35, 0.1, 0.3], 0.1)
    found = named_branches(
        model, circle, "tool", tool=kg.SO3.from_rpy(np.pi, 0, 0), wrist_angle=None,
        start=model.start(), limits=True,
    )  # fmt: skip
    names = {branch.name for branch in found}
    assert len(found) == len(names) == 8
    assert any("elbow down" in name for name in names)
    assert any("wrist flipped" in name for name in names)


def test_branches_of_a_linkage_are_told_by_its_limbs() -> None:
    model = kg.load("five-bar").compile()
    start, *_ = closed_start(model)
    found = named_branches(
        model, kg.circle([0.1, 0.3, 0], 0.05), "handle", tool=None, wrist_angle=None, start=start,
        limits=True,
    )  # fmt: skip
    assert {branch.name for branch in found} == {"A −, E −", "A −, E +", "A +, E −", "A +, E +"}
    far = kg.circle([5.0, 0, 0], 0.05)
    assert not named_branches(
        model, far, "handle", tool=None, wrist_angle=None, start=start, limits=True
    )
