"""Renderer: draws a world as a camera in it sees it, in a thread of its own.

Graphics contexts belong to one thread: pictures are drawn in the renderer's, while the world waits,
so that the same world gives the same pictures.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import queue
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.dynamics.engines.mujoco.mjcf import import_mujoco
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.shapes.heights import height_body
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    Heights,
    Plate,
    Primitive,
    Sphere,
    link_shapes,
    shapes_from_spec,
)
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.world.colors import color_of

if TYPE_CHECKING:
    from kinegen.world.mount import Mount
    from kinegen.world.stage import Stage

__all__ = ["Renderer", "View"]

PATIENCE = 30.0
"""Real time that a picture may take [s]; software drivers are slow at first."""
INSTALL = (
    "a camera draws with MuJoCo: pip install 'kinegen[dynamics]', and a driver for drawing without "
    "a window (on Debian and Ubuntu: apt install libegl1 libgl1-mesa-dri, or libosmesa6 with "
    "MUJOCO_GL=osmesa)"
)


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


class Renderer:
    """Draws the bodies of all islands."""

    def __init__(self, stage: Stage, view: View, sensor: str) -> None:
        """Start the thread, and draw once to see whether it can.

        Args:
            stage: The world's bodies.
            view: Of the camera.
            sensor: Its name, for messages.
        """
        self._stage, self._view = stage, view
        self.names: list[str] = []
        """Links and objects, in the order of the numbers of a segmentation."""
        self._asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._mj, self._spec = self._scene()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        error = self._answers.get()
        if error is not None:
            raise UsageError(f"sensor '{sensor}' cannot draw ({error}): {INSTALL}")

    def take(self, mount: Mount, images: Sequence[str]) -> list[Any]:
        """Pictures from a mount, in the order asked for."""
        places = [
            row for island in self._stage.islands for row in np.asarray(island.link_poses()).copy()
        ]
        self._asked.put((np.array(places), mount.place(), tuple(images)))
        found = self._answers.get(timeout=PATIENCE)
        if isinstance(found, Exception):
            raise UsageError(f"a camera cannot draw any more: {found}")
        pictures: list[Any] = found
        return pictures

    def close(self) -> None:
        """End the thread, and give back its context."""
        self._asked.put(None)
        self._thread.join(PATIENCE)

    # The scene, as MuJoCo draws it

    def _scene(self) -> tuple[Any, Any]:
        try:
            mujoco = import_mujoco("a camera")
        except UsageError:
            raise UsageError(INSTALL) from None
        spec, view = mujoco.MjSpec(), self._view
        self._draft = spec
        spec.visual.global_.offwidth, spec.visual.global_.offheight = view.width, view.height
        spec.visual.map.znear, spec.visual.map.zfar = view.near, view.far
        spec.stat.extent = 1.0
        world = spec.worldbody
        for xyz, strength in (((2.0, -3.0, 6.0), 0.6), ((-4.0, 3.0, 5.0), 0.3)):
            light = world.add_light(pos=xyz, diffuse=[strength] * 3)
            light.dir = [-x for x in xyz]
        world.add_camera(name="eye", fovy=float(np.degrees(view.opening)))
        colors = {
            row["name"]: row.get("color") for row in self._stage.mechanism.scene.get("objects", ())
        }
        for number, island in enumerate(self._stage.islands):
            model, values = island.model, dict(island.model.parameters)
            drawn = link_shapes(model, values=values, colors=model.link_colors)
            for link, shapes in enumerate(drawn):
                body = world.add_body(name=f"{number}:{link}", mocap=True)
                self.names.append(model.link_names[link])
                if link or number == 0:
                    self._add(mujoco, body, shapes, SE3.identity(), link, None)
            system = island.simulation.system
            for row in system.fixed_objects if number == 0 else ():
                self.names.append(row["name"])
                shapes = shapes_from_spec(row["shape"], (), values)
                self._add(mujoco, world, shapes, row["pose"], 0, colors.get(row["name"]))
            if number == 0 and system.contacts.floor is not None:
                self.names.append("floor")
                up = system.contacts.up
                turned = SO3.exp(_turn_to(up))
                made = world.add_geom(
                    type=mujoco.mjtGeom.mjGEOM_PLANE, size=[50, 50, 1],
                    pos=system.contacts.floor * up, quat=turned.quat, rgba=[0.75, 0.78, 0.8, 1],
                )  # fmt: skip
                self._mark(made)
        return mujoco, spec

    def _mark(self, geom: Any) -> None:
        geom.contype = geom.conaffinity = 0
        geom.userdata = [len(self.names) - 1]

    def _add(
        self, mj: Any, body: Any, shapes: Sequence[Primitive], X_BO: SE3, index: int,
        color: str | None,
    ) -> None:  # fmt: skip
        kinds = mj.mjtGeom
        for shape in shapes:
            X_OS = SE3(SO3.from_matrix(shape.rotation), np.array(shape.translation))
            X = X_BO @ X_OS
            match shape:
                case Box(size=size):
                    kind, sizes = kinds.mjGEOM_BOX, [s / 2 for s in size]
                case Sphere(radius=radius):
                    kind, sizes = kinds.mjGEOM_SPHERE, [radius, 0, 0]
                case Cylinder(radius=radius, length=length):
                    kind, sizes = kinds.mjGEOM_CYLINDER, [radius, length / 2, 0]
                case Capsule(radius=radius, length=length):
                    kind, sizes = kinds.mjGEOM_CAPSULE, [radius, length / 2, 0]
                case Plate(outline=outline, thickness=thickness):
                    low, high = np.min(outline, axis=0), np.max(outline, axis=0)
                    X = X @ SE3(SO3.identity(), np.array([*(low + high) / 2, 0]))
                    kind, sizes = kinds.mjGEOM_BOX, [*(high - low) / 2, thickness / 2]
                case Heights():
                    name = f"heights {len(self.names)}"
                    corners, faces = height_body(shape)
                    self._draft.add_mesh(
                        name=name, uservert=corners.ravel(), userface=faces.ravel(),
                        inertia=mj.mjtMeshInertia.mjMESH_INERTIA_SHELL,
                    )  # fmt: skip
                    made = body.add_geom(
                        type=kinds.mjGEOM_MESH, meshname=name, pos=X.translation, quat=X.quat,
                        rgba=[*color_of(color or shape.color, index), 1.0],
                    )  # fmt: skip
                    self._mark(made)
                    continue
                case _:
                    continue  # a mesh is drawn by the page alone
            rgba = [*color_of(color or shape.color, index), 1.0]
            made = body.add_geom(type=kind, size=sizes, pos=X.translation, quat=X.quat, rgba=rgba)
            self._mark(made)

    # In the thread

    def _work(self) -> None:
        mj, view = self._mj, self._view
        try:
            _draw_without_window()
            self._spec.nuser_geom = 1
            model = self._spec.compile()
            data = mj.MjData(model)
            made = mj.Renderer(model, view.height, view.width)
        except Exception as error:
            self._answers.put(f"{type(error).__name__}: {error}")
            return
        self._answers.put(None)
        numbers = model.geom_user[:, 0].astype(np.int32) if model.ngeom else np.zeros(0, np.int32)
        while (asked := self._asked.get()) is not None:
            try:
                self._answers.put(self._draw(made, model, data, numbers, *asked))
            except Exception as error:
                self._answers.put(error)
        with contextlib.suppress(Exception):
            made.close()

    def _draw(
        self, made: Any, model: Any, data: Any, numbers: Any, places: Floats, eye: Any,
        images: Sequence[str],
    ) -> list[Any]:  # fmt: skip
        mj = self._mj
        data.mocap_pos[:] = places[:, 9:]
        for i, row in enumerate(places):
            mj.mju_mat2Quat(data.mocap_quat[i], np.ascontiguousarray(row[:9]))
        R, p = eye
        # its camera looks along -z with y up, ours along x with z up
        looks = np.column_stack([-R[:, 1], R[:, 2], -R[:, 0]])
        model.cam_pos[0] = p
        mj.mju_mat2Quat(model.cam_quat[0], np.ascontiguousarray(looks).ravel())
        mj.mj_forward(model, data)
        made.update_scene(data, "eye")
        pictures = []
        for image in images:
            if image == "depth":
                made.enable_depth_rendering()
                depth = made.render().astype(np.float32)
                made.disable_depth_rendering()
                depth[depth >= 0.999 * self._view.far] = np.inf
                pictures.append(depth)
            elif image == "segmentation":
                made.enable_segmentation_rendering()
                found = made.render()[:, :, 0]
                made.disable_segmentation_rendering()
                known = np.where(found >= 0, numbers[np.maximum(found, 0)], -1)
                pictures.append(known.astype(np.int32))
            else:
                pictures.append(made.render().copy())
        return pictures


def _draw_without_window() -> None:
    """Let MuJoCo draw without a window where there is none and nobody has chosen how.

    MuJoCo chooses when it is imported, by MUJOCO_GL, which would be too late here; and a choice
    that the machine does not have would break that import.
    """
    if not sys.platform.startswith("linux") or {"DISPLAY", "MUJOCO_GL"} & set(os.environ):
        return
    for kind in ("egl", "osmesa"):
        with contextlib.suppress(Exception):
            context = importlib.import_module(f"mujoco.{kind}").GLContext
            for name in ("mujoco.rendering.classic.gl_context", "mujoco.gl_context"):
                if name in sys.modules:
                    sys.modules[name].__dict__["GLContext"] = context
            return


def _turn_to(up: Floats) -> Floats:
    """The turn that takes z to a direction."""
    axis = np.cross([0.0, 0.0, 1.0], up)
    sine, cosine = float(np.linalg.norm(axis)), float(up[2])
    if sine < 1e-12:
        return np.array([0.0 if cosine > 0 else np.pi, 0.0, 0.0])
    return np.asarray(axis / sine * np.arctan2(sine, cosine))
