"""Painter: draws a world with MuJoCo, in the one thread that its graphics context belongs to."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kinegen.kernels import Floats
from kinegen.world.drawing.colors import Color, color_of
from kinegen.world.drawing.figures import Figure, add_figures, figures_of
from kinegen.world.drawing.lights import set_lights
from kinegen.world.drawing.skins import Skins
from kinegen.world.people.body_mesh import BodyMesh
from kinegen.world.people.people import Found

__all__ = ["Painter", "Seen", "View"]


@dataclass(frozen=True, slots=True)
class View:
    """What a camera's picture is like."""

    width: int
    height: int
    opening: float
    """Vertical [rad]."""
    near: float
    far: float
    """[m]"""
    tiles: bool = False
    """Whether the floor is drawn with tiles of half a metre, which show motion."""


class Seen(NamedTuple):
    """A person as a camera draws one."""

    number: int
    """That their pixels have in a segmentation."""
    color: Color
    figures: list[Figure]
    mesh: BodyMesh | None
    """In place of figures."""

    @classmethod
    def of(cls, found: Found, number: int) -> Seen:
        """A person of a world."""
        person = found.person
        figures = [] if person.mesh is not None else list(figures_of(found))
        return cls(number, color_of(person.color, 0), figures, person.mesh)


class Painter:
    """A compiled model and its graphics context; meshes of people are added when there are any."""

    def __init__(self, mj: Any, spec: Any, view: View) -> None:
        """Open the context.

        Args:
            mj: The package.
            spec: What the world looks like.
            view: Of the camera ``eye``.
        """
        _draw_without_window()
        self._mj, self._spec, self._view = mj, spec, view
        self._skins = Skins(mj)
        spec.nuser_geom = 1
        self._open()

    def draw(
        self, places: Floats, lights: Floats, people: Sequence[Seen], eye: Any,
        images: Sequence[str],
    ) -> list[Any]:  # fmt: skip
        """Pictures.

        Args:
            places: Of all links, rotation and position, (n, 12).
            lights: As :meth:`kinegen.world.drawing.lights.Light.state` has them.
            people: All present people.
            eye: Rotation and position of the camera.
            images: 'color', 'depth' or 'segmentation', in the order of the result.
        """
        mj = self._mj
        meshes = [one.mesh for one in people if one.mesh is not None]
        if self._skins.make_room(self._spec, meshes):
            self.close()
            self._open()
        model, data, made = self._model, self._data, self._made
        data.mocap_pos[:] = places[:, 9:]
        for i, row in enumerate(places):
            mj.mju_mat2Quat(data.mocap_quat[i], np.ascontiguousarray(row[:9]))
        set_lights(model, lights)
        R, p = eye
        # its camera looks along -z with y up, ours along x with z up
        looks = np.column_stack([-R[:, 1], R[:, 2], -R[:, 0]])
        model.cam_pos[0] = p
        mj.mju_mat2Quat(model.cam_quat[0], np.ascontiguousarray(looks).ravel())
        mj.mj_forward(model, data)
        made.update_scene(data, "eye")
        slots = iter(self._skins.fill(model, made._mjr_context, meshes))
        for i, one in enumerate(people):
            # numbers beyond those of the model's own shapes stand for people
            number = len(self._numbers) + i
            add_figures(mj, made.scene, one.figures, number)
            if one.mesh is not None:
                self._skins.add(model, made.scene, next(slots), one.color, number)
        present = np.array([one.number for one in people], np.int32)
        numbers = np.concatenate([self._numbers, present])
        return [self._picture(image, numbers) for image in images]

    def close(self) -> None:
        """Give back the context."""
        with contextlib.suppress(Exception):
            self._made.close()

    def _open(self) -> None:
        mj, view = self._mj, self._view
        model = self._spec.compile()
        self._model, self._data = model, mj.MjData(model)
        self._made = mj.Renderer(model, view.height, view.width)
        for flag in (mj.mjtRndFlag.mjRND_SHADOW, mj.mjtRndFlag.mjRND_REFLECTION):
            self._made.scene.flags[flag] = 0
        self._numbers = (
            model.geom_user[:, 0].astype(np.int32) if model.ngeom else np.zeros(0, np.int32)
        )
        """Of the node of each shape."""
        self._skins.forget()

    def _picture(self, image: str, numbers: Any) -> Any:
        made = self._made
        if image == "depth":
            made.enable_depth_rendering()
            depth = made.render().astype(np.float32)
            made.disable_depth_rendering()
            depth[depth >= 0.999 * self._view.far] = np.inf
            return depth
        if image == "segmentation":
            made.enable_segmentation_rendering()
            found = made.render()[:, :, 0]
            made.disable_segmentation_rendering()
            return np.where(found >= 0, numbers[np.maximum(found, 0)], -1).astype(np.int32)
        return made.render().copy()


def _draw_without_window() -> None:
    """Let MuJoCo draw without a window where there is none and nobody has chosen how.

    MuJoCo chooses when it is imported, by MUJOCO_GL, which would be too late here; and a choice
    that the machine does not have would break that import.
    """
    chosen = os.environ.get("MUJOCO_GL", "")
    # workers of the studio disable it, so that MuJoCo looks for no window when it is imported
    if chosen not in ("", "disable") or not sys.platform.startswith("linux"):
        return
    if "DISPLAY" in os.environ and not chosen:
        return
    for kind in ("egl", "osmesa"):
        with contextlib.suppress(Exception):
            context = importlib.import_module(f"mujoco.{kind}").GLContext
            for name in ("mujoco.rendering.classic.gl_context", "mujoco.gl_context"):
                if name in sys.modules:
                    sys.modules[name].__dict__["GLContext"] = context
            return
