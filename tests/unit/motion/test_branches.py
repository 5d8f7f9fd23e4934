"""Branches with names."""

from __future__ import annotations

import numpy as np

import kinegen as kg
from kinegen.motion.branches import named_branches


def test_branches_of_an_arm_are_named_in_words() -> None:
    model = kg.load("ur5e").compile()
    circle = kg.curves.circle([0.35, 0.1, 0.3], 0.1)
    found = named_branches(
        model, circle, frame="tool", tool=kg.SO3.from_rpy(np.pi, 0, 0), start=model.start(),
    )  # fmt: skip
    names = {branch.name for branch in found}
    assert len(found) == len(names) == 8
    assert any("elbow down" in name for name in names)
    assert any("wrist flipped" in name for name in names)


def test_branches_of_a_linkage_are_named_by_its_limbs() -> None:
    model = kg.load("five-bar").compile()
    start = kg.assemble(model).q
    found = named_branches(
        model, kg.curves.circle([0.1, 0.3, 0], 0.05), frame="handle", start=start,
    )  # fmt: skip
    assert {branch.name for branch in found} == {"A −, E −", "A −, E +", "A +, E −", "A +, E +"}
    far = kg.curves.circle([5.0, 0, 0], 0.05)
    assert not named_branches(model, far, frame="handle", start=start)
