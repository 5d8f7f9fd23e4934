"""Figures of results: clouds, zones, backlash and paths with the mechanism they belong to."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import TypeAlias

import numpy as np

from kinegen.errors import UsageError
from kinegen.files import write_atomically
from kinegen.formats.drawing.figure import Dots, Key, Panel, View, Wires, draw_figure
from kinegen.formats.drawing.pictures.theme import THEMES
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.positions import pose
from kinegen.kinematics.solving.assembling.assembly import assemble
from kinegen.mechanism.model import Model
from kinegen.motion.path import Path
from kinegen.workspace.accuracy.backlash import Backlash
from kinegen.workspace.clouds.cloud import Cloud
from kinegen.workspace.colours import (
    Colours,
    colours_of,
    palette_colours,
    scale_colours,
    value_ends,
)
from kinegen.workspace.zones.result import Zone

__all__ = ["Drawable", "Figure", "figure", "figure_file"]

Drawable: TypeAlias = Cloud | Zone | Backlash | Path
STEPS = 24
"""Colours of a scale: a file of lines has one path per colour."""
_REACHED, _MISSED, _AROUND = "#0072b2", "#d55e00", "#9aa6b5"


class Figure:
    """A picture of a result, which :meth:`save` writes as .svg, .pdf or .png."""

    def __init__(self, title: str, draw: Callable[[str], bytes]) -> None:
        """A picture that ``draw`` makes for the name of a file."""
        self.title, self._draw = title, draw

    def to_bytes(self, name: str = "figure.svg") -> bytes:
        """The content of a file, by the suffix of its name; PNG needs Matplotlib."""
        return self._draw(name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file: .svg, .pdf or .png."""
        write_atomically(path, self.to_bytes(os.fspath(path)))

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return self.to_bytes().decode()


def figure(
    result: Drawable,
    *,
    views: Sequence[View] = ("auto",),
    title: str | None = None,
    palette: str = "safe",
    theme: str = "light",
    q: Configuration = None,
    around: Sequence[Floats] = (),
) -> Figure:
    """A drawing of a result with its mechanism, axes and a legend.

    ``cloud.save("cloud.svg", …)`` writes the same with the same options; so do zones and backlash.
    Paths are saved as reports with charts, and drawn in space by this function.

    Args:
        result: A result of `cloud`, `zone`, `zone_slice`, `backlash` or `follow`.
        views: One panel each: 'auto', 'iso', 'front', 'top', 'side', or (azimuth, elevation) of
            the eye [deg].
        title: Title of the figure; default: a description of the result.
        palette: Of links and modes: 'safe' or 'paper' (3D-RAS's).
        theme: 'light' or 'dark'.
        q: Pose of the mechanism; default: the file's start, or the middle of a path.
        around: Further lines [m], each (n, 3), such as the surface that a path lies on.
    """
    if not isinstance(result, Drawable):
        raise UsageError(
            f"a {type(result).__name__} cannot be drawn: specify a cloud, a zone, backlash or a "
            "path"
        )
    drawing = _Drawing(result.model, views, palette, theme, q, around)
    panels, keys, heading, notes = _parts(result, drawing)
    title = title or heading
    return Figure(
        title,
        lambda name: draw_figure(
            result.model, panels, name, title=title, notes=notes, keys=keys, theme=theme
        ),
    )


def figure_file(
    result: Drawable,
    name: str,
    *,
    views: Sequence[View] = ("auto",),
    title: str | None = None,
    palette: str = "safe",
    theme: str = "light",
    q: Configuration = None,
) -> bytes:
    """What :func:`figure` draws, as a file."""
    made = figure(result, views=views, title=title, palette=palette, theme=theme, q=q)
    return made.to_bytes(name)


class _Drawing:
    """What a figure is drawn with, whatever it shows."""

    def __init__(
        self, model: Model, views: Sequence[View], palette: str, theme: str, q: Configuration,
        around: Sequence[Floats],
    ) -> None:  # fmt: skip
        self.model, self.views, self.palette, self.theme = model, views, palette, theme
        self.around = around
        self.q = None if q is None else configuration(model, q)
        self.is_dark = theme in THEMES and theme == "dark"

    def home(self) -> Floats:
        """The pose asked for, else the file's start, loops closed."""
        start = configuration(self.model) if self.q is None else self.q
        return assemble(self.model, start).q if self.model.constraint_count else start

    def panels(self, items: Sequence[Dots | Wires], q: Floats) -> list[Panel]:
        """One per view."""
        return [Panel(items, q, view) for view in self.views]


_Parts = tuple[list[Panel], list[Key], str, list[str]]


@singledispatch
def _parts(result: object, drawing: _Drawing) -> _Parts:
    raise NotImplementedError


@_parts.register
def _cloud(result: Cloud, drawing: _Drawing) -> _Parts:
    is_link = result.layer == "link"
    values = result.values.T.ravel()
    colours = colours_of(values, result.layer, drawing.palette)
    if is_link:
        picked = palette_colours(np.arange(len(result.frames)), drawing.palette)
        keys = [Key(*pair) for pair in zip(result.frames, map(_hex, picked), strict=True)]
    else:
        low, high = float(values.min()), float(values.max())
        share = np.rint((values - low) / (high - low or 1.0) * STEPS) / STEPS
        colours = scale_colours(share, (0.0, 1.0))
        keys = _scale_keys(result.layer, low, high)
    sizes = _sizes(result)
    items = [Dots(result.xyz, colours, np.repeat(sizes, result.pose_count))]
    still = [k for k, ends in enumerate(result.bounds) if float(np.ptp(ends, axis=0).max()) < 1e-9]
    if still and is_link:
        # what never moves is under the mechanism: shown on it
        places = result.points[0, still]
        items.append(Dots(places, colours[np.array(still) * result.pose_count], 5.0, above=True))
    notes = [f"{result.pose_count} poses, {result.point_count} points"]
    keys += [Key("", "", words) for words in ("", *_ranges(result))]
    return drawing.panels(items, drawing.home()), keys, f"Workspace of {result.name}", notes


def _sizes(result: Cloud) -> Floats:
    """Radii of the dots of each frame [px]: larger where many poses share few places."""
    counts = [
        len(np.unique(np.round(points * 1e4).astype(np.int64), axis=0))
        for points in result.points.transpose(1, 0, 2)
    ]
    rarer = np.array([max(counts) / count for count in counts])
    return np.round(1.3 * np.minimum(rarer**0.2, 2.0), 1)


def _ranges(result: Cloud) -> list[str]:
    shown = []
    for one in result.sweep.ranges:
        factor, unit = (180 / math.pi, "°") if one.quantity == "angle" else (1000.0, " mm")
        shown.append(f"{one.name} {one.lower * factor:.4g} to {one.upper * factor:.4g}{unit}")
    return shown


def _scale_keys(layer: str, low: float, high: float) -> list[Key]:
    factor, unit = (180 / math.pi, "°") if layer.startswith("joint:") else (1.0, "")
    rows = [Key(layer.removeprefix("joint:"), "")]
    for k in range(4, -1, -1):
        color = _hex(scale_colours(np.array([k / 4]), (0.0, 1.0))[0])
        rows.append(Key(f"{(low + (high - low) * k / 4) * factor:.3g}{unit}", color))
    return rows


@_parts.register
def _zone(result: Zone, drawing: _Drawing) -> _Parts:
    if result.kind == "turn":
        raise UsageError(
            "a zone of orientations has no positions to draw: write it as .csv, .npz or .ply"
        )
    index = result.mode_index
    picked = palette_colours(np.arange(len(result.modes)), drawing.palette)
    keys = [
        Key(mode.name, _hex(colour), f"{mode.count}")
        for mode, colour in zip(result.modes, picked, strict=True)
    ]
    size = result.measure
    held = [f"{name} held at {math.degrees(v):.4g}°" for name, v in result.held.items()]
    notes = [
        f"{len(index)} points of {result.tried} poses",
        f"{size.value:.3g} ± {size.error:.1g} {size.unit} together",
        *held,
    ]
    colours = palette_colours(index, drawing.palette)
    values = result.values
    if result.layer is not None and values is not None and len(values):
        low, high = value_ends(values)
        share = np.rint(np.clip((values - low) / (high - low or 1.0), 0, 1) * STEPS) / STEPS
        colours = scale_colours(share, (0.0, 1.0))
        keys = _scale_keys(result.layer, low, high)
    items = [Dots(result.points, colours, 1.2)]
    title = f"Reachable zone of '{result.frame}' of {result.name}"
    return drawing.panels(items, drawing.home()), keys, title, notes


@_parts.register
def _backlash(result: Backlash, drawing: _Drawing) -> _Parts:
    place = pose(drawing.model, result.q, result.frame).translation
    cloud, nominal = palette_colours([5, 4])
    count = len(result.points)
    dots = Dots(result.points, np.tile(cloud, (count, 1)), 1.5, above=True)
    spot = Dots(place[None], nominal[None], 4.0, above=True)
    panels = drawing.panels([dots, spot], result.q)
    panels = [Panel(panel.items, panel.q, panel.view, "at the mechanism") for panel in panels]
    close = Dots(dots.xyz, dots.colours, 2.0)
    panels.append(
        Panel([close, spot], None, "iso", "close-up around the nominal position", np.asarray(place))
    )
    keys = [Key("with backlash", _hex(cloud), f"{count}"), Key("without", _hex(nominal))]
    ends = [
        f"{axis} {0.0 - low * 1000:.2f} to {high * 1000:.2f} mm"
        for axis, low, high in zip("xyz", result.lower, result.upper, strict=True)
    ]
    title = f"Backlash of '{result.frame}' of {result.name}"
    return panels, keys, title, [f"{result.worst * 1000:.3g} mm at worst", ", ".join(ends)]


@_parts.register
def _path(result: Path, drawing: _Drawing) -> _Parts:
    met = np.flatnonzero(result.reachable)
    exist = np.isfinite(result.xyz).all(axis=1)
    missed = np.flatnonzero(~result.reachable & exist)
    ink = "#e8ecf2" if drawing.is_dark else "#10151c"
    q = drawing.q
    if q is None:
        q = result.q[met[len(met) // 3]] if len(met) else drawing.home()
    items: list[Dots | Wires] = []
    if len(drawing.around):
        color = "#5d6878" if drawing.is_dark else _AROUND
        items.append(Wires(drawing.around, color, 0.7))
    way = np.where(result.reachable[:, None], result.xyz, np.nan)
    ends = result.xyz[[0, -1]]
    if len(met) == len(result) and np.linalg.norm(ends[1] - ends[0]) < 2 * result.ways[-1] / len(
        result
    ):
        way = np.concatenate([way, way[:1]])
    items.append(Wires([way], _REACHED, 2.2, above=True))
    keys = []
    for some, color, words in ((met, ink, "reached"), (missed, _MISSED, "not reached")):
        if len(some):
            colours = np.tile(_bytes(color), (len(some), 1))
            items.append(Dots(result.xyz[some], colours, 2.2, above=True))
            keys.append(Key(words, color, f"{len(some)}"))
    if len(drawing.around):
        keys.append(Key("surface", _AROUND, is_line=True))
    notes = [
        f"{len(met)} of {len(result)} points reached",
        f"{result.ways[-1] * 1000:.4g} mm, {result.duration:.3g} s",
        *(crossing.text for crossing in result.crossings[:1]),
    ]
    title = f"{result.name[0].upper()}{result.name[1:]} by '{result.frame}' of {result.model.name}"
    return drawing.panels(items, q), keys, title, notes


def _hex(colour: Colours) -> str:
    return "#" + "".join(f"{int(part):02x}" for part in colour)


def _bytes(color: str) -> Colours:
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.uint8)
