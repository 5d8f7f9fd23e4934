"""A second pose of a mechanism, as a line through its links."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.live.skeleton import Skeleton

TREE = """
raff: 1
name: tree
joints:
  - {name: a, parent: base, d: 1}
  - {name: b, parent: a, d: 1}
  - {name: c, parent: a, d: 2}
"""


class View:
    """Takes what a page would show."""

    shown: Any = None

    def line(self, places: Any, **_: Any) -> View:
        self.shown = places
        return self

    update = line


def test_it_walks_to_every_link_and_back() -> None:
    view, model = View(), kg.load(TREE).compile()
    skeleton = Skeleton(view, model)  # type: ignore[arg-type]
    assert np.allclose(view.shown[:, 0], [0, 1, 2, 1, 3, 1, 0])
    skeleton.show(np.array([np.pi / 2, 0, 0]))
    assert view.shown[4] == pytest.approx([1, 2, 0])
