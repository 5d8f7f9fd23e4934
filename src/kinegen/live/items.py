"""Items: what a program draws into the view, each with a handle that changes or removes it."""

from __future__ import annotations

import dataclasses
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.live.core import Core
from kinegen.live.values import Color, color_of, number, packed, place, places, words
from kinegen.studio.wire import messages as wire

__all__ = ["Arrow", "Item", "Label", "Line", "Mesh", "Points", "Trace"]

LONGEST_TRACE = 100_000

T = TypeVar("T", bound=wire.Item)


class Item(Generic[T]):
    """Something that a program shows. All methods may be called from any thread."""

    def __init__(self, core: Core, name: str, data: T) -> None:
        self._core = core
        self._data = data
        self.name = name
        """A new item of the same name replaces it."""
        self._show()

    def __repr__(self) -> str:
        return f"{type(self).__name__}('{self.name}')"

    def remove(self) -> None:
        """Remove it from the page."""
        self._core.hide(self.name)

    def _show(self) -> None:
        self._core.show(self.name, lambda: self._data)

    def _show_again(self) -> None:
        if not self._core.shows(self.name):
            raise UsageError(f"{self!r} was removed and cannot be changed; create another one")
        self._show()

    def _change(self, **fields: Any) -> None:
        self._data = dataclasses.replace(self._data, **fields)
        self._show_again()


class _Colored(Item[T]):
    @property
    def color(self) -> str:
        """Its colour; '' is the program's default colour."""
        return str(getattr(self._data, "color"))  # noqa: B009 - every such item has one

    @color.setter
    def color(self, color: Color) -> None:
        self._change(color=color_of(color))


class Arrow(_Colored[wire.ArrowItem]):
    """An arrow."""

    def __init__(
        self, core: Core, name: str, start: npt.ArrayLike, vector: npt.ArrayLike,
        frame: str | None, color: Color, label: str,
    ) -> None:  # fmt: skip
        super().__init__(
            core, name,
            wire.ArrowItem(
                "arrow", place(start, "the start of an arrow"), place(vector, "an arrow"),
                site(core, frame), color_of(color), words(label, "a label"),
            ),
        )  # fmt: skip

    def update(
        self,
        start: npt.ArrayLike | None = None,
        vector: npt.ArrayLike | None = None,
        *,
        label: str | None = None,
    ) -> None:
        """Move or relabel it; values that are not given stay unchanged."""
        before = self._data
        self._change(
            start=before.start if start is None else place(start, "the start of an arrow"),
            vector=before.vector if vector is None else place(vector, "an arrow"),
            label=before.label if label is None else words(label, "a label"),
        )


class Points(_Colored[wire.PointsItem]):
    """Dots at given positions."""

    def __init__(
        self, core: Core, name: str, xyz: npt.ArrayLike, frame: str | None,
        color: Color | npt.NDArray[Any], size: float,
    ) -> None:  # fmt: skip
        given = places(xyz, "points")
        one, each = _colors(color, len(given))
        super().__init__(
            core, name,
            wire.PointsItem(
                "points", packed(given), each, site(core, frame), one,
                number(size, "the size of points [px]", least=0, most=100),
            ),
        )  # fmt: skip

    def update(self, xyz: npt.ArrayLike, *, color: Color | npt.NDArray[Any] = None) -> None:
        """Replace the positions (n, 3) [m]; without `color`, the colour stays unchanged."""
        given = places(xyz, "points")
        one, each = _colors(color, len(given))
        self._change(places=packed(given), colors=each, color=one or self._data.color)


class Line(_Colored[wire.LineItem]):
    """A line through given positions."""

    def __init__(
        self, core: Core, name: str, xyz: npt.ArrayLike, frame: str | None, color: Color,
        width: float,
    ) -> None:  # fmt: skip
        super().__init__(
            core, name,
            wire.LineItem(
                "line", packed(places(xyz, "places of a line", 2)), site(core, frame),
                color_of(color), number(width, "the width of a line [px]", least=0, most=100),
            ),
        )  # fmt: skip

    def update(self, xyz: npt.ArrayLike) -> None:
        """Replace the positions (n, 3) [m]."""
        self._change(places=packed(places(xyz, "places of a line", 2)))


class Mesh(_Colored[wire.MeshItem]):
    """A surface of triangles."""

    def __init__(
        self, core: Core, name: str, xyz: npt.ArrayLike, triangles: npt.ArrayLike,
        frame: str | None, color: Color, opacity: float,
    ) -> None:  # fmt: skip
        corners = places(xyz, "corners of a mesh", 3)
        super().__init__(
            core, name,
            wire.MeshItem(
                "mesh", packed(corners), packed(_triangles(triangles, len(corners)), "<u4"),
                site(core, frame), color_of(color), number(opacity, "opacity", least=0, most=1),
            ),
        )  # fmt: skip

    def update(self, xyz: npt.ArrayLike, triangles: npt.ArrayLike | None = None) -> None:
        """Replace the corners (n, 3) [m], and the triangles if they change too."""
        corners = places(xyz, "corners of a mesh", 3)
        changes = {"places": packed(corners)}
        if triangles is not None:
            changes["triangles"] = packed(_triangles(triangles, len(corners)), "<u4")
        elif len(changes["places"]) != len(self._data.places):
            raise UsageError("the number of corners has changed: specify the triangles too")
        self._change(**changes)


class Label(_Colored[wire.LabelItem]):
    """A text at a position."""

    def __init__(
        self, core: Core, name: str, text: str, at: npt.ArrayLike, frame: str | None, color: Color
    ) -> None:
        super().__init__(
            core, name,
            wire.LabelItem(
                "label", words(text, "a label"), place(at, "the place of a label"),
                site(core, frame), color_of(color),
            ),
        )  # fmt: skip

    @property
    def text(self) -> str:
        """Its text; it is never interpreted as HTML."""
        return self._data.text

    @text.setter
    def text(self, text: str) -> None:
        self._change(text=words(text, "a label"))

    def update(self, text: str | None = None, at: npt.ArrayLike | None = None) -> None:
        """Change its text, its position [m] or both."""
        before = self._data
        self._change(
            text=before.text if text is None else words(text, "a label"),
            place=before.place if at is None else place(at, "the place of a label"),
        )


class Trace(_Colored[wire.TraceItem]):
    """The path of a point of a frame, from now on."""

    def __init__(
        self, core: Core, name: str, frame: str, point: npt.ArrayLike, color: Color, length: int
    ) -> None:
        super().__init__(
            core, name,
            wire.TraceItem(
                "trace", core.shared.check_site(frame), place(point, "the point of a trace"),
                color_of(color), whole_number(length, "the length of a trace", 2, LONGEST_TRACE),
            ),
        )  # fmt: skip


def site(core: Core, frame: str | None) -> str:
    """The frame in whose axes something is, '' for the world."""
    return "" if frame is None else core.shared.check_site(frame)


def _colors(color: Color | npt.NDArray[Any], count: int) -> tuple[str, str]:
    """One colour for all, and one for each; either is ''."""
    if not isinstance(color, np.ndarray) or color.ndim != 2:
        return color_of(color if not isinstance(color, np.ndarray) else color.tolist()), ""
    given = np.asarray(color, dtype=float)
    if given.shape != (count, 3) or not ((given >= 0) & (given <= 1)).all():
        raise UsageError(f"colors of {count} points have the shape ({count}, 3), from 0 to 1")
    return "", packed(given)


def _triangles(triangles: npt.ArrayLike, corners: int) -> npt.NDArray[Any]:
    given = np.asarray(triangles)
    if given.ndim != 2 or given.shape[1] != 3 or given.dtype.kind not in "iu":
        raise UsageError(f"triangles must be whole numbers of shape (n, 3), got {given.shape}")
    if given.size and (given.min() < 0 or given.max() >= corners):
        raise UsageError(f"triangles must name corners from 0 to {corners - 1}, got {given.max()}")
    return given
