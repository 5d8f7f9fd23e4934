"""How firmly a hand holds a part near a singular pose: the nearer, the stiffer."""

from __future__ import annotations

import math

from kinegen.errors import KinegenError
from kinegen.kernels import Floats
from kinegen.kinematics.singular.singularity import Probe
from kinegen.mechanism.model import Model

__all__ = ["FIRM", "NEAR", "SingularFeel", "firmness"]

NEAR = 0.1
"""Distance to a singular pose, 0 … 1, below which it is felt; as the page's gauges have it."""
FIRM = 4.0
"""Stiffness at a singular pose, as a multiple of the usual one."""


def firmness(distance: float, most: float = FIRM, near: float = NEAR) -> float:
    """The factor on a stiffness: 1 far from singular poses, growing smoothly to ``most`` at one.

    Args:
        distance: Of the pose from a singular one, 0 … 1.
        most: The factor there, at least 1.
        near: The distance at which it begins to grow.
    """
    if not math.isfinite(distance):
        return 1.0
    share = 1.0 - min(max(distance / near, 0.0), 1.0)
    # with a slope of zero where it begins: no edge is felt there
    return 1.0 + (most - 1.0) * share * share


class SingularFeel:
    """Watches a frame of a mechanism, and knows how firm the hand on it should be."""

    def __init__(self, model: Model, q: Floats, site: str, most: float = FIRM) -> None:
        """Begin at a closed pose.

        Args:
            model: The mechanism.
            q: Where it is.
            site: The link or frame that the hand holds.
            most: The factor on the stiffness at a singular pose.
        """
        self.most = most
        self.refused = ""
        """Why nothing is known about singular poses, if so."""
        self._probe: Probe | None = None
        try:
            self._probe = Probe(model, q, site)
        except KinegenError as error:
            self.refused = str(error)

    def distance(self, q: Floats) -> float:
        """Of the nearer kind of singular pose, 0 … 1; infinite where that is unknown."""
        if self._probe is None:
            return math.inf
        _, _, task, gain, *_ = self._probe.monitor.examine(q)
        return float(min(task, gain))

    def factor(self, q: Floats) -> float:
        """On the stiffness of the hand."""
        return firmness(self.distance(q), self.most)
