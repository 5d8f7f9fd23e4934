"""Skeleton: a second pose of a mechanism in a page, drawn as a line through its links."""

from __future__ import annotations

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.positions import forward
from kinegen.live.view import View
from kinegen.mechanism.model import Model

__all__ = ["Skeleton"]


class Skeleton:
    """A line that walks from the base to every link and back, such as a measured pose."""

    def __init__(self, view: View, model: Model, *, color: str = "#ff8800") -> None:
        """Nothing is shown before :meth:`show`."""
        self._view, self._model, self._color = view, model, color
        children: dict[int, list[int]] = {}
        for joint in model.joints:
            if not joint.is_cut:
                children.setdefault(int(joint.parent), []).append(int(joint.child))
        self._walk: list[int] = []

        def visit(link: int) -> None:
            self._walk.append(link)
            for child in children.get(link, ()):
                visit(child)
                self._walk.append(link)

        visit(0)
        self._line = (
            None
            if len(self._walk) < 2
            else view.line(self._places(model.start()), color=color, width=4, name="measured")
        )

    def show(self, q: Floats) -> None:
        """Show a pose."""
        if self._line is not None:
            self._line.update(self._places(q))

    def _places(self, q: Floats) -> Floats:
        return np.asarray(forward(self._model, q)[self._walk, 4:])
