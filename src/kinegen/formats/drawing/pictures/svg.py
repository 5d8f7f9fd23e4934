"""A small built-in plotter: a mechanism in a pose as an SVG picture, with NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from kinegen.errors import UsageError, did_you_mean, whole_number
from kinegen.formats.drawing.pictures.camera import Camera, direction_of, look_along
from kinegen.formats.drawing.pictures.mechanism import Scene
from kinegen.formats.drawing.pictures.paint import Painter
from kinegen.formats.drawing.pictures.scene import (
    floor_grid,
    frame_labels,
    safe,
    scale_bar,
    shadow,
    text,
)
from kinegen.formats.drawing.pictures.solid import Solid
from kinegen.formats.drawing.pictures.theme import THEMES, Theme
from kinegen.formats.format import Format
from kinegen.kernels import Floats
from kinegen.kinematics.positions import forward
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.shapes.shapes import ModelLike

__all__ = ["FORMAT", "draw"]

MARGIN = 56.0
"""Free border of the page [px]."""


def draw(
    model: ModelLike,
    Xs_WL: ArrayLike,
    *,
    size: tuple[int, int] = (800, 600),
    view: str | tuple[float, float] = "auto",
    title: str | None = None,
    frames: bool = True,
    theme: str = "light",
    names: bool = False,
) -> str:
    """A picture of a mechanism, as the text of an SVG file.

    The same input gives the same text, byte for byte.

    Args:
        model: The compiled model.
        Xs_WL: Poses of all links in the world, wxyz and xyz [m], shape (link_count, 7).
        size: Of the page [px].
        view: 'auto' (face-on for mechanisms that move in a plane), 'iso', 'front', 'top', 'side',
            or (azimuth, elevation) of the eye [deg].
        title: Written in the upper left corner.
        frames: Whether named frames are drawn as arrows (x, y, z: red, green, blue).
        theme: 'light' or 'dark'.
        names: Whether joints are named.
    """
    colours = _theme(theme)
    if len(size) != 2:
        raise UsageError(f"size must be two numbers, width and height [px], not {size}")
    for side in size:
        whole_number(side, "the width or height of a picture [px]", 100, 20_000)
    scene = Scene(model, Xs_WL, colours)
    camera = look_along(*direction_of(view, scene.plane_normal, scene.joint_points()))
    top = MARGIN + (12.0 if title else 0.0)
    camera.fit(scene.extent(), (MARGIN, top, size[0] - MARGIN, size[1] - MARGIN - 16.0))
    painter = Painter(camera)
    solids = scene.solids(camera)
    parts = [_floor(camera, solids, scene.hangs), painter.paint(solids, scene.axes(camera), size)]
    if frames or names:
        shown, joints = scene.frames() if frames else [], scene.joint_names() if names else []
        labels = frame_labels(camera, shown, colours, size, solids, joints)
        parts.append(f'<g fill="none">{labels}</g>')
    parts.append(scale_bar(camera, size))
    if title:
        parts.append(text(28.0, 40.0, title, "t"))
    return _page(size, colours, painter.styles, parts, title)


def _theme(name: str) -> Theme:
    if name not in THEMES:
        hint = did_you_mean(name, THEMES)
        raise UsageError(f"theme '{name}' is unknown{hint or ';'} themes: {', '.join(THEMES)}")
    return THEMES[name]


def _floor(camera: Camera, solids: list[Solid], hangs: bool) -> str:
    """Grid and shadow under everything."""
    if camera.R_VW[2, 2] < 0.05 or not solids:
        return ""
    cloud = np.concatenate([solid.vertices for solid in solids])
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    size = float(np.max(high - low))
    z = float(low[2]) - (0.12 * size if hangs else 0.004 * size)
    right, _, towards = camera.R_VW
    light = np.array([0.0, 0.0, 1.0]) - 0.28 * right + 0.18 * np.array([*towards[:2], 0.0])
    return floor_grid(camera, low[:2], high[:2], z) + shadow(
        camera, [solid.vertices for solid in solids], z, light
    )


def _page(
    size: tuple[int, int], theme: Theme, styles: dict[str, str], parts: list[str], title: str | None
) -> str:
    width, height = size
    font = "font-family:Inter,'Helvetica Neue',Helvetica,Arial,sans-serif"
    css = [
        ".p{transform:scale(.1);stroke-linejoin:round;stroke-linecap:round;stroke-width:10}",
        f".o{{fill:none;stroke:{theme.outline};stroke-opacity:{theme.outline_opacity};"
        "stroke-width:9}",
        f".x{{fill:none;stroke:{theme.faint};stroke-width:9;stroke-dasharray:90 30 20 30}}",
        f".h{{fill:{theme.shadow};opacity:{theme.shadow_opacity}}}",
        f".g1{{stop-color:{theme.grid};stop-opacity:.75}}",
        f".g0{{stop-color:{theme.grid};stop-opacity:0}}",
        f".r{{fill:none;stroke:{theme.faint};stroke-width:1.5}}",
        f".s{{fill:{theme.faint};font-size:13px;{font}}}",
        f".t{{fill:{theme.ink};font-size:20px;font-weight:600;{font}}}",
        f".f{{fill:{theme.ink};font-size:13px;font-weight:500;{font};paint-order:stroke;"
        f"stroke:{theme.halo};stroke-width:3.5px;stroke-linejoin:round}}",
        f".w{{stroke:{theme.halo};stroke-width:4;stroke-opacity:.8}}",
    ]
    css += [f".{name}{{fill:{color};stroke:{color}}}" for color, name in styles.items()]
    heading = f"<title>{safe(title)}</title>" if title else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{heading}<style>{"".join(css)}</style>'
        f'<linearGradient id="k" x2="0" y2="1"><stop stop-color="{theme.sky}"/>'
        f'<stop offset="1" stop-color="{theme.floor}"/></linearGradient>'
        '<filter id="b" x="-20%" y="-20%" width="140%" height="140%">'
        '<feGaussianBlur stdDeviation="7"/></filter>'
        f'<rect width="{width}" height="{height}" rx="10" fill="url(#k)"/>'
        + "\n".join(parts)
        + "</svg>\n"
    )


def _write(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> str:
    FORMAT.check_options(options)
    model = mechanism.compile()
    return draw(
        model,
        forward(model, model.start() if q is None else q)[: model.link_count],
        view=options.get("view", "auto"),
        title=mechanism.title or mechanism.name,
        theme=options.get("theme", "light"),
    )


FORMAT = Format(
    "svg",
    "picture of the pose",
    (".svg",),
    write=_write,
    media_type="image/svg+xml",
    options={
        "view": "auto (default), iso, front, top or side",
        "theme": "light (default) or dark",
    },
)
