"""Objects of the scene as links."""

from __future__ import annotations

import numpy as np

import kinegen as kg

SCENE = """
raff: 1
name: scene
joints:
  - {name: A, parent: base, d: 1, start: 90 deg, mass: 1, inertia: [1, 1, 1]}
frames:
  - {name: tip, parent: A, d: 0.5}
objects:
  - {name: wall, shape: {box: [1, 1, 1]}, fixed: true, at: {xyz: [3, 0, 0]}}
  - {name: top, shape: {box: [0.1, 0.1, 0.1]}, at: {parent: tip, r: 0.2}, density: 500,
     velocity: [0, 2, 0], spin: [0, 0, 4]}
"""


def test_free_ones_start_where_the_scene_puts_them() -> None:
    system = kg.dynamics.System.of(kg.load(SCENE), objects=True)
    np.testing.assert_allclose(
        kg.pose(system.model, None, "top").translation, [1, 0.5, 0.2], atol=1e-12
    )
    twist = kg.kinematics.link_twists(system.model, None, system.start_v)[
        system.model.link_names.index("top")
    ]
    np.testing.assert_allclose(twist, [0, 2, 0, 0, 0, 4], atol=1e-12)
    assert np.isclose(system.model.inertia[-1, 0], 0.5)


def test_fixed_ones_stay_outside_of_the_mechanism() -> None:
    system = kg.dynamics.System.of(kg.load(SCENE), objects=True)
    assert [row["name"] for row in system.fixed_objects] == ["wall"]
    assert "wall" not in system.model.link_names


def test_the_mechanism_given_is_left_alone() -> None:
    mechanism = kg.load(SCENE)
    kg.dynamics.System.of(mechanism, objects=True)
    assert list(mechanism.joints) == ["A"] and mechanism.document is not None
