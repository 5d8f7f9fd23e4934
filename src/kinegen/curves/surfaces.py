"""Surfaces: y = f(x1, x2), from which curves are chosen (3D-RAS, section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kinegen.curves.curve import Curve
from kinegen.curves.formula import Range, range_of, read_formula
from kinegen.curves.volumes import Volume
from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats

__all__ = ["SURFACES", "Surface", "surface"]


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """One coordinate as a formula of the other two, as a family of curves."""

    formula: str
    """Of x1 and x2 [m]; plain numbers are metres."""
    x1: Range = (0.1, 0.3)
    """Range of the first variable [m], along which curves run."""
    x2: Range = (0.1, 0.3)
    """Range of the second [m], which distinguishes the curves."""
    curves: int = 20
    value: Literal["x", "y", "z"] = "y"
    """The coordinate that the formula gives; x1 and x2 are the two others, in their order."""
    name: str = "surface"
    note: str = ""
    parameters: Mapping[str, float] = field(default_factory=dict)
    _volume: Volume = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.value not in ("x", "y", "z"):
            raise UsageError(f"a surface must give x, y or z, not {self.value!r}")
        # checked here, so that an error shows the user's own text and character
        known = {name: x for name, x in self.parameters.items() if name not in ("u", "v")}
        formula = read_formula(self.formula, ("x1", "x2", *known), self.value)
        first, second = (axis for axis in "xyz" if axis != self.value)
        given = Volume(
            **{first: "u", second: "v", self.value: formula.renamed(_letters).text},
            u=range_of(self.x1, "x1", quantity="length"),
            v=range_of(self.x2, "x2", quantity="length"),
            curves=self.curves,
            name=self.name,
            parameters=known,
        )
        object.__setattr__(self, "_volume", given)

    def curve(self, index: int, *, along: Literal["x1", "x2"] = "x1") -> Curve:
        """One of its curves, by the paper's "index row": along x1, x2 held (or the other way)."""
        if along not in ("x1", "x2"):
            raise UsageError(f"a curve must run along x1 or x2, not {along!r}")
        return self._volume.curve(index, along="u" if along == "x1" else "v")

    def grid(self, points: int) -> Floats:
        """All its curves, (curves, points, 3) [m], for a picture."""
        return self._volume.grid(points)


def _letters(name: str) -> str:
    return {"x1": "u", "x2": "v"}.get(name, name)


SURFACES = {
    row.name: row
    for row in (
        Surface("20 cm", name="plane", value="z", note="a table"),
        Surface("x1 + x2 - 20 cm", name="slope", value="z", note="a tilted plane"),
        Surface(
            "15 cm + 4*(x1 - 20 cm)*(x2 - 20 cm)/(20 cm)", name="saddle", value="z",
            note="a hyperbolic paraboloid",
        ),
        Surface(
            "10 cm + 2*((x1 - 20 cm)^2 + (x2 - 20 cm)^2)/(20 cm)", name="bowl", value="z",
            note="a paraboloid of revolution",
        ),
        Surface(
            "15 cm + 3 cm*sin(x1/(20 cm)*tau)*cos(x2/(20 cm)*tau)", name="waves", value="z",
            note="an egg box",
        ),
        Surface(
            "12 cm + 8 cm*exp(-((x1 - 20 cm)^2 + (x2 - 20 cm)^2)/(10 cm)^2)", name="bell",
            value="z", note="a bell-shaped hill",
        ),
        Surface(
            "15 cm + 3 cm*cos(hypot(x1 - 20 cm, x2 - 20 cm)/(5 cm)*pi)", name="ripple", value="z",
            note="rings around the middle",
        ),
        Surface(
            "10 cm + sqrt((10 cm)^2 - (x1 - 20 cm)^2)", name="pipe", value="z",
            note="the upper half of a pipe along y",
        ),
        Surface(
            "10 cm + sqrt((12 cm)^2 - (x1 - 20 cm)^2 - (x2 - 20 cm)^2)", name="dome", value="z",
            note="the top of a ball; its corners are empty",
        ),
    )
}  # fmt: skip
"""The menu of surfaces, by name: all within reach of an arm of 30 cm."""


def surface(name: str) -> Surface:
    """A ready-made surface, by name."""
    try:
        return SURFACES[name]
    except KeyError:
        raise unknown_name("surface", name, "the menu", SURFACES) from None
