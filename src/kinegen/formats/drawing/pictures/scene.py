"""What surrounds a mechanism in a picture: floor, shadow, scale bar, frames with their names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from kinegen.formats.drawing.pictures.camera import Camera
from kinegen.formats.drawing.pictures.solid import Solid
from kinegen.formats.drawing.pictures.theme import Theme
from kinegen.mechanism.shapes.solid import convex_hull

__all__ = ["floor_grid", "frame_labels", "safe", "scale_bar", "shadow", "text"]

Array = NDArray[np.float64]

TRIAD = 26.0
"""Length of a frame's arrows on the page [px]."""
LETTER = 6.6
"""Average width of a letter of a label [px]."""


def number(x: float) -> str:
    """A page coordinate with one decimal at most."""
    return f"{x:.1f}".rstrip("0").rstrip(".").replace("-0", "0") if abs(x) < 0.05 else _short(x)


def _short(x: float) -> str:
    rounded = f"{x:.1f}"
    return rounded[:-2] if rounded.endswith(".0") else rounded


def text(x: float, y: float, words: str, css: str, anchor: str = "start") -> str:
    """A text element; the words may be anything a user wrote."""
    at = f'x="{number(x)}" y="{number(y)}"'
    extra = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text class="{css}" {at}{extra}>{safe(words)}</text>'


def safe(words: str) -> str:
    """Any words as the content of an XML element."""
    return escape("".join(c if c.isprintable() else " " for c in words))


def nice_length(longest: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not longer."""
    power = 10.0 ** math.floor(math.log10(longest))
    return float(max(step * power for step in (1.0, 2.0, 5.0) if step * power <= longest * 1.0001))


def length_words(length: float) -> str:
    """A length [m] as people say it."""
    for unit, factor in (("m", 1.0), ("mm", 1e3), ("µm", 1e6)):
        if length * factor >= 0.9999:
            return f"{length * factor:g} {unit}"
    return f"{length:g} m"


def scale_bar(camera: Camera, size: tuple[int, int]) -> str:
    """A bar of a round length in the lower left corner, with its length in words."""
    length = nice_length(0.18 * size[0] / camera.scale)
    width = length * camera.scale
    x, y = 28.0, size[1] - 28.0
    path = f"M{number(x)} {number(y - 4)}v8m0-4h{number(width)}m0-4v8"
    label = text(x + width + 10, y + 4, length_words(length), "s")
    return f'<path class="r" d="{path}"/>{label}'


def floor_grid(camera: Camera, low: Array, high: Array, z: float) -> str:
    """Lines of a round spacing on the floor that fade out around the mechanism.

    Args:
        camera: The projection.
        low: Smallest x and y of what stands on the floor [m].
        high: Largest x and y [m].
        z: Height of the floor [m].
    """
    centre, half = (low + high) / 2, float(np.max(high - low)) / 2
    reach = 1.9 * half + 40.0 / camera.scale
    step = nice_length(reach / 4.0)
    lines: list[str] = []
    for axis in (0, 1):
        first = math.ceil((centre[axis] - reach) / step)
        last = math.floor((centre[axis] + reach) / step)
        for i in range(first, last + 1):
            away = i * step - centre[axis]
            along = math.sqrt(max(reach**2 - away**2, 0.0))
            ends = np.tile(np.array([centre[0], centre[1], z]), (2, 1))
            ends[:, axis] = i * step
            ends[:, 1 - axis] += (-along, along)
            (x1, y1), (x2, y2) = camera.page(ends)
            lines.append(f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}")
    x, y = camera.page(np.array([centre[0], centre[1], z]))
    # The floor's circle is an ellipse on the page; the fading follows it.
    right, up = camera.R_VW[0], camera.R_VW[1]
    a, b = right[0] * camera.scale, -up[0] * camera.scale
    c, d = right[1] * camera.scale, -up[1] * camera.scale
    matrix = " ".join(f"{v * reach:.2f}" for v in (a, b, c, d)) + f" {number(x)} {number(y)}"
    return (
        f'<radialGradient id="g" gradientUnits="userSpaceOnUse" cx="0" cy="0" r="1" '
        f'gradientTransform="matrix({matrix})"><stop offset=".35" class="g1"/>'
        f'<stop offset="1" class="g0"/></radialGradient>'
        f'<path stroke="url(#g)" fill="none" d="{"".join(lines)}"/>'
    )


def shadow(camera: Camera, solids: Sequence[Array], z: float, light: Array) -> str:
    """Soft shadow of convex solids on the floor.

    Args:
        camera: The projection.
        solids: Vertices of each solid in W [m].
        z: Height of the floor [m].
        light: Direction towards the light in W.
    """
    shapes: list[str] = []
    for vertices in solids:
        drop = (vertices[:, 2:] - z) / light[2]
        fallen = vertices - drop * light
        fallen[:, 2] = z
        page = camera.page(fallen)
        hull = convex_hull([(round(float(x)), round(float(y))) for x, y in page])
        if len(hull) > 2:
            shapes.append("M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in hull) + "z")
    if not shapes:
        return ""
    return f'<path class="h" filter="url(#b)" d="{"".join(shapes)}"/>'


def frame_labels(
    camera: Camera,
    frames: Sequence[tuple[str, Array, Array]],
    theme: Theme,
    size: tuple[int, int],
    solids: Sequence[Solid],
    joints: Sequence[tuple[str, Array]] = (),
) -> str:
    """Arrows x, y, z and the name of each frame; names of joints.

    Args:
        camera: The projection.
        frames: Name, R_WF and p_WF of each.
        theme: Colours.
        size: Of the page [px].
        solids: What the names should not cover, in W.
        joints: Name and place of each joint that is to be named.
    """
    outlines = [_outline(camera, solid) for solid in solids]
    arrows: list[str] = []
    labels: list[str] = []
    taken: list[tuple[float, float, float, float]] = []
    for name, R, p in frames:
        start = camera.page(p)
        ends = [camera.page(p + R[:, i] * TRIAD / camera.scale) for i in range(3)]
        depth = [float(camera.R_VW[2] @ R[:, i]) for i in range(3)]
        for i in sorted(range(3), key=lambda i: (depth[i], i)):
            arrows.append(_arrow(start, ends[i], theme.axes[i]))
        x, y, anchor, box = _label_place(name, start, ends, taken, outlines, size)
        taken.append(box)
        labels.append(text(x, y, name, "f", anchor))
    for name, p in joints:
        x, y, anchor, box = _label_place(name, camera.page(p), [], taken, outlines, size)
        taken.append(box)
        labels.append(text(x, y, name, "f", anchor))
    return "".join(arrows) + "".join(labels)


def _arrow(start: Array, end: Array, color: str) -> str:
    way = end - start
    length = float(np.linalg.norm(way))
    if length < 3.0:
        x, y = number(float(start[0])), number(float(start[1]))
        return f'<circle cx="{x}" cy="{y}" r="2.6" fill="{color}"/>'
    along = way / length
    across = np.array([-along[1], along[0]])
    head = min(7.0, 0.5 * length)
    neck = end - head * along
    corners = [end, neck + 0.38 * head * across, neck - 0.38 * head * across]
    points = "L".join(f"{number(float(x))} {number(float(y))}" for x, y in corners)
    line = f"M{number(float(start[0]))} {number(float(start[1]))}"
    line += f"L{number(float(neck[0]))} {number(float(neck[1]))}"
    return f'<path class="w" d="{line}"/><path d="{line}" stroke="{color}" stroke-width="2"/>' + (
        f'<path d="M{points}z" fill="{color}"/>'
    )


def _label_place(
    name: str,
    start: Array,
    ends: Sequence[Array],
    taken: Sequence[tuple[float, float, float, float]],
    outlines: Sequence[tuple[Array, Array]],
    size: tuple[int, int],
) -> tuple[float, float, str, tuple[float, float, float, float]]:
    """Where a name is free of its own arrows, of other names and of the page's border."""
    width, height = LETTER * len(name), 13.0
    best = None
    for rank, (dx, dy, anchor) in enumerate(
        (
            (12, 4, "start"), (10, 20, "start"), (10, -12, "start"), (-12, 4, "end"),
            (-10, 20, "end"), (-10, -12, "end"), (0, 26, "middle"), (0, -18, "middle"),
            (36, 4, "start"), (-36, 4, "end"), (0, 46, "middle"), (0, -38, "middle"),
            (34, 30, "start"), (-34, 30, "end"), (34, -22, "start"), (-34, -22, "end"),
        )
    ):  # fmt: skip
        x, y = float(start[0]) + dx, float(start[1]) + dy
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        box = (left - 2, y - height + 1, left + width + 2, y + 4)
        score = 0.3 * rank
        score += 20.0 * sum(_overlap(box, other) for other in taken)
        for end in ends:
            for share in (0.4, 0.7, 1.0):
                px, py = start + share * (end - start)
                score += 4.0 * (box[0] <= px <= box[2] and box[1] <= py <= box[3])
        spots = np.array([(px, py) for px in np.linspace(box[0], box[2], 5) for py in box[1::2]])
        for normals, offsets in outlines:
            score += 0.5 * float((spots @ normals.T < offsets).all(axis=1).sum())
        inside = box[0] > 4 and box[1] > 4 and box[2] < size[0] - 4 and box[3] < size[1] - 4
        score += 0.0 if inside else 30.0
        if best is None or score < best[0]:
            best = (score, x, y, anchor, box)
    assert best is not None
    return best[1], best[2], best[3], best[4]


def _outline(camera: Camera, solid: Solid) -> tuple[Array, Array]:
    """A solid's outline on the page: outward normals and offsets of its edges."""
    page = camera.page(solid.vertices)
    hull = np.array(convex_hull([(float(x), float(y)) for x, y in page]))
    way = np.roll(hull, -1, axis=0) - hull
    normals = np.column_stack([way[:, 1], -way[:, 0]])
    return normals, (normals * hull).sum(axis=1)


def _overlap(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
