"""Which files are generated, and from what."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kinegen.studio.wire.tables import (
    frames,
    joint_types,
    layout,
    proportions,
    protocols,
    records,
    shared,
    tolerances,
)
from kinegen.studio.wire.typescript import typescript

__all__ = ["FILES"]

FILES: dict[str, Callable[[], str]] = {
    "native/kernel/base/joint_types.hpp": joint_types.cpp,
    "native/kernel/base/layout.hpp": layout.cpp,
    "native/kernel/base/records.hpp": records.cpp,
    "native/kernel/base/tolerances.hpp": tolerances.cpp,
    **{
        f"native/kernel/{room}/protocol.hpp": partial(protocols.cpp, room)
        for room in protocols.ROOMS
    },
    "web/src/kernel/tables/joint-types.ts": joint_types.typescript,
    "web/src/kernel/tables/layout.ts": layout.typescript,
    "web/src/kernel/tables/records.ts": records.typescript,
    "web/src/kernel/tables/steps.ts": shared.steps_of_page,
    "web/src/kernel/tables/tolerances.ts": tolerances.typescript,
    "web/src/shapes/proportions.ts": proportions.typescript,
    "web/src/wire/frames.ts": frames.typescript,
    "web/src/wire/limits.ts": shared.limits_of_page,
    "web/src/wire/messages.ts": typescript,
}
"""What makes each of the generated files."""
