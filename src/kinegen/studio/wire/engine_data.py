"""The engines as a page lists them."""

from __future__ import annotations

from dataclasses import asdict

from kinegen.studio.wire.messages import EngineData

__all__ = ["engine_data"]


def engine_data() -> list[EngineData]:
    """Every engine that can be loaded, plug-ins too. The first call imports them all."""
    from kinegen.dynamics.engines.registry import engine_traits

    return [EngineData(**asdict(one)) for one in engine_traits()]
