"""Showing: what both forms of a view have in common, none of which waits for the studio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.live.callbacks import Callback
from kinegen.live.controls import Button, Checkbox, Choice, Plot, Readout, Slider, plot_values
from kinegen.live.core import Core
from kinegen.live.items import Arrow, Label, Line, Mesh, Points, Trace
from kinegen.live.shared import GivenPose
from kinegen.live.values import Color
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model

__all__ = ["Showing"]

F = TypeVar("F", bound=Callback)
ORIGIN = (0.0, 0.0, 0.0)
SPAN = 1000
"""Values that a plot keeps."""


class Showing:
    """A program's view of a session. All methods may be called from any thread."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._plots: dict[str, Plot] = {}

    def __repr__(self) -> str:
        core = self._core
        return f"{type(self).__name__}('{core.shared.name}' at {core.link.address.place})"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows of it."""
        from kinegen.live.notebook import bundle

        return bundle(self._core, repr(self))

    # The session

    @property
    def name(self) -> str:
        """What the page calls this program."""
        return self._core.name

    @property
    def session(self) -> str:
        """The session; another program joins it with ``kg.connect(link, session=…)``."""
        return str(self._core.link.session)

    @property
    def pages(self) -> int:
        """How many pages show the session now."""
        return max(0, self._core.pages)

    @property
    def state(self) -> str:
        """'open'; 'lost' while a lost connection is tried again; 'closed' for good."""
        return self._core.link.state

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism as the text describes it now; a copy: edits go through the view."""
        return self._core.shared.mechanism_and_model()[0].snapshot()

    @property
    def model(self) -> Model:
        """Its model, for the functions of Kinegen; another one after every edit."""
        return self._core.shared.mechanism_and_model()[1]

    # Poses

    @property
    def q(self) -> Floats:
        """Where the mechanism stands now, (nq,); setting it moves the mechanism in the page.

        Takes nq numbers, values by joint name (the others follow so that loops stay closed), or a
        state. Loops that are open are closed at the nearest pose. The latest value is sent, at most
        250 times a second. While a person drags, the person's hand wins: ``q`` is what they do, and
        what was written last is shown when they let go.
        """
        return self._core.shared.q

    @q.setter
    def q(self, q: GivenPose) -> None:
        self._core.write(q)

    @property
    def dragging(self) -> bool:
        """Whether a person moves the mechanism now."""
        return self._core.hand is not None

    @property
    def held(self) -> tuple[str, ...]:
        """Frames and links that a person holds now."""
        return self._core.hand or ()

    def on_drag(self, function: F) -> F:
        """Have a function called with a :class:`Drag` when a person begins, moves or ends one."""
        self._core.on("drag", function)
        return function

    def on_edit(self, function: F) -> F:
        """Have a function called with an :class:`Edit` when somebody else changes the text."""
        self._core.on("edit", function)
        return function

    # In the view

    def arrow(
        self,
        start: npt.ArrayLike,
        vector: npt.ArrayLike,
        *,
        frame: str | None = None,
        color: Color = None,
        label: str = "",
        name: str | None = None,
    ) -> Arrow:
        """Show an arrow.

        Args:
            start: Where it begins [m].
            vector: From there to its tip [m].
            frame: Frame or link in whose axes both are; None: the world.
            color: A name, '#rrggbb' or (r, g, b).
            label: Words at its tip.
            name: Another item of the same name is replaced.
        """
        named = self._named(name, "arrow")
        return Arrow(self._core, named, start, vector, frame, color, label)

    def points(
        self,
        places: npt.ArrayLike,
        *,
        frame: str | None = None,
        color: Color | npt.NDArray[Any] = None,
        size: float = 0.0,
        name: str | None = None,
    ) -> Points:
        """Show dots at places (n, 3) [m]; colours (n, 3) give each its own; size in pixels."""
        return Points(self._core, self._named(name, "points"), places, frame, color, size)

    def line(
        self,
        places: npt.ArrayLike,
        *,
        frame: str | None = None,
        color: Color = None,
        width: float = 0.0,
        name: str | None = None,
    ) -> Line:
        """Show a line through places (n, 3) [m]; width in pixels."""
        return Line(self._core, self._named(name, "line"), places, frame, color, width)

    def mesh(
        self,
        places: npt.ArrayLike,
        triangles: npt.ArrayLike,
        *,
        frame: str | None = None,
        color: Color = None,
        opacity: float = 1.0,
        name: str | None = None,
    ) -> Mesh:
        """Show a surface of triangles (m, 3) between corners (n, 3) [m]."""
        named = self._named(name, "mesh")
        return Mesh(self._core, named, places, triangles, frame, color, opacity)

    def label(
        self,
        text: str,
        place: npt.ArrayLike = ORIGIN,
        *,
        frame: str | None = None,
        color: Color = None,
        name: str | None = None,
    ) -> Label:
        """Show words at a place [m], in the axes of a frame or link where one is given."""
        return Label(self._core, self._named(name, "label"), text, place, frame, color)

    def trace(
        self,
        frame: str,
        *,
        point: npt.ArrayLike = ORIGIN,
        color: Color = None,
        length: int = 3000,
        name: str | None = None,
    ) -> Trace:
        """Show the way that a point of a frame or link goes from now on."""
        return Trace(self._core, self._named(name, "trace"), frame, point, color, length)

    # In the panel

    def slider(
        self,
        label: str,
        low: float,
        high: float,
        *,
        value: float | None = None,
        step: float = 0.0,
        unit: str = "",
        name: str | None = None,
    ) -> Slider:
        """Show a slider from low to high; it begins at low where no value is given."""
        named = self._named(name, "slider")
        return Slider(self._core, named, label, low, high, value, step, unit)

    def button(self, label: str, *, name: str | None = None) -> Button:
        """Show a button."""
        return Button(self._core, self._named(name, "button"), label)

    def checkbox(self, label: str, value: bool = False, *, name: str | None = None) -> Checkbox:
        """Show a checkbox."""
        return Checkbox(self._core, self._named(name, "checkbox"), label, value)

    def choice(
        self,
        label: str,
        options: Sequence[str],
        *,
        value: str | None = None,
        name: str | None = None,
    ) -> Choice:
        """Show a choice of words; the first is chosen where no value is given."""
        return Choice(self._core, self._named(name, "choice"), label, options, value)

    def readout(
        self, label: str, value: object = "", *, unit: str = "", name: str | None = None
    ) -> Readout:
        """Show a value beside its name; numbers with four digits."""
        return Readout(self._core, self._named(name, "readout"), label, value, unit)

    def plot(
        self,
        label: str,
        *values: Any,
        x: float | None = None,
        names: Sequence[str] | None = None,
        x_label: str = "time [s]",
        unit: str = "",
        span: int = SPAN,
    ) -> Plot:
        """Show a plot, and add one value per curve to it.

        Called again with the same label, it adds the next values: ``view.plot("torque", tau)`` in a
        loop is all that a live plot takes.

        Args:
            label: Its title.
            values: One number per curve, an array of them, or a mapping from names to numbers.
            x: Where they belong; None: now, in seconds since the plot began.
            names: Of the curves, where ``values`` is no mapping.
            x_label: Words below it.
            unit: Of the values.
            span: How many values per curve are kept; the oldest are forgotten.
        """
        found, row = plot_values(values) if values else (None, [])
        plot = self._plots.get(label)
        if plot is None or plot.name not in self._core.item_names:
            count = len(row) or len(names or ()) or 1
            given = list(names or found or [label] if count == 1 else names or found or [])
            given = given or [f"{i + 1}" for i in range(count)]
            if row and len(given) != len(row):
                raise UsageError(f"there are {len(row)} values and {len(given)} names")
            plot = Plot(
                self._core, self._named(None, "plot"), label, given, x_label, unit,
                whole_number(span, "the span of a plot", 2, 20_000),
            )  # fmt: skip
            self._plots[label] = plot
        if row:
            plot.add(*row, x=x)
        return plot

    def clear(self) -> None:
        """Remove everything that this program shows."""
        for name in self._core.item_names:
            self._core.hide(name)
        self._plots.clear()

    def _named(self, name: str | None, kind: str) -> str:
        if name is None:
            return self._core.new_name(kind)
        if not isinstance(name, str) or not 1 <= len(name) <= 200:
            raise UsageError(f"the name of an item is a text of 1 to 200 letters, got {name!r}")
        return name
