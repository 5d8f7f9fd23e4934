"""Headings of tables: one per number, with units."""

from __future__ import annotations

import numpy as np

import kinegen as kg
from kinegen.mechanism.headings import effort_headings, q_columns, q_headings, v_headings

MIXED = """
raff: 1
joints:
  - {name: slide, type: prismatic, parent: base}
  - {name: ball, type: spherical, parent: slide, r: 1}
"""


def test_each_number_has_a_heading_with_its_unit() -> None:
    model = kg.load(MIXED).compile()
    assert q_headings(model) == ["slide [m]", "ball qw", "ball qx", "ball qy", "ball qz"]
    assert v_headings(model)[0] == "slide [m/s]" and effort_headings(model)[0] == "slide [N]"
    assert len(v_headings(model)) == model.nv and v_headings(model)[1].endswith("[rad/s]")


def test_configurations_become_columns() -> None:
    model = kg.load("five-bar").compile()
    qs = np.arange(3 * model.nq, dtype=float).reshape(3, model.nq)
    table = q_columns(model, qs)
    np.testing.assert_array_equal(table["B [rad]"], qs[:, 1])
    assert [len(column) for column in q_columns(model, qs[0]).values()] == [1] * model.nq
