"""Islands of a world: everything on one engine, or robots on engines of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinegen.dynamics.simulation.system import System
from kinegen.mechanism.graph import Mechanism
from kinegen.world.island import Island
from kinegen.world.settings import Settings
from kinegen.world.signals import Signals

__all__ = ["make_islands"]


def make_islands(
    mechanism: Mechanism, settings: Settings, signals: Signals, q: Mapping[str, Any] | None
) -> list[Island]:
    """The islands of a world; the first has all that has no engine of its own."""
    system = System.of(mechanism, objects=True, floor=settings.floor)
    return [Island(system, signals, engine=settings.engine, step=settings.step, q=q)]
