"""Analyses: questions of a page that have no classes of their own yet."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from kinegen.kernels import Floats
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.session.compiled_text import CompiledText

__all__ = ["ANALYSES", "Progress"]

Arguments = Mapping[str, Any]
Analysis = Callable[[CompiledText, Floats, Arguments, Progress], Any]


def _later(module: str, name: str) -> Analysis:
    """An analysis whose module is imported when it is first asked for."""

    def analysis(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
        found: Analysis = getattr(importlib.import_module(f"kinegen.studio.jobs.{module}"), name)
        return found(piece, q, arguments, report)

    return analysis


ANALYSES: dict[str, Analysis] = {
    "cloud": _later("cloud", "cloud"),
    "zone": _later("zone", "zone"),
    "boundary": _later("body", "boundary"),
    "path": _later("path", "path"),
}
