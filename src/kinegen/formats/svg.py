"""A small built-in plotter: a mechanism in a pose as an SVG picture, with NumPy alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinegen.errors import UsageError, did_you_mean
from kinegen.formats.svg_camera import Camera, direction_of, look_along
from kinegen.formats.svg_order import Piece, back_to_front
from kinegen.formats.svg_scene import floor_grid, frame_labels, number, scale_bar, shadow, text
from kinegen.formats.svg_solid import Solid, tessellate
from kinegen.formats.svg_theme import THEMES, Theme, fill_of, shaded
from kinegen.formats.svg_visible import without_covered, without_inside
from kinegen.mechanism.joint_types import JointType
from kinegen.mechanism.shapes import Capsule, MeshRef, ModelLike, Primitive, Sphere, link_shapes
from kinegen.mechanism.shapes_skeleton import SLIDING, Plane, read_skeleton

__all__ = ["draw"]

Array = NDArray[np.float64]

MARGIN = 56.0
"""Free border of the page [px]."""
LIGHT_STEPS = 60
"""Levels of light between black and full: enough for round things, few enough to share styles."""
CREASE = math.cos(math.radians(50.0))
"""Edges between faces that turn by more than 50 degrees are outlined."""


def draw(
    model: ModelLike,
    Xs_WL: ArrayLike,
    *,
    size: tuple[int, int] = (800, 600),
    view: str | tuple[float, float] = "auto",
    title: str | None = None,
    frames: bool = True,
    theme: str = "light",
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
    """
    colours = _theme(theme)
    if not (len(size) == 2 and min(size) >= 100):
        raise UsageError(f"size must be two numbers of at least 100 px, not {size}")
    Rs_WL, ps_WL = _poses(model, Xs_WL)
    scene = _Scene(model, Rs_WL, ps_WL, colours)
    camera = look_along(*direction_of(view, scene.plane_normal, scene.joint_points()))
    top = MARGIN + (12.0 if title else 0.0)
    camera.fit(scene.extent(), (MARGIN, top, size[0] - MARGIN, size[1] - MARGIN - 16.0))
    body = _Body(camera, colours)
    solids = scene.solids(camera)
    parts = [_floor(camera, solids, scene.hangs), body.paint(solids, scene.axes(camera), size)]
    if frames:
        parts.append(f'<g fill="none">{frame_labels(camera, scene.frames(), colours, size, solids)}</g>')
    parts.append(scale_bar(camera, size))
    if title:
        parts.append(text(28.0, 40.0, title, "t"))
    return _page(size, colours, body.styles, parts, title)


def _theme(name: str) -> Theme:
    if name not in THEMES:
        hint = did_you_mean(name, THEMES)
        raise UsageError(f"theme '{name}' is unknown{hint or ';'} themes: {', '.join(THEMES)}")
    return THEMES[name]


def _poses(model: ModelLike, Xs_WL: ArrayLike) -> tuple[Array, Array]:
    """Rotation matrices and positions of all links."""
    poses = np.asarray(Xs_WL, dtype=float)
    count = len(model.link_names)
    if poses.shape != (count, 7):
        raise UsageError(f"Xs_WL must have shape ({count}, 7), not {poses.shape}")
    if not np.isfinite(poses).all():
        raise UsageError("Xs_WL must be finite")
    w, x, y, z = (poses[:, :4] / np.linalg.norm(poses[:, :4], axis=1, keepdims=True)).T
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.moveaxis(np.array(rows), 2, 0), poses[:, 4:].copy()


@dataclass(slots=True)
class _Placed:
    """A primitive in the world."""

    shape: Primitive
    R_WS: Array
    p_WS: Array
    link: int


class _Scene:
    """A mechanism's primitives, axes and frames in the world."""

    def __init__(self, model: ModelLike, Rs_WL: Array, ps_WL: Array, theme: Theme) -> None:
        self.model, self.Rs_WL, self.ps_WL, self.theme = model, Rs_WL, ps_WL, theme
        self.transforms = np.asarray(model.transforms, dtype=float).reshape(-1, 12)
        travels = self._travels()
        skeleton = read_skeleton(model, travels)
        self.unit = skeleton.unit
        self.plane: Plane | None = skeleton.plane
        self.placed = [
            _Placed(
                shape,
                Rs_WL[link] @ np.array(shape.rotation),
                ps_WL[link] + Rs_WL[link] @ np.array(shape.translation),
                link,
            )
            for link, shapes in enumerate(self._shapes(travels))
            for shape in shapes
        ]

    @property
    def plane_normal(self) -> Array | None:
        """Normal of the plane a flat mechanism moves in."""
        return self.plane.normal if self.plane is not None else None

    @property
    def hangs(self) -> bool:
        """Whether something reaches lower than the parts fixed to the ground."""
        lows = {False: math.inf, True: math.inf}
        for placed in self.placed:
            solid = tessellate(placed.shape, 8)
            if solid is not None:
                z = float((solid.vertices @ placed.R_WS.T + placed.p_WS)[:, 2].min())
                lows[placed.link == 0] = min(lows[placed.link == 0], z)
        return math.isfinite(lows[True]) and lows[False] < lows[True] - 0.25 * self.unit

    def _placed_frame(self, link: int, placement: int) -> tuple[Array, Array]:
        row = self.transforms[placement]
        R_WL, p_WL = self.Rs_WL[link], self.ps_WL[link]
        return R_WL @ row[:9].reshape(3, 3), p_WL + R_WL @ row[9:]

    def _travels(self) -> dict[int, float]:
        """How far each sliding joint is out in this pose [m]."""
        landings = {loop.joint: loop.placement for loop in self.model.loops}
        travels: dict[int, float] = {}
        for index, joint in enumerate(self.model.joints):
            if joint.type in SLIDING:
                R_WF, p_WF = self._placed_frame(joint.parent, joint.placement)
                p_WM = self.ps_WL[joint.child]
                if index in landings:
                    _, p_WM = self._placed_frame(joint.child, landings[index])
                travels[index] = float(R_WF[:, 2] @ (p_WM - p_WF))
        return travels

    def _shapes(self, travels: dict[int, float]) -> Sequence[Sequence[Primitive]]:
        values: Any = getattr(self.model, "parameters", None)
        colors: Any = getattr(self.model, "link_colors", None)
        shapes = link_shapes(self.model, travels=travels, values=values, colors=colors)
        if not any(isinstance(shape, MeshRef) for own in shapes for shape in own):
            return shapes
        # Mesh files are not read here: links that have one are drawn as if they had none.
        automatic = link_shapes(_WithoutShapes(self.model), travels=travels, colors=colors)
        return [
            automatic[link] if any(isinstance(shape, MeshRef) for shape in own) else own
            for link, own in enumerate(shapes)
        ]

    def joint_points(self) -> Array:
        """Origins of all links and frames [m]."""
        points = [*self.ps_WL] + [p for _, _, p in self.frames()]
        return np.array(points)

    def extent(self) -> Array:
        """Points that must fit on the page [m]."""
        clouds = [self.joint_points()]
        for placed in self.placed:
            solid = tessellate(placed.shape, 12)
            if solid is not None:
                clouds.append(solid.vertices @ placed.R_WS.T + placed.p_WS)
        cloud = np.concatenate(clouds)
        if float(np.ptp(cloud, axis=0).max()) < 1e-9:
            # Nothing to see: show a metre around the origin.
            cloud = cloud[:1] + np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]])
        return cloud

    def solids(self, camera: Camera) -> list[Solid]:
        """Polyhedra in the world, round ones with as many sides as their size on the page asks."""
        result: list[Solid] = []
        for placed in self.placed:
            radius = float(getattr(placed.shape, "radius", 0.0)) * camera.scale
            ball = isinstance(placed.shape, Capsule | Sphere)
            finest = 24 if ball else 40
            sides = int(np.clip(2 * round(1.8 * math.sqrt(max(radius, 1.0))), 8, finest))
            solid = tessellate(placed.shape, sides)
            if solid is not None:
                vertices = solid.vertices @ placed.R_WS.T + placed.p_WS
                normals = solid.normals @ placed.R_WS.T
                fill = fill_of(placed.shape, self.theme)
                result.append(Solid(vertices, solid.faces, normals, fill))
        return result

    def axes(self, camera: Camera) -> list[Array]:
        """Ends of the visible joint axes of a spatial mechanism [m], each of shape (2, 3)."""
        if self.plane is not None:
            return []
        reach = max(0.3 * self.unit, 20.0 / camera.scale)
        lines: list[Array] = []
        for joint in self.model.joints:
            if joint.type in (JointType.REVOLUTE, JointType.CYLINDRICAL, JointType.SCREW):
                R_WF, p_WF = self._placed_frame(joint.parent, joint.placement)
                lines.append(np.array([p_WF - reach * R_WF[:, 2], p_WF + reach * R_WF[:, 2]]))
        return lines

    def frames(self) -> list[tuple[str, Array, Array]]:
        """Name, R_WF and p_WF of the named frames."""
        return [
            (frame.name, *self._placed_frame(frame.link, frame.placement))
            for frame in self.model.frames
        ]


class _WithoutShapes:
    """A model as if its file gave no shapes."""

    def __init__(self, model: ModelLike) -> None:
        self._model = model
        self.link_shapes = ("auto",) * len(model.link_names)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


class _Body:
    """Paints solids: light, order, paths; collects the styles it used."""

    def __init__(self, camera: Camera, theme: Theme) -> None:
        self.camera, self.theme = camera, theme
        self.styles: dict[str, str] = {}
        right, _, towards = camera.R_VW
        level = np.array([towards[0], towards[1], 0.0])
        key = np.array([0.0, 0.0, 1.0]) + 0.55 * level + 0.35 * towards - 0.5 * right
        self.key = key / np.linalg.norm(key)
        fill = 0.3 * np.array([0.0, 0.0, 1.0]) + 0.7 * towards + 0.8 * right
        self.fill = fill / np.linalg.norm(fill)

    def paint(self, solids: list[Solid], axes: list[Array], size: tuple[int, int]) -> str:
        """All solids, far ones first."""
        R_WV = self.camera.R_VW.T
        seen = [
            Solid(self.camera.view(s.vertices), s.faces, s.normals @ R_WV, s.fill) for s in solids
        ]
        pieces: list[Piece] = []
        for index, solid in enumerate(solids):
            pieces += self._faces(index, solid, seen[index])
        pieces = [piece for batch in without_inside([pieces], seen) for piece in batch]
        for index, ends in enumerate(axes):
            view = self.camera.view(ends)
            pieces.append(Piece(view, (True, False), len(solids) + index, "x", None))
        batches = without_inside(back_to_front(pieces), seen)
        batches = without_covered(batches, self.camera, size)
        return f'<g class="p">{"".join(self._paths(batch) for batch in batches)}</g>'

    def _faces(self, index: int, solid: Solid, seen: Solid) -> list[Piece]:
        """Faces of a solid, given in W and in view coordinates, that look towards the eye."""
        facing = seen.normals[:, 2] > 1e-6
        across = {
            (face[i], face[(i + 1) % len(face)]): k
            for k, face in enumerate(solid.faces)
            for i in range(len(face))
        }
        pieces: list[Piece] = []
        for k, face in enumerate(solid.faces):
            if not facing[k]:
                continue
            outlined = []
            for i, corner in enumerate(face):
                other = across.get((face[(i + 1) % len(face)], corner), k)
                sharp = float(solid.normals[k] @ solid.normals[other]) < CREASE
                # A crease belongs to both faces: one of them draws it.
                outlined.append(not facing[other] or (sharp and k < other))
            look = self._style(solid.fill, solid.normals[k])
            pieces.append(Piece(seen.vertices[list(face)], tuple(outlined), index, look, seen.normals[k]))
        return pieces

    def _style(self, fill: str, normal: Array) -> str:
        """Name of the style for a colour and the light that falls on a face."""
        light = 0.56 + 0.1 * float(normal[2])
        light += 0.46 * max(0.0, float(normal @ self.key))
        light += 0.12 * max(0.0, float(normal @ self.fill))
        color = shaded(fill, round(light * LIGHT_STEPS) / LIGHT_STEPS)
        if color not in self.styles:
            self.styles[color] = f"c{len(self.styles):x}"
        return self.styles[color]

    def _paths(self, batch: list[Piece]) -> str:
        """One path per style, then the outlines on top of them."""
        fills: dict[str, list[str]] = {}
        lines: list[str] = []
        for piece in batch:
            points = [(round(10 * x), round(10 * y)) for x, y in
                      self.camera.to_page(piece.corners)]  # fmt: skip
            if piece.normal is None:
                fills.setdefault(piece.look, []).append(_path(points[:2], closed=False))
                continue
            distinct = [p for i, p in enumerate(points) if p != points[i - 1]]
            if len(distinct) > 2:
                fills.setdefault(piece.look, []).append(_path(distinct, closed=True))
            for i, shown in enumerate(piece.outlined):
                if shown and points[i] != points[(i + 1) % len(points)]:
                    lines.append(_path([points[i], points[(i + 1) % len(points)]], closed=False))
        paths = [f'<path class="{look}" d="{"".join(parts)}"/>' for look, parts in fills.items()]
        if lines:
            paths.append(f'<path class="o" d="{"".join(lines)}"/>')
        return "".join(paths)


def _path(points: list[tuple[int, int]], *, closed: bool) -> str:
    """Path data in tenths of a pixel, relative, as short as it can be written."""
    x, y = points[0]
    parts = [f"M{x}{_after(y)}"]
    for letter, (next_x, next_y) in zip("l" + " " * len(points), points[1:], strict=False):
        step = f"{next_x - x}{_after(next_y - y)}"
        parts.append(step if letter == " " and step[0] == "-" else letter + step)
        x, y = next_x, next_y
    return "".join(parts) + ("z" if closed else "")


def _after(value: int) -> str:
    return str(value) if value < 0 else f" {value}"


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
    from html import escape  # noqa: PLC0415

    width, height = size
    font = "font-family:Inter,'Helvetica Neue',Helvetica,Arial,sans-serif"
    css = [
        f".p{{transform:scale(.1);stroke-linejoin:round;stroke-linecap:round;stroke-width:10}}",
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
    heading = f"<title>{escape(title)}</title>" if title else ""
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
