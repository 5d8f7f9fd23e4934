"""Single numbers that the page shares with Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType

from kinegen.devices.head import pinhole
from kinegen.kernels import steps
from kinegen.kernels.reference.loops import system
from kinegen.studio.wire import limits
from kinegen.studio.wire.questions import cloud
from kinegen.studio.wire.tables.constants import read_constants
from kinegen.studio.wire.tables.text import doc, head

__all__ = ["limits_of_page", "steps_of_page"]

LIMITS: dict[ModuleType, Iterable[str]] = {
    limits: ("NO_SESSION", "LARGEST_TEXT", "BODY_TOP", "MERGE_PAIRS", "MERGE_LOOKS"),
    cloud: ("MOST_PLANES",),
    pinhole: ("EYE_DISTANCE",),
}
"""Where the numbers of the page's `wire/limits.ts` are."""


def steps_of_page() -> str:
    """The page's module of steps."""
    return _module(
        "kernels/steps.py and others", {steps: steps.__all__, system: ("CLOSING_ITERATIONS",)}
    )


def limits_of_page() -> str:
    """The page's module of limits."""
    return _module("studio/wire/limits.py and others", LIMITS)


def _module(source: str, names: Mapping[ModuleType, Iterable[str]]) -> str:
    lines = [head(source).rstrip()]
    for module, wanted in names.items():
        table = read_constants(module)
        for name in wanted:
            value, reason = table[name]
            lines += [*doc(reason), f"export const {name} = {value.replace('**', ' ** ')};"]
    return "\n".join([*lines, ""])
