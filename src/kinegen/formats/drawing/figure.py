"""Figures: a mechanism with points and curves around it, axes and a legend, as SVG, PDF or PNG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, unknown_name
from kinegen.formats.drawing.canvas import Canvas, canvas_for, text_width
from kinegen.formats.drawing.chart import Box
from kinegen.formats.drawing.figure_axes import draw_axes, is_flat
from kinegen.formats.drawing.pictures.camera import Camera, direction_of, look_along
from kinegen.formats.drawing.pictures.mechanism import Scene
from kinegen.formats.drawing.pictures.paint import Painter
from kinegen.formats.drawing.pictures.theme import THEMES, Theme
from kinegen.kernels import Floats
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model
from kinegen.workspace.colours import Colours

__all__ = ["Dots", "Key", "Panel", "View", "Wires", "draw_figure", "draw_panel"]

View = str | tuple[float, float]
"""'auto', 'iso', 'front', 'top', 'side', or azimuth and elevation of the eye [deg]."""
FEW, MANY = 12_000, 250_000
"""Dots of a figure at most: in a file of lines, and in one of pixels."""
SLABS = 24
"""Steps of depth in which dots are drawn, far ones first."""
FOG = 0.55
"""How far the furthest dots fade into the page."""
LEGEND = 190.0
"""Width of the legend's column [px]."""
_WIDTHS = {1: (900, 600), 2: (1120, 560)}
"""Of the page by its number of panels [px]; more stand in two columns."""


@dataclass(frozen=True, slots=True, eq=False)
class Dots:
    """Points, beneath the mechanism or above it."""

    xyz: Floats
    """[m], (n, 3)."""
    colours: Colours
    """RGB bytes, (n, 3)."""
    radius: float | Floats = 1.3
    """On the page [px]; of all, or of each."""
    above: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Wires:
    """Lines through points; NaN breaks a line."""

    lines: Sequence[Floats]
    """[m], each (n, 3)."""
    color: str
    width: float = 1.0
    above: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """A row of the legend."""

    text: str
    color: str
    note: str = ""
    is_line: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One view of a mechanism with what is around it."""

    items: Sequence[Dots | Wires]
    q: Floats | None = None
    """Pose of the mechanism; None leaves it out."""
    view: View = "auto"
    title: str = ""
    origin: Floats = field(default_factory=lambda: np.zeros(3))
    """What counts as zero on the axes [m]."""

    def points(self) -> Floats:
        """All places that must fit, from the origin [m], (n, 3)."""
        parts = [
            item.xyz if isinstance(item, Dots) else np.concatenate(item.lines)
            for item in self.items
        ]
        every = np.concatenate(parts) if parts else np.zeros((0, 3))
        return np.asarray(every[np.isfinite(every).all(axis=1)] - self.origin)


def draw_figure(
    model: Model,
    panels: Sequence[Panel],
    name: str,
    *,
    title: str,
    notes: Sequence[str] = (),
    keys: Sequence[Key] = (),
    theme: str = "light",
) -> bytes:
    """A page with panels, as SVG, PDF or PNG by the suffix of a file's name."""
    if theme not in THEMES:
        raise unknown_name("theme", theme, "the list", THEMES)
    if not panels:
        raise UsageError("a figure needs at least one view")
    colours = THEMES[theme]
    suffix = PurePath(name).suffix.lower()
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    width, height = _WIDTHS.get(len(panels), (1120, 90 + 390 * rows))
    canvas = canvas_for(suffix, width, height, title)
    page = np.array([(-1, -1), (width + 1, -1), (width + 1, height + 1), (-1, height + 1)])
    canvas.polygons([page], colours.sky)
    most = (MANY if suffix == ".png" else FEW) // len(panels)
    wide, high = (width - LEGEND) / columns, (height - 84) / rows
    drawn = []
    for k, panel in enumerate(panels):
        box = Box(wide * (k % columns), 84 + high * (k // columns), wide, high)
        drawn.append(draw_panel(canvas, box, model, panel, colours, (width, height), most))
    canvas.text(28, 40, title, 20, colours.ink)
    shown, there = min(drawn)
    thinned = [f"{shown} of {there} dots drawn"] if shown < there else []
    canvas.text(28, 62, "; ".join([*notes, *thinned]), 12.5, colours.faint)
    _legend(canvas, width - LEGEND + 22, 106.0, keys, colours)
    return canvas.finish()


def draw_panel(
    canvas: Canvas, box: Box, model: Model, panel: Panel, theme: Theme, size: tuple[int, int],
    most: int = FEW,
) -> tuple[int, int]:  # fmt: skip
    """Draw a view into a box of a page of a size [px].

    Returns:
        How many dots were drawn beneath the mechanism, and how many there were to see.
    """
    scene = None
    extent = panel.points()
    joints, normal = extent, None
    if panel.q is not None:
        scene = Scene(model, forward(model, panel.q)[: model.link_count], theme)
        extent = np.concatenate([extent, scene.extent() - panel.origin])
        joints, normal = scene.joint_points(), scene.plane_normal
    low, high = extent.min(axis=0), extent.max(axis=0)
    view = panel.view
    if view == "auto" and normal is not None and abs(normal[2]) > 1 - 1e-6:
        view = "top"  # a plane is a chart: ticks at right angles
    camera = look_along(*direction_of(view, normal, joints))
    # what is there, and the floor its axes stand on
    sides = ((low[0], high[0]), (low[1], high[1]))
    corners = np.array([(x, y, z) for x in sides[0] for y in sides[1] for z in (low[2], high[2])])
    if not is_flat(camera):
        edge = int(np.argmin(corners @ camera.R_VW[0]))
        floor = corners[:, 2] == (low[2] if camera.R_VW[2, 2] >= 0 else high[2])
        floor[[edge, edge ^ 1]] = True
        corners = np.concatenate([extent, corners[floor]])
    inset = (62.0, 36.0, 18.0, 46.0) if is_flat(camera) else (66.0, 30.0, 40.0, 58.0)
    left, top = box.x + inset[0], box.y + inset[1]
    camera.fit(corners, (left, top, box.x + box.width - inset[2], box.y + box.height - inset[3]))
    draw_axes(canvas, camera, low, high, theme)
    if panel.title:
        canvas.text(box.x + 28, box.y + 8, panel.title, 14, theme.ink)
    counts = _draw_items(canvas, camera, panel, theme, most, above=False)
    if scene is not None and not panel.origin.any():
        _draw_mechanism(canvas, camera, scene, size)
    _draw_items(canvas, camera, panel, theme, most, above=True)
    return counts


def _draw_items(
    canvas: Canvas, camera: Camera, panel: Panel, theme: Theme, most: int, *, above: bool
) -> tuple[int, int]:
    chosen = [item for item in panel.items if item.above == above]
    for item in chosen:
        if isinstance(item, Wires):
            parts = [part for line in item.lines for part in _unbroken(line)]
            ways = [camera.page(part - panel.origin) for part in parts]
            if ways:
                canvas.lines(ways, item.color, item.width)
    dots = [item for item in chosen if isinstance(item, Dots) and len(item.xyz)]
    counts = [_draw_dots(canvas, camera, item, panel.origin, theme, most) for item in dots]
    return sum(shown for shown, _ in counts), sum(there for _, there in counts)


def _draw_dots(
    canvas: Canvas, camera: Camera, dots: Dots, origin: Floats, theme: Theme, most: int
) -> tuple[int, int]:
    seen = camera.view(dots.xyz - origin)
    radii = np.broadcast_to(np.asarray(dots.radius, dtype=float), len(seen))
    keep = _uncovered(seen, float(radii.min()))
    there = len(keep)
    mixed = np.random.default_rng(0).permutation(there)
    if there > most:
        keep, mixed = keep[np.sort(mixed[:most])], np.arange(most)
    depth = seen[keep, 2]
    span = float(np.ptp(depth))
    fogged = span > 1.0 and not dots.above
    # dots of one plane are mixed, so that no colour hides another
    slab = mixed * SLABS // len(keep) if span <= 1.0 else _steps((depth - depth.min()) / span)
    places, radii = camera.to_page(seen[keep]), radii[keep]
    looks, kinds = np.unique(
        np.column_stack([dots.colours[keep], radii]), axis=0, return_inverse=True
    )
    paper = np.array([int(theme.sky[i : i + 2], 16) for i in (1, 3, 5)])
    for step in range(SLABS):
        here = slab == step
        fade = FOG * (1 - (step + 0.5) / SLABS) ** 1.3 if fogged else 0.0
        for kind in np.unique(kinds[here]):
            colour, radius = looks[kind, :3], float(looks[kind, 3])
            red, green, blue = np.rint(colour + (paper - colour) * fade).astype(int)
            same = here & (kinds.ravel() == kind)
            canvas.dots(places[same], radius, f"#{red:02x}{green:02x}{blue:02x}")
    return len(keep), there


def _steps(shares: Floats) -> npt.NDArray[np.int64]:
    return np.minimum((shares * SLABS).astype(np.int64), SLABS - 1)


def _uncovered(seen: Floats, radius: float) -> npt.NDArray[np.int64]:
    """Of dots in almost one place the nearest: indices in the given order."""
    cells = np.floor(seen[:, :2] / (0.75 * radius)).astype(np.int64)
    order = np.lexsort((-seen[:, 2], cells[:, 1], cells[:, 0]))
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(cells[order], axis=0) != 0).any(axis=1)
    return np.sort(order[first])


def _unbroken(line: Floats) -> list[Floats]:
    known = np.flatnonzero(np.isfinite(line).all(axis=1))
    parts = np.split(known, np.flatnonzero(np.diff(known) > 1) + 1)
    return [line[part] for part in parts if len(part) > 1]


def _draw_mechanism(canvas: Canvas, camera: Camera, scene: Scene, size: tuple[int, int]) -> None:
    painter = Painter(camera)
    batches = painter.batches(scene.solids(camera), [], size)
    colours = {name: color for color, name in painter.styles.items()}
    for batch in batches:
        by_colour: dict[str, list[Floats]] = {}
        for piece in batch:
            by_colour.setdefault(colours[piece.look], []).append(camera.to_page(piece.corners))
        for color, outlines in by_colour.items():
            canvas.polygons(outlines, color)
        edges = [
            camera.to_page(piece.corners[[i, (i + 1) % len(piece.corners)]])
            for piece in batch
            for i, outlined in enumerate(piece.outlined)
            if outlined
        ]
        if edges:
            canvas.lines(edges, scene.theme.outline, 0.5)


def _legend(canvas: Canvas, x: float, y: float, keys: Sequence[Key], theme: Theme) -> None:
    for k, key in enumerate(keys):
        row = y + 24 * k
        if key.is_line:
            canvas.line([(x - 7, row - 4), (x + 7, row - 4)], key.color, 2.4)
        elif key.color:
            canvas.dot(x, row - 4, 5, key.color)
        canvas.text(x + 14, row, key.text, 13, theme.ink)
        beside = x + 22 + text_width(key.text, 13) if key.text else x - 6
        if key.note:
            canvas.text(beside, row, key.note, 11, theme.faint)
