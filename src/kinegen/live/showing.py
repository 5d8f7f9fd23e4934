"""Showing: what both forms of a view have in common, none of which waits for the studio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, did_you_mean, whole_number
from kinegen.kernels import Floats
from kinegen.live.callbacks import Callback
from kinegen.live.controls import Button, Checkbox, Choice, Plot, Readout, Slider, plot_values
from kinegen.live.core import Core
from kinegen.live.items import Arrow, Label, Line, Mesh, Points, Trace
from kinegen.live.shared import GivenPose
from kinegen.live.values import Color
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["Showing"]

F = TypeVar("F", bound=Callback)
ORIGIN = (0.0, 0.0, 0.0)
SPAN = 1000
"""Number of values that a plot keeps."""


class Showing:
    """A program's view of a session. All methods may be called from any thread."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._plots: dict[str, Plot] = {}

    def __setattr__(self, name: str, value: object) -> None:
        """A misspelt attribute is an error; nothing would happen otherwise."""
        if not name.startswith("_") and not hasattr(type(self), name):
            known = [one for one in dir(type(self)) if not one.startswith("_")]
            hint = did_you_mean(name, known)
            raise AttributeError(f"a view has no attribute '{name}'{hint}")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        core = self._core
        return f"{type(self).__name__}('{core.shared.name}' at {core.link.address.place})"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows."""
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
    def link(self) -> str:
        """The link to the session, for a browser or for ``kg.connect``.

        Anyone who has it can change the session, and open and save files in the project folder.
        """
        return self._core.page

    @property
    def pages(self) -> int:
        """How many pages show the session now."""
        return max(0, self._core.pages)

    @property
    def state(self) -> str:
        """'open'; 'lost' while the view tries to reconnect; 'closed' for good."""
        return self._core.link.state

    @property
    def mechanism(self) -> Mechanism:
        """The current mechanism, as a copy; to change it, use the view."""
        return self._core.shared.mechanism_and_model()[0].snapshot()

    @property
    def model(self) -> Model:
        """The current model, for Kinegen's functions; every edit creates a new one."""
        return self._core.shared.mechanism_and_model()[1]

    # Poses

    @property
    def q(self) -> Floats:
        """The current configuration, (nq,); setting it moves the mechanism in the page.

        Takes nq numbers, values by joint name (the other joints follow so that loops stay closed),
        or a state. Open loops are closed at the nearest pose. The latest value is sent, at most 250
        times a second. While a person drags, the person has priority: ``q`` is the dragged
        configuration, and the latest value that was set is shown when the person lets go.
        """
        return self._core.shared.q

    @q.setter
    def q(self, q: GivenPose) -> None:
        self._core.write(q)

    @property
    def dragging(self) -> bool:
        """Whether a person is moving the mechanism."""
        return self._core.hand is not None

    @property
    def held(self) -> tuple[str, ...]:
        """The frames and links that a person is holding."""
        return self._core.hand or ()

    def on_drag(self, function: F) -> F:
        """Call a function with a :class:`Drag` when a person starts, moves or ends a drag."""
        self._core.on("drag", function)
        return function

    def on_edit(self, function: F) -> F:
        """Call a function with an :class:`Edit` when somebody else changes the text."""
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
            frame: Frame or link in whose coordinates both are; None: the world.
            color: A name, '#rrggbb' or (r, g, b).
            label: Text at its tip.
            name: An existing item of the same name is replaced.
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
        """Show dots at positions (n, 3) or (n, 2) [m]; ``color`` may be (n, 3); size in pixels."""
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
        """Show a line through positions (n, 3) or (n, 2) [m]; width in pixels."""
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
        """Show a text at a position [m], in the coordinates of ``frame`` if one is given."""
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
        """Show the path of a point of a frame or link, from now on."""
        return Trace(self._core, self._named(name, "trace"), frame, point, color, length)

    # The viewer of a wall

    def look_from(self, place: SE3 | npt.ArrayLike | None) -> None:
        """Put the viewer's head of a wall of screens somewhere in the room.

        The screens show what the eyes see from there; the latest place is sent, at most 250 times
        a second. For trackers: `kinegen head` does the same for webcams and UDP packets.

        Args:
            place: Position between the eyes in the room (3,) [m], or a pose X_RH with x to the
                right eye and y along the view; None returns the head to the file's eye point.
        """
        if place is None or isinstance(place, SE3):
            self._core.head(place, self.name)
            return
        try:
            numbers = np.asarray(place, dtype=float)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.shape != (3,) or not np.isfinite(numbers).all():
            raise UsageError(f"the head's position must be three finite numbers [m], got {place!r}")
        self._core.head(SE3(SO3.identity(), numbers), self.name)

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
        """Show a slider from low to high; its first value is low unless one is given."""
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
        """Show a choice between options; the first one is selected unless a value is given."""
        return Choice(self._core, self._named(name, "choice"), label, options, value)

    def readout(
        self, label: str, value: object = "", *, unit: str = "", name: str | None = None
    ) -> Readout:
        """Show a value beside its name; numbers have four significant digits."""
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

        A further call with the same label adds the next values, so a live plot takes one line in a
        loop: ``view.plot("torque", tau)``.

        Args:
            label: Its title.
            values: One number per curve, an array of them, or a mapping from names to numbers.
            x: Position on the horizontal axis; None: seconds since the plot began.
            names: Names of the curves, unless ``values`` is a mapping.
            x_label: Label of the horizontal axis.
            unit: Unit of the values.
            span: Number of values per curve that are kept; older ones are dropped.
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
            raise UsageError(f"the name of an item must have 1 to 200 characters, got {name!r}")
        return name
