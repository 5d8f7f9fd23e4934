"""HandSpring: how firmly a hand holds a mechanism, so that it leads it and breaks nothing."""

from __future__ import annotations

import math

from kinegen.dynamics.touch.touch import FORCE_MOST, Pull, Push, Touch
from kinegen.mechanism.any_model import AnyModel, model_of

__all__ = ["HandSpring", "suitable_force"]

GRAVITY = 9.81
"""[m/s²]"""
STRONG = 2.0
"""Weights of the whole mechanism that a hand can lift, if need be."""
QUICK = 10.0
"""Weights with which a hand may pull where that is no more than a person can."""
LEAST = 1e-3
"""[N] for what has no mass."""
SHORTEST = 0.05
"""Sizes of the mechanism by which a spring is drawn out, at least, at its greatest force."""


def suitable_force(model: AnyModel) -> float:
    """Largest force of a hand that suits a mechanism [N].

    It lifts the mechanism, and does not break one that is small.
    """
    weight = float(model_of(model).inertia[1:, 0].sum()) * GRAVITY
    return max(STRONG * weight, min(FORCE_MOST, QUICK * weight), LEAST)


class HandSpring:
    """The spring of one hand: as firm as suits the part that it holds, or a multiple of that."""

    def __init__(self, touch: Push | Pull, size: float) -> None:
        """The spring of a hand as it was made.

        Near singular poses a part may feel very heavy: a spring that suits it would kick when the
        mechanism leaves them, so it is softened.

        Args:
            touch: The hand.
            size: Of the mechanism [m].
        """
        self.touch: Touch = touch
        if isinstance(touch, Push):
            self._k, self._b, self._ka, self._ba = touch.stiffness, 0.0, 0.0, 0.0
        else:
            K, B = touch.impedance.stiffness, touch.impedance.damping
            self._k, self._b = float(K[0, 0]), float(B[0, 0])
            self._ka, self._ba = float(K[3, 3]), float(B[3, 3])
        share = min(1.0, touch.force_most / (SHORTEST * size * self._k))
        self._k, self._ka = self._k * share, self._ka * share
        self._b, self._ba = self._b * math.sqrt(share), self._ba * math.sqrt(share)

    def tune(self, firmness: float = 1.0, damping: float = 1.0) -> None:
        """Change it while the hand holds.

        Args:
            firmness: Stiffness as a multiple of what suits the part.
            damping: As a share of what prevents overshoot.
        """
        if isinstance(self.touch, Push):
            self.touch.stiffness = self._k * firmness
        elif isinstance(self.touch, Pull):
            held = math.sqrt(firmness) * damping
            self.touch.tune(
                self._k * firmness, self._b * held, self._ka * firmness, self._ba * held
            )
