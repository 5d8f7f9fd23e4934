"""Engines and formats for download, as a page lists them: from the registries, nothing else."""

from __future__ import annotations

import importlib.util
from dataclasses import asdict

from kinegen.formats.format import Format
from kinegen.formats.registry import formats
from kinegen.studio.wire.messages import DownloadData, EngineData, OptionData

__all__ = ["download_data", "engine_data"]

GROUPS = {
    "raff": "Robot descriptions", "robots": "Robot descriptions",
    "mechanisms": "Robot descriptions", "python_code": "Robot descriptions",
    "workshop": "For the workshop", "drawing": "Pictures and 3D", "jobs": "Web page",
    "motions": "Tables", "fmi": "Other simulators",
}  # fmt: skip
"""Headings by the package in which a format's writer is, in the order in which pages show them."""
OTHERS = "Others"
"""Heading of plug-ins that name none."""


def engine_data() -> list[EngineData]:
    """Every engine that can be loaded, plug-ins too. The first call imports them all."""
    from kinegen.dynamics.engines.registry import engine_traits

    return [EngineData(**asdict(one)) for one in engine_traits()]


def download_data() -> list[DownloadData]:
    """All formats that can be written, by heading."""
    made = [_data(one) for one in formats().values() if one.write is not None]
    # headings that plug-ins bring stand where they first appear, after Kinegen's own
    order = list(dict.fromkeys([*GROUPS.values(), *(one.group for one in made)]))
    return sorted(made, key=lambda one: order.index(one.group))


def _data(one: Format) -> DownloadData:
    return DownloadData(
        name=one.name,
        title=one.title,
        suffix=next(iter(one.suffixes), ""),
        group=one.group or _group(one),
        options=[OptionData(name, help) for name, help in one.options.items()],
        needs=_needs(one),
        has_motions=one.has_motions,
    )


def _group(one: Format) -> str:
    package, *rooms = one.write.__module__.split(".")
    found = [GROUPS[room] for room in rooms if room in GROUPS] if package == "kinegen" else []
    return found[0] if found else OTHERS


def _needs(one: Format) -> str:
    """What to install before it can be written; empty where all is there."""
    for module, extra in one.needs.items():
        try:
            is_there = importlib.util.find_spec(module) is not None
        except (ImportError, ValueError):
            is_there = False
        if not is_there:
            return f"pip install 'kinegen[{extra}]'" if extra else f"pip install {module}"
    return ""
