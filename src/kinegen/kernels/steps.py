"""How often and how far searches step, where the page searches as Python does.

This is their one home: ``make tables`` writes those of the page from here. Steps of one algorithm
alone stay beside it.
"""

from __future__ import annotations

__all__ = ["AMPLITUDE", "DRAG_ITERATIONS", "DRAG_STEP"]

DRAG_ITERATIONS = 12
"""Newton steps that a tick of a drag may take; two or three are usual."""
DRAG_STEP = 0.3
"""Largest move per Newton step [rad, or sizes of the mechanism]: linear pictures hold this far."""
AMPLITUDE = 0.5
"""How far a phantom is from the singular pose [rad, or sizes of the mechanism]."""
