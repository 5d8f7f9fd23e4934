"""Which files are generated, and from what."""

from __future__ import annotations

from collections.abc import Callable

from kinegen.studio.wire.tables import (
    frames,
    joint_types,
    layout,
    proportions,
    records,
    tolerances,
)
from kinegen.studio.wire.typescript import typescript

__all__ = ["FILES"]

FILES: dict[str, Callable[[], str]] = {
    "native/kernel/base/joint_types.hpp": joint_types.cpp,
    "native/kernel/base/layout.hpp": layout.cpp,
    "native/kernel/base/records.hpp": records.cpp,
    "native/kernel/base/tolerances.hpp": tolerances.cpp,
    "web/src/kernel/joint-types.ts": joint_types.typescript,
    "web/src/kernel/layout.ts": layout.typescript,
    "web/src/kernel/records.ts": records.typescript,
    "web/src/kernel/tolerances.ts": tolerances.typescript,
    "web/src/shapes/proportions.ts": proportions.typescript,
    "web/src/wire/frames.ts": frames.typescript,
    "web/src/wire/messages.ts": typescript,
}
"""What makes each of the generated files."""
