"""Renderer: draws a world as a camera in it sees it, in a thread of its own.

Graphics contexts belong to one thread: pictures are drawn in the renderer's, while the world waits,
so that the same world gives the same pictures.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.dynamics.engines.mujoco.mjcf import import_mujoco
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    Heights,
    MeshRef,
    Plate,
    Sphere,
)
from kinegen.plug_ins import PlugIns
from kinegen.spatial.rotation import SO3
from kinegen.world.drawing.drawn import Meshes, Part, bodies_of
from kinegen.world.drawing.lights import MOST, Light, add_lights, add_usual_lights
from kinegen.world.drawing.painter import Painter, Seen, View

if TYPE_CHECKING:
    from kinegen.world.bodies.mount import Mount
    from kinegen.world.bodies.stage import Stage

__all__ = ["RENDERERS", "DrawingError", "Renderer", "View"]

RENDERERS = PlugIns[Any](
    "renderer", "kinegen.renderers", {"mujoco": "kinegen.world.renderer:Renderer"}, callable,
    "callable",
)  # fmt: skip
"""Entry-point group: every entry names a class such as :class:`Renderer`, with the same arguments,
``names``, ``take`` and ``close``."""

PATIENCE = 30.0
"""Real time that a picture may take [s]; software drivers are slow at first."""
INSTALL = (
    "a camera draws with MuJoCo: pip install 'kinegen[dynamics]', and a driver for drawing without "
    "a window (on Debian and Ubuntu: apt install libegl1 libgl1-mesa-dri, or libosmesa6 with "
    "MUJOCO_GL=osmesa)"
)


class DrawingError(UsageError):
    """Cameras cannot draw on this machine."""


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
        self._lights: tuple[Light, ...] = ()
        self.names: list[str] = []
        """Links, objects and people, in the order of the numbers of a segmentation; people who come
        later are added."""
        self._asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._mj, self._spec = self._scene(sensor)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        error = self._answers.get()
        if error is not None:
            raise DrawingError(f"sensor '{sensor}' cannot draw ({error}): {INSTALL}")

    def take(self, mount: Mount, images: Sequence[str]) -> list[Any]:
        """Pictures from a mount, in the order asked for."""
        places = [
            row for island in self._stage.islands for row in np.asarray(island.link_poses()).copy()
        ]
        lights = [
            one.state(self._stage.signals[f"{one.name}.intensity"].value) for one in self._lights
        ]
        people = [
            Seen.of(found, self._number(found.person.name)) for found in self._stage.people.found()
        ]
        self._asked.put((np.array(places), np.array(lights), people, mount.place(), tuple(images)))
        found = self._answers.get(timeout=PATIENCE)
        if isinstance(found, Exception):
            raise UsageError(f"a camera can no longer draw: {found}")
        pictures: list[Any] = found
        return pictures

    def close(self) -> None:
        """End the thread, and give back its context."""
        self._asked.put(None)
        self._thread.join(PATIENCE)

    def _number(self, name: str) -> int:
        """The number that a person's pixels have in a segmentation."""
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    # The scene, as MuJoCo draws it

    def _scene(self, sensor: str) -> tuple[Any, Any]:
        try:
            mujoco = import_mujoco("a camera")
        except UsageError:
            raise DrawingError(INSTALL) from None
        spec, view = mujoco.MjSpec(), self._view
        spec.visual.quality.offsamples = 0  # soft edges and shadows cost more than the rest
        spec.visual.global_.offwidth, spec.visual.global_.offheight = view.width, view.height
        spec.visual.map.znear, spec.visual.map.zfar = view.near, view.far
        spec.visual.quality.shadowsize = 0
        spec.stat.extent = 1.0
        world = spec.worldbody
        self._add_lights(mujoco, spec, sensor)
        world.add_camera(name="eye", fovy=float(np.degrees(view.opening)))
        meshes = Meshes(self._stage.mechanism)
        links: dict[tuple[int, int], Any] = {}
        for drawn in bodies_of(self._stage.mechanism, self._stage.islands):
            place = drawn.island, drawn.link
            if not drawn.is_object:
                links[place] = world.add_body(name=f"{place[0]}:{place[1]}", mocap=True)
            self.names.append(drawn.name)
            for part in drawn.parts:
                self._add(mujoco, spec, world if drawn.is_object else links[place], part, meshes)
        for remark in meshes.remarks:
            self._stage.notify(sensor, remark)
        contacts = self._stage.islands[0].simulation.system.contacts
        if contacts.floor is not None:
            self.names.append("floor")
            turned = SO3.exp(_turn_to(contacts.up))
            made = world.add_geom(
                type=mujoco.mjtGeom.mjGEOM_PLANE, size=[50, 50, 1],
                pos=contacts.floor * contacts.up, quat=turned.quat, rgba=[0.75, 0.78, 0.8, 1],
                material=_tiles(mujoco, spec) if view.tiles else "",
            )  # fmt: skip
            self._mark(made)
        self.names += self._stage.people.scripted
        return mujoco, spec

    def _add_lights(self, mj: Any, spec: Any, sensor: str) -> None:
        given = self._stage.lights
        if not given:
            add_usual_lights(mj, spec)
            return
        self._lights = given[:MOST]
        add_lights(mj, spec, self._lights)
        if given[MOST:]:
            names = ", ".join(one.name for one in given[MOST:])
            self._stage.notify(sensor, f"only {MOST} lights are drawn; these are not: {names}")

    def _mark(self, geom: Any) -> None:
        geom.contype = geom.conaffinity = 0
        geom.userdata = [len(self.names) - 1]

    def _add(self, mj: Any, spec: Any, body: Any, part: Part, meshes: Meshes) -> None:
        kinds, more = mj.mjtGeom, {}
        match part.shape:
            case Box(size=size):
                kind, sizes = kinds.mjGEOM_BOX, [s / 2 for s in size]
            case Sphere(radius=radius):
                kind, sizes = kinds.mjGEOM_SPHERE, [radius, 0, 0]
            case Cylinder(radius=radius, length=length):
                kind, sizes = kinds.mjGEOM_CYLINDER, [radius, length / 2, 0]
            case Capsule(radius=radius, length=length):
                kind, sizes = kinds.mjGEOM_CAPSULE, [radius, length / 2, 0]
            case Plate(outline=outline, thickness=thickness):
                kind, sizes = kinds.mjGEOM_BOX, [*np.ptp(outline, axis=0) / 2, thickness / 2]
            case MeshRef() | Heights() as shape:
                mesh = meshes.of(shape)
                if mesh is None:
                    return
                kind, sizes, more["meshname"] = kinds.mjGEOM_MESH, [0, 0, 0], _mesh(mj, spec, mesh)
            case _:
                return
        rgba = [*part.color, 1.0]
        X = part.X_BS
        made = body.add_geom(
            type=kind, size=sizes, pos=X.translation, quat=X.quat, rgba=rgba, **more
        )
        self._mark(made)

    # In the thread

    def _work(self) -> None:
        try:
            painter = Painter(self._mj, self._spec, self._view)
        except Exception as error:
            self._answers.put(f"{type(error).__name__}: {error}")
            return
        self._answers.put(None)
        while (asked := self._asked.get()) is not None:
            try:
                self._answers.put(painter.draw(*asked))
            except Exception as error:
                self._answers.put(error)
        painter.close()


def _tiles(mj: Any, spec: Any) -> str:
    """The name of a material for the floor: tiles with thin joints."""
    spec.add_texture(
        name="tiles", type=mj.mjtTexture.mjTEXTURE_2D, builtin=mj.mjtBuiltin.mjBUILTIN_FLAT,
        rgb1=[0.97, 0.98, 0.99], markrgb=[0.78, 0.81, 0.84], mark=mj.mjtMark.mjMARK_EDGE,
        width=256, height=256,
    )  # fmt: skip
    made = spec.add_material(name="tiles", texrepeat=[2, 2], texuniform=True, specular=0.1)
    made.textures[mj.mjtTextureRole.mjTEXROLE_RGB] = "tiles"
    return "tiles"


def _mesh(mj: Any, spec: Any, mesh: TriangleMesh) -> str:
    """The name of a mesh that was added; open surfaces are drawn too."""
    name = f"mesh{len(spec.meshes)}"
    spec.add_mesh(
        name=name, uservert=mesh.vertices.ravel().tolist(), userface=mesh.faces.ravel().tolist(),
        inertia=mj.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )  # fmt: skip
    return name


def _turn_to(up: Floats) -> Floats:
    """The turn that takes z to a direction."""
    axis = np.cross([0.0, 0.0, 1.0], up)
    sine, cosine = float(np.linalg.norm(axis)), float(up[2])
    if sine < 1e-12:
        return np.array([0.0 if cosine > 0 else np.pi, 0.0, 0.0])
    return np.asarray(axis / sine * np.arctan2(sine, cosine))
