"""Snapshot: a moment of a world, to come back to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinegen.world.world import World

__all__ = ["Snapshot"]


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A moment of a world, for :meth:`World.restore`."""

    time: float
    """[s]"""
    count: int
    """Steps that were made."""
    parts: Mapping[str, Any]
    """What each part of the world keeps of itself."""

    @classmethod
    def of(cls, world: World) -> Snapshot:
        """The present moment."""
        return cls(
            world.time,
            world.count,
            {
                "islands": [island.keep() for island in world.islands],
                "sensors": {name: one.keep() for name, one in world.sensors.items()},
                "agents": {name: one.keep() for name, one in world.agents.items()},
                "signals": world.signals.keep(),
                "yielded": {name: one.has_yielded for name, one in world.pulls.items()},
                "people": world.people.keep(),
                "reason": world.reason,
            },
        )

    def bring_back(self, world: World) -> None:
        """Bring the world to this moment."""
        parts = self.parts
        world.count, world.reason = self.count, parts["reason"]
        world.timeline.brought_back()
        for island, kept in zip(world.islands, parts["islands"], strict=True):
            island.bring_back(kept)
        for name, sensor in world.sensors.items():
            sensor.bring_back(parts["sensors"][name])
        for name, agent in world.agents.items():
            agent.bring_back(parts["agents"][name])
            if agent.runner.keep() is None:
                agent.reset(self.time)
        world.signals.bring_back(parts["signals"])
        for name, pull in world.pulls.items():
            pull.has_yielded = parts["yielded"][name]
        world.people.bring_back(parts["people"])
