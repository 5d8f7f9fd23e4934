"""What holds parts together: pins with heads, the caps on their ends, spacers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinegen.formats.workshop.sizes import Sizes
from kinegen.formats.workshop.solid.part import SolidPart
from kinegen.mechanism.shapes.data import Cylinder
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["CAP", "HEAD", "head_height", "pin_parts", "screw_size", "short_pin"]

HEAD = 1.8
"""Diameter of a pin's head [diameters of the pin]."""
CAP = 1.8
"""Diameter of a cap [diameters of the pin]."""
_PRESS = 0.00005
"""How much wider than the pin the hole of its cap is, on each side [m]: it is pressed on."""
_COLOR = "#56606f"
_METRIC = (1.6, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 30)
"""Nominal diameters of ISO metric screws, first choice of ISO 261 up to M30 [mm]."""


def head_height(sizes: Sizes) -> float:
    """Of a pin's head and of its cap [m]."""
    return 0.4 * sizes.hole


def pin_parts(
    name: str,
    X_WS: SE3,
    length: float,
    tubes: Sequence[tuple[float, float]],
    sizes: Sizes,
) -> list[SolidPart]:
    """A pin with its head below, its cap, and its spacers.

    Args:
        name: Of the joint.
        X_WS: Where the lower side of the lowest part is, z along the pin.
        length: From there to the upper side of the highest part [m].
        tubes: Where each spacer begins, and its length [m].
        sizes: Of pins and clearances.
    """
    height, radius = head_height(sizes), sizes.hole / 2
    play = sizes.spacer
    shaft = length + play + height
    pin = SolidPart(
        f"pin-{name}",
        "pin",
        (_rod(radius, -height / 2, shaft), _rod(HEAD * radius, -height, 0.0)),
        X_WS=X_WS,
        color=_COLOR,
    )
    cap = SolidPart(
        f"cap-{name}",
        "cap",
        (_rod(CAP * radius, 0.0, height),),
        (_rod(radius + _PRESS, -height, 2 * height),),
        X_WS=_above(X_WS, length + play),
        color=_COLOR,
    )
    found = [pin, cap]
    for number, (start, long) in enumerate(tubes, 1):
        suffix = f"-{number}" if len(tubes) > 1 else ""
        outer = min(sizes.width / 2, sizes.drilled / 2 + max(0.3 * sizes.hole, 0.001))
        found.append(
            SolidPart(
                f"spacer-{name}{suffix}",
                "spacer",
                (_rod(outer, 0.0, long),),
                (_rod(sizes.drilled / 2, -long, 2 * long),),
                X_WS=_above(X_WS, start),
                color=_COLOR,
            )
        )
    return found


def short_pin(name: str, X_WS: SE3, length: float, sizes: Sizes) -> SolidPart:
    """A pin of a cross, from near its middle outwards through the ear of a fork.

    Args:
        name: Of the joint, with a number.
        X_WS: The middle of the cross, z along the pin.
        length: From there to the outside of the ear [m].
        sizes: Of pins and clearances.
    """
    radius, height = sizes.hole / 2, head_height(sizes)
    # It ends before the pins across it.
    body = _rod(radius, 1.1 * radius, length + height / 2)
    head = _rod(HEAD * radius, length, length + height)
    return SolidPart(f"pin-{name}", "pin", (body, head), X_WS=X_WS, color=_COLOR)


def screw_size(diameter: float, length: float) -> str:
    """The screw that fits a pin's hole: ``M5, clamped length 8.5 mm``; its diameter otherwise."""
    metric = [size for size in _METRIC if abs(size / 1000 - diameter) < 1e-6]
    name = f"M{metric[0]:g}" if metric else f"⌀ {round(1000 * diameter, 3):g} mm"
    return f"{name}, clamped length {round(1000 * length, 3):g} mm"


def _rod(radius: float, low: float, high: float) -> Cylinder:
    return Cylinder(radius=radius, length=high - low, translation=(0.0, 0.0, (low + high) / 2))


def _above(X: SE3, height: float) -> SE3:
    return X @ SE3(SO3.identity(), np.array([0.0, 0.0, height]))
