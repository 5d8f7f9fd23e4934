"""ScriptedPull: a hand that a file declares and moves along a route."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.dynamics.touch.touch import FORCE_MOST, Touch
from kinegen.errors import UsageError
from kinegen.world.hands.hand import island_of
from kinegen.world.hands.route import Route

if TYPE_CHECKING:
    from kinegen.world.world import World

__all__ = ["SCRIPTED", "ScriptedPull"]

SCRIPTED = "pull:"
"""How the names of scripted hands begin in a simulation."""


class ScriptedPull:
    """A row of ``pulls``: it takes hold at the route's first time, and lets go at ``release``.

    Its signal ``NAME.grip`` is 1 while it holds; force it to 0, and it lets go. When another hand
    takes the same part, the scripted hand leaves it to that hand for good.
    """

    def __init__(self, world: World, row: Mapping[str, Any], values: Mapping[str, float]) -> None:
        """A hand that does not hold anything yet.

        Args:
            world: Its world; only its parts and signals are used here.
            row: Of the file.
            values: Of parameters, for formulas.
        """

        def number(key: str) -> float | None:
            return row[key].evaluate(values) if key in row else None

        def numbers(formulas: Any) -> list[float]:
            return [one.evaluate(values) for one in formulas]

        self.name: str = row["name"]
        self.part: str = row["part"]
        self.route = Route.of(numbers(row["times"]), [numbers(one) for one in row["route"]])
        self.release_time = number("release")
        """When it lets go [s]; None: never."""
        self._world = world
        self._island = island_of(world, self.part)
        self._point = numbers(row["xyz"]) if "xyz" in row else [0.0, 0.0, 0.0]
        self._options = {
            "stiffness": number("stiffness"),
            "damping": number("damping"),
            "force_most": number("force") or FORCE_MOST,
        }
        if (self._options["stiffness"] is None) != (self._options["damping"] is None):
            raise UsageError(
                f"pull '{self.name}' has a stiffness or a damping, but not both: specify both, or "
                "neither for a spring that suits the part"
            )
        self.has_yielded = False
        """Whether it left the part to another hand."""
        add = world.signals.add
        self._grip = add(f"{self.name}.grip", writer=self.name)
        self._force = add(f"{self.name}.force", "N", shape=(3,), writer=self.name)
        self._hand = add(f"{self.name}.hand", "m", shape=(3,), writer=self.name)
        self.write()

    @property
    def touch(self) -> Touch | None:
        """The hand in the simulation; None while it holds nothing."""
        name = SCRIPTED + self.name
        return next((one for one in self._island.simulation.touches if one.name == name), None)

    def act(self) -> None:
        """Take hold or let go, before a step."""
        simulation, time, touch = self._island.simulation, self._world.time, self.touch
        link = touch.grip.link if touch is not None else None
        others = [one for one in simulation.touches if not one.name.startswith(SCRIPTED)]
        if link is not None and any(one.grip.link == link for one in others):
            self.has_yielded = True
        is_due = time >= self.route.start - 1e-9
        is_over = self.release_time is not None and time >= self.release_time - 1e-9
        self._grip.write(float(is_due and not is_over and not self.has_yielded))
        # a cut signal is no number: the hand is open
        wants = bool(self._grip.value > 0.5)
        if wants and touch is None:
            made = simulation.pull(self.part, self._point, target=self.route, **self._options)
            made.name = SCRIPTED + self.name
        elif not wants and touch is not None:
            simulation.release(touch)

    def write(self) -> None:
        """Write what the hand feels, after a step."""
        touch, time = self.touch, self._world.signals.time
        self._force.write(np.zeros(3) if touch is None else touch.force)
        self._hand.write(self.route(time))
