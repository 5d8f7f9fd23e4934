"""Drawing: pictures of an environment, drawn by MuJoCo or shown in the studio."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from kinegen.dynamics.simulation.system import System
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import configuration
from kinegen.mechanism.load import load_raff
from kinegen.mechanism.model import Model
from kinegen.world.drawing.still import Eye, StillBodies, StillScene
from kinegen.world.renderer import Renderer
from kinegen.world.renderer import View as Camera

if TYPE_CHECKING:
    from kinegen.live.view import View
    from kinegen.world.bodies.mount import Mount
    from kinegen.world.bodies.stage import Stage

__all__ = ["MODES", "Drawing"]

MODES = ("human", "rgb_array")
OPENING = np.radians(40.0)
"""Vertical opening angle of the camera [rad]."""


class Drawing:
    """Draws one state at a time; nothing is started before the first picture."""

    def __init__(
        self, mode: str | None, system: System, model: Model, width: int, height: int
    ) -> None:
        """Remember what to draw.

        Args:
            mode: 'human', 'rgb_array' or None.
            system: What is drawn.
            model: Its model.
            width: [pixels]
            height: [pixels]
        """
        if mode is not None and mode not in MODES:
            raise UsageError(f"render_mode must be one of {', '.join(MODES)} or None, got {mode!r}")
        if not (1 <= width <= 4096 and 1 <= height <= 4096):
            raise UsageError(f"a picture must have 1 to 4096 pixels a side, got {width} × {height}")
        self._mode, self._system, self._model = mode, system, model
        self._size = width, height
        self._renderer: Renderer | None = None
        self._view: View | None = None
        self._marks: dict[str, Any] = {}
        self._due = 0.0

    def draw(self, q: Floats, marks: Mapping[str, Floats], period: float) -> Any:
        """A picture (height, width, 3), or None where the studio shows it.

        Args:
            q: Configuration.
            marks: Points to mark, by name [m].
            period: Time to the next picture [s]; the studio shows them in real time.
        """
        if self._mode is None:
            return None
        if self._mode == "human":
            self._show(q, marks, period)
            return None
        if self._renderer is None:
            self._prepare(marks)
        assert self._renderer is not None
        bodies = self._scene.islands
        bodies[0].poses = np.empty((self._model.link_count, 12))
        self._model.kernels.forward_links(np.ascontiguousarray(q), bodies[0].poses)
        for one, place in zip(bodies[1:], marks.values(), strict=True):
            one.poses = _ball_poses(place)
        return self._renderer.take(cast("Mount", self._eye), ["color"])[0]

    def close(self) -> None:
        """End what was started; the page of the studio stays open until its user closes it."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
        if self._view is not None:
            self._view.close()
            self._view = None
            self._marks = {}

    # Inside

    def _prepare(self, marks: Mapping[str, Floats]) -> None:
        """The scene and a camera that sees all of it."""
        model, width_height = self._model, self._size
        X = np.empty((model.link_count, 12))
        model.kernels.forward_links(configuration(model, None), X)
        around = [row["pose"].translation for row in self._system.fixed_objects]
        points = np.vstack([X[:, 9:], *[np.atleast_2d(one) for one in (*marks.values(), *around)]])
        centre = (points.min(axis=0) + points.max(axis=0)) / 2
        reach = max(float(np.linalg.norm(points - centre, axis=1).max()), model.size)
        far = 1.3 * reach / np.sin(OPENING / 2)
        ahead = -np.array([0.55, -0.75, 0.38]) / np.linalg.norm([0.55, -0.75, 0.38])
        side = np.cross([0.0, 0.0, 1.0], ahead)
        side /= np.linalg.norm(side)
        rotation = np.column_stack([ahead, side, np.cross(ahead, side)])
        self._eye = Eye(rotation, centre - far * ahead)
        bodies = [StillBodies(model, self._system, X)]
        for name, place in marks.items():
            ball = load_raff(
                f"raff: 1\nname: mark\njoints:\n  - {{name: {name}, parent: base, type: free, "
                f"mass: 1, shape: {{sphere: {0.05 * reach:.6g}}}, color: orange}}\n"
            )
            bodies.append(StillBodies(ball.compile(), self._system, _ball_poses(place)))
        self._scene = StillScene(model.compiled_from, bodies)
        camera = Camera(*width_height, float(OPENING), 0.01 * far, 10 * far)
        self._renderer = Renderer(cast("Stage", self._scene), camera, "render")

    def _show(self, q: Floats, marks: Mapping[str, Floats], period: float) -> None:
        if self._view is None:
            from kinegen.live.entry import show

            self._view = show(self._model.compiled_from, name="environment")
        self._view.q = q
        for name, place in marks.items():
            if name not in self._marks:
                self._marks[name] = self._view.points([place], color="orange", size=10)
            else:
                self._marks[name].update([place])
        now = time.monotonic()
        self._due = max(self._due + period, now)
        time.sleep(self._due - now)


def _ball_poses(place: Floats) -> Floats:
    """Links of a mark: the ground, and the ball."""
    return np.tile([*np.eye(3).ravel(), *place], (2, 1))
