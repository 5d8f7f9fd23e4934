"""Hand: a hand of a program on a running world, which follows the world through time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.touch.touch import Hand as Target
from kinegen.dynamics.touch.touch import Pull, Touch
from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats
from kinegen.world.bodies.island import Island

if TYPE_CHECKING:
    from kinegen.world.world import World

__all__ = ["WorldHand", "island_of"]


class WorldHand:
    """A hand that pulls or pushes a part of a world.

    When the world goes back in time, the hand returns to its state at that time: if it did not hold
    anything then, it does not hold anything now.
    """

    def __init__(self, world: World, island: Island, touch: Touch) -> None:
        """A hand that has taken hold; :meth:`World.pull` and :meth:`World.push` make one."""
        self._world = world
        self._island = island
        self.name = touch.name

    def __repr__(self) -> str:
        state = f"{np.linalg.norm(self.force):.3g} N" if self.is_held else "released"
        return f"WorldHand('{self.name}', {state})"

    @property
    def is_held(self) -> bool:
        """Whether it holds or pushes at the present time of the world."""
        return self._touch is not None

    @property
    def force(self) -> Floats:
        """Force on the hand in the last step, world axes [N], (3,); 0 if it holds nothing."""
        touch = self._touch
        return np.zeros(3) if touch is None else np.array(touch.force)

    @property
    def place(self) -> Floats:
        """Position of the touched point in the last step [m], (3,)."""
        return np.array(self._held().place)

    @property
    def energy(self) -> float:
        """Energy given to the world since the hand took hold [J]."""
        return self._held().energy

    def move(self, target: Target, velocity: npt.ArrayLike | None = None) -> None:
        """Move the hand.

        Args:
            target: Position [m] or pose, or a function of time that returns one.
            velocity: [m/s], or linear and angular [m/s, rad/s]; None: as for
                :meth:`~kinegen.dynamics.touch.touch.Touch.move`.
        """
        self._held().move(target, velocity)
        self._world.intervened()

    def tune(self, stiffness: npt.ArrayLike, damping: npt.ArrayLike | None = None) -> None:
        """Change the stiffness [N/m] and damping [N s/m] of a pull while it holds."""
        touch = self._held()
        if not isinstance(touch, Pull):
            raise UsageError(f"'{self.name}' pushes: only a pull has a spring to tune")
        touch.tune(stiffness, damping)
        self._world.intervened()

    def release(self) -> None:
        """Let go; no effect if the hand holds nothing."""
        touch = self._touch
        if touch is not None:
            self._island.simulation.release(touch)
            self._world.intervened()

    @property
    def _touch(self) -> Touch | None:
        # going back in time puts other objects in the place of these
        touches = self._island.simulation.touches
        return next((one for one in touches if one.name == self.name), None)

    def _held(self) -> Touch:
        touch = self._touch
        if touch is None:
            raise UsageError(f"'{self.name}' does not hold anything at {self._world.time:g} s")
        return touch


def island_of(world: World, site: str) -> Island:
    """The part of a world that has a link, frame or free object."""
    known: list[str] = []
    for island in world.islands:
        names = island.model.site_names
        if site in names:
            return island
        known += [name for name in names if name not in known]
    raise unknown_name("link, frame or free object", site, f"world '{world.name}'", known)
