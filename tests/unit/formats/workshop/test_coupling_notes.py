"""Couplings are named: they are not among the parts."""

from __future__ import annotations

import kinegen as kg
from kinegen.formats.workshop.flat.assembly import flat_assembly

GEARED = """
raff: 1
name: geared
joints:
  - {name: A, parent: base, motor: true}
  - {name: B, parent: base, d: 0.2, follows: {joint: A, ratio: -1}}
frames:
  - {name: t, parent: A, d: 0.1}
  - {name: u, parent: B, d: 0.1}
"""


def test_a_joint_that_follows_another_is_named() -> None:
    assert flat_assembly(kg.load(GEARED)).messages == (
        "what makes joint 'B' follow 'A' is not among the parts",
    )
