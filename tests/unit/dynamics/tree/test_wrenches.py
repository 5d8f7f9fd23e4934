"""Wrenches by name become numbers per link."""

from __future__ import annotations

import numpy as np

import kinegen as kg
from kinegen.dynamics.tree.wrenches import wrench_rows

MODEL = kg.load("puma560").compile()


def test_a_frame_hands_its_wrench_to_its_link() -> None:
    q = MODEL.start()
    rows = wrench_rows(MODEL, q, {"tool": [1, 2, 3, 0, 0, 0], "elbow": [0, 0, 0, 4, 5, 6]})
    assert rows is not None
    arm = kg.pose(MODEL, q, "tool").translation - kg.pose(MODEL, q, "wrist_3").translation
    link = MODEL.link_names.index("wrist_3")
    np.testing.assert_allclose(rows[link], [1, 2, 3, *np.cross(arm, [1, 2, 3])])
    np.testing.assert_array_equal(rows[MODEL.link_names.index("elbow")], [0, 0, 0, 4, 5, 6])
    assert not rows[: MODEL.link_names.index("elbow")].any()


def test_several_on_one_link_add_up_and_none_is_none() -> None:
    q = MODEL.start()
    rows = wrench_rows(
        MODEL, q, {"wrist_3": [1, 0, 0, 0, 0, 0], "wrist_centre": [2, 0, 0, 0, 0, 0]}
    )
    assert rows is not None
    np.testing.assert_allclose(rows[-1], [3, 0, 0, 0, 0, 0], atol=1e-15)
    assert wrench_rows(MODEL, q, None) is None
    assert not np.any(wrench_rows(MODEL, q, {}))
