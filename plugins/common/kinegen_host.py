"""A mechanism inside another program: where its links are, what they look like, a hand on it.

Both plug-ins share this module; it knows neither FreeCAD nor Blender. Lengths are in metres.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import kinegen as kg
from kinegen.formats.drawing.pictures.theme import THEMES, fill_of
from kinegen.mechanism.shapes.shapes import Primitive, link_shapes
from kinegen.mechanism.shapes.travel import travels_of
from kinegen.studio.wire.data.number import parameter_data

__all__ = ["Hand", "Host", "Look"]

Floats = npt.NDArray[np.float64]

TICKS = 60
"""Steps that a drag may take towards a far target; a few are usual."""


@dataclass(frozen=True)
class Look:
    """A primitive of a link, with its colour."""

    shape: Primitive
    color: tuple[float, float, float]
    """Red, green, blue from 0 to 1, as a screen shows them."""


class Host:
    """A mechanism and the pose it is in, loops closed."""

    def __init__(self, mechanism: kg.Mechanism, folder: str = "") -> None:
        self.mechanism = mechanism
        self.folder = folder
        """Where the mesh files are that the mechanism names."""
        self.model = mechanism.compile()
        self.q: Floats = kg.assemble(self.model).q

    @staticmethod
    def open(path: str) -> Host:
        """The mechanism of a file of any format that Kinegen reads."""
        return Host(kg.load(path), os.path.dirname(os.path.abspath(path)))

    @staticmethod
    def of_text(text: str, folder: str = "") -> Host:
        """The mechanism of a RAFF text."""
        return Host(kg.load(text, folder=folder or None), folder)

    @property
    def link_names(self) -> tuple[str, ...]:
        """The base first."""
        return tuple(self.model.link_names)

    @property
    def gap(self) -> float:
        """Widest gap of all loops [m]."""
        return kg.kinematics.loop_gap(self.model, self.q).distance

    def link_poses(self) -> Floats:
        """Poses of all links in the world, (link_count, 4, 4)."""
        return self.poses_at(self.q)

    def poses_at(self, q: Floats) -> Floats:
        """Poses of all links in some configuration, (link_count, 4, 4)."""
        rows = kg.forward(self.model, q)[: self.model.link_count]
        return np.array([kg.SE3.from_pose(row).matrix for row in rows])

    def looks(self) -> list[list[Look]]:
        """What every link looks like, in its own frame."""
        poses = self.link_poses()
        shapes = link_shapes(
            self.model,
            travels=travels_of(self.model, poses[:, :3, :3], poses[:, :3, 3]),
            values=dict(self.model.parameters),
            colors=self.model.link_colors,
        )
        theme = THEMES["light"]
        return [[Look(shape, _rgb(fill_of(shape, theme))) for shape in own] for own in shapes]

    def mesh_path(self, file: str) -> str | None:
        """Where a mesh file is; None when it is missing."""
        path = os.path.normpath(os.path.join(self.folder, file))
        return path if os.path.isfile(path) else None

    def set_parameter(self, name: str, value: float) -> None:
        """Change a number while the mechanism keeps its pose as well as it can [SI].

        The former value stays when the loops cannot be closed with the new one.
        """
        old = self.model.parameters[name]
        self.model.parameters[name] = value
        try:
            self.q = kg.assemble(self.model, self.q).q
        except kg.errors.KinegenError:
            self.model.parameters[name] = old
            raise
        self.mechanism.set_parameter(name, value)

    def quantities(self) -> dict[str, str]:
        """The parameters that can be set: a length [m], an angle [rad], or a plain number."""
        data = parameter_data(self.mechanism, self.model)
        return {one.name: one.quantity for one in data if not one.formula}

    def text(self) -> str:
        """The mechanism as RAFF."""
        return self.mechanism.to_raff()

    def recordings(self) -> Iterator[kg.Recording]:
        """The motions that the file has."""
        for row in self.mechanism.scene.get("motions", []):
            yield kg.Recording.from_dict(self.model, row)

    def read_motion(self, path: str) -> kg.Recording:
        """A motion from a file: a saved simulation (.npz, .json) or recording (.json)."""
        name = os.path.splitext(os.path.basename(path))[0]
        if path.lower().endswith(".json"):
            with open(path, encoding="utf-8") as file:
                facts = json.load(file)
            if isinstance(facts, dict) and "joints" in facts and "values" in facts:
                return kg.Recording.from_dict(self.model, {"name": name, **facts})
        run = kg.dynamics.Run.load(self.model, path)
        return kg.Recording.of(self.model, run.q, run.times, name=name)


class Hand:
    """Holds one point of a link or frame, and moves it."""

    def __init__(self, host: Host, name: str, point_W: npt.ArrayLike | None = None) -> None:
        """Take hold.

        Args:
            host: The mechanism.
            name: The link or frame.
            point_W: The point in the world [m]; the frame's origin when not given.
        """
        self.host = host
        X_WF = kg.pose(host.model, host.q, name)
        at = X_WF.translation if point_W is None else np.asarray(point_W, dtype=float)
        handle = kg.Handle(name, at, point=X_WF.inverse().apply(at))
        self._dragger = kg.Dragger(host.model, host.q, [handle])

    def move(self, target_W: npt.ArrayLike) -> bool:
        """Bring the point as near to a target [m] as it gets; whether it is there."""
        self._dragger.move(0, np.asarray(target_W, dtype=float))
        for _ in range(TICKS):
            report = self._dragger.tick()
            if not report.moving:
                break
        self.host.q = self._dragger.q.copy()
        return report.reached


def _rgb(color: str) -> tuple[float, float, float]:
    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue
