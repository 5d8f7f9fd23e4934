"""Virtual cameras: pictures of mechanisms and worlds, drawn as camera sensors draw them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, cast

import numpy as np

from kinegen.dynamics.simulation.system import System
from kinegen.errors import UsageError, unknown_name, whole_number
from kinegen.hull.camera import MOST_PIXELS, PinholeCamera, camera_ring, half_height
from kinegen.hull.source import Frame
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    Heights,
    MeshRef,
    Plate,
    Primitive,
    Sphere,
)
from kinegen.world.drawing.drawn import Meshes, bodies_of
from kinegen.world.drawing.still import Eye, StillBodies, StillScene
from kinegen.world.renderer import Renderer, View
from kinegen.world.sensors.camera import Camera
from kinegen.world.world import World

if TYPE_CHECKING:
    from kinegen.world.bodies.mount import Mount
    from kinegen.world.bodies.stage import Stage

__all__ = ["VirtualCameras", "WorldCameras"]

FIT = 1.25
"""Cameras stand this much farther away than needed to see the whole box."""


class VirtualCameras:
    """An image source: cameras in a ring around a mechanism, drawn by MuJoCo.

    Close it, or use it in a ``with`` block, to end the renderer.
    """

    def __init__(
        self,
        model: AnyModel,
        qs: Iterable[Configuration] = (None,),
        *,
        body: Iterable[str] | None = None,
        count: SupportsIndex = 8,
        distance: float | None = None,
        pixels: tuple[int, int] = (320, 240),
        field_of_view: float = math.radians(45),
    ) -> None:
        """Place the cameras.

        Args:
            model: What they look at.
            qs: Its configurations, one per frame; None is the start.
            body: Links that the hull is made of, by name; all of them by default. Others still
                hide what is behind them.
            count: Of the cameras.
            distance: From the middle of the mechanism [m]; without one, all of it is seen.
            pixels: Width and height of a picture.
            field_of_view: Vertical opening angle [rad].
        """
        self._model, self._qs = model_of(model), qs
        first = self._poses(None)
        system = System.of(self._model)
        self._bodies = StillBodies(self._model, system, first)
        self._scene = StillScene(self._model.compiled_from, [self._bodies])
        self.box = _box_around(self._scene)
        """Lower and upper corner of what is drawn in the start pose, and some air [m]."""
        centre = self.box.mean(axis=0)
        reach = float(np.linalg.norm(self.box[1] - self.box[0])) / 2
        for side in pixels:
            whole_number(side, "a side of a picture", 1, MOST_PIXELS)
        narrow = min(1.0, pixels[0] / pixels[1]) * half_height("camera1", field_of_view)
        far = FIT * reach / math.sin(math.atan(narrow)) if distance is None else distance
        self.cameras: Sequence[PinholeCamera] = camera_ring(
            centre, far, count, pixels=pixels, field_of_view=field_of_view
        )
        view = View(*pixels, field_of_view, 0.005 * far, 10 * (far + reach))
        known = list(self._model.link_names)
        chosen = known if body is None else list(body)
        for name in chosen:
            if name not in known:
                raise unknown_name("link", name, f"mechanism '{self._model.name}'", known)
        self._renderer = Renderer(cast("Stage", self._scene), view, "virtual camera")
        self._body = [self._renderer.names.index(name) for name in chosen]

    def frames(self) -> Iterator[Frame]:
        """One frame per configuration."""
        for index, q in enumerate(self._qs):
            self._bodies.poses = self._poses(q)
            pictures, masks = [], []
            for camera in self.cameras:
                eye = Eye(camera.X_WC.rotation, camera.X_WC.translation)
                color, parts = self._renderer.take(cast("Mount", eye), ["color", "segmentation"])
                pictures.append(color)
                masks.append(np.isin(parts, self._body))
            yield Frame(f"frame{index + 1}", np.stack(pictures), np.stack(masks))

    def close(self) -> None:
        """End the renderer."""
        self._renderer.close()

    def __enter__(self) -> Self:
        """The cameras."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        """End the renderer."""
        self.close()

    def _poses(self, q: Configuration) -> Floats:
        found = np.empty((self._model.link_count, 12))
        self._model.kernels.forward_links(configuration(self._model, q), found)
        return found


class WorldCameras:
    """An image source: camera sensors of a running world that take ``color`` and ``segmentation``.

    Each frame steps the world until all of them have new pictures.
    """

    def __init__(
        self, world: World, body: Iterable[str], *, sensors: Iterable[str] | None = None
    ) -> None:
        """Choose cameras and the body.

        Args:
            world: With camera sensors that stand still.
            body: Links and objects that the hull is made of, by name.
            sensors: Cameras by name; all of them by default.
        """
        found = {name: one for name, one in world.sensors.items() if isinstance(one, Camera)}
        names = list(found) if sensors is None else list(sensors)
        for name in names:
            if name not in found:
                raise unknown_name("camera", name, f"world '{world.mechanism.name}'", list(found))
            if not {"color", "segmentation"} <= set(found[name].images):
                raise UsageError(
                    f"camera '{name}' takes {', '.join(found[name].images)}; a hull needs "
                    "'images: [color, segmentation]'"
                )
        if not names:
            raise UsageError(f"world '{world.mechanism.name}' has no cameras")
        self._world, self._sensors = world, [found[name] for name in names]
        known = self._sensors[0].names
        self._body = []
        for name in body:
            if name not in known:
                raise unknown_name("link or object", name, "what the cameras draw", known)
            self._body.append(known.index(name))

    @property
    def cameras(self) -> Sequence[PinholeCamera]:
        """Where the sensors are now."""
        return [
            PinholeCamera(
                one.name, one.width, one.height, one.intrinsics[:2], one.intrinsics[2:],
                one.mount.pose,
            )
            for one in self._sensors
        ]  # fmt: skip

    def frames(self) -> Iterator[Frame]:
        """Pictures while the world runs."""
        while True:
            before = [one.signals[0].value for one in self._sensors]
            while any(
                one.signals[0].value is old or one.signals[0].value is None
                for one, old in zip(self._sensors, before, strict=True)
            ):
                self._world.step()
            pictures, masks = [], []
            for one in self._sensors:
                taken: dict[str, Any] = dict(
                    zip(one.images, (signal.value for signal in one.signals), strict=True)
                )
                pictures.append(taken["color"])
                masks.append(np.isin(taken["segmentation"], self._body))
            yield Frame(f"{self._world.time:.3f} s", np.stack(pictures), np.stack(masks))


def _box_around(scene: StillScene) -> Floats:
    """Lower and upper corner of all that is drawn, and 5 % of air [m]."""
    meshes = Meshes(scene.mechanism)
    ends = []
    for body in bodies_of(scene.mechanism, cast("Any", scene.islands)):
        row = scene.islands[body.island].poses[body.link]
        R, p = row[:9].reshape(3, 3), row[9:]
        for part in body.parts:
            found = _extent(part.shape, meshes)
            if found is None:
                continue
            middle, half = found
            turned = R @ part.X_BS.rotation
            centre = p + R @ part.X_BS.translation + turned @ middle
            size = np.abs(turned) @ half
            ends += [centre - size, centre + size]
    if not ends:
        raise UsageError(f"mechanism '{scene.mechanism.name}' has no shapes that cameras could see")
    lower, upper = np.min(ends, axis=0), np.max(ends, axis=0)
    air = 0.05 * float((upper - lower).max())
    return np.array([lower - air, upper + air])


def _extent(shape: Primitive, meshes: Meshes) -> tuple[Floats, Floats] | None:
    """Middle and half the size of a shape in its own axes [m]; None where nothing is drawn."""
    none = np.zeros(3)
    match shape:
        case Box(size=size):
            return none, np.array(size) / 2
        case Sphere(radius=radius):
            return none, np.full(3, radius)
        case Cylinder(radius=radius, length=length):
            return none, np.array([radius, radius, length / 2])
        case Capsule(radius=radius, length=length):
            return none, np.array([radius, radius, length / 2 + radius])
        case Plate(outline=outline, thickness=thickness):
            return none, np.array([*np.ptp(outline, axis=0) / 2, thickness / 2])
        case MeshRef() | Heights():
            mesh = meshes.of(shape)
            if mesh is None:
                return None
            low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
            return (low + high) / 2, (high - low) / 2
    return None
