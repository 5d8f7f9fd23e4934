"""Live hands: the hands of a page on a running simulation, each with a spring that suits."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.dynamics.touch.touch import FORCE_MOST, Pull, Push, Touch
from kinegen.errors import UsageError
from kinegen.spatial.pose import SE3
from kinegen.studio.live.frames import LiveHand
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.messages import LiveSettings

__all__ = ["LiveHands"]

MOST_HANDS = 10
GRAVITY = 9.81
"""[m/s²]"""
STRONG = 2.0
"""Weights of the whole mechanism that a hand can lift, if need be."""
QUICK = 10.0
"""Weights with which a hand may pull where that is no more than a person can."""
SHORTEST = 0.05
"""Sizes of the mechanism by which a spring is drawn out, at least, at its greatest force."""


class LiveHands:
    """Hands by the page's numbers for them."""

    def __init__(self, simulation_of: Callable[[str], Simulation]) -> None:
        """No hand yet.

        Args:
            simulation_of: What moves a link, frame or object.
        """
        self._simulation_of = simulation_of
        self.all: dict[int, Touch] = {}
        self._at: dict[int, Simulation] = {}
        self._usual: dict[int, tuple[float, float, float, float]] = {}

    def touch(self, given: wire.Touch, settings: LiveSettings) -> None:
        """A hand takes hold, presses, or has moved.

        Args:
            given: What the page says about it.
            settings: How firm hands are.
        """
        number, quat = given.hand, given.quat
        place = np.array(given.target, dtype=np.float64)
        target = place if quat is None else SE3.from_pose(np.concatenate([quat, place]))
        hand = self.all.get(number)
        if hand is not None:
            hand.move(target)
            if isinstance(hand, Pull):
                hand.has_pose = quat is not None
            return
        if len(self.all) >= MOST_HANDS:
            raise UsageError(f"at most {MOST_HANDS} hands at a time")
        where = (given.site, given.point)
        simulation = self._simulation_of(given.site)
        most = _strength(simulation)
        if given.normal is not None:
            hand = simulation.push(*where, tip=place, normal=given.normal, force_most=most)
            usual = hand.stiffness, 0.0, 0.0, 0.0
        else:
            hand = simulation.pull(*where, target=target, force_most=most)
            K, B = hand.impedance.stiffness, hand.impedance.damping
            usual = float(K[0, 0]), float(B[0, 0]), float(K[3, 3]), float(B[3, 3])
        # near singular poses a part may feel very heavy: no spring that kicks
        share = min(1.0, most / (SHORTEST * simulation.model.size * usual[0]))
        soft = math.sqrt(share)
        self._usual[number] = usual[0] * share, usual[1] * soft, usual[2] * share, usual[3] * soft
        self.all[number], self._at[number] = hand, simulation
        self._tune(number, hand, settings)

    def release(self, number: int | None = None) -> None:
        """A hand lets go, or all of them."""
        for one in list(self.all) if number is None else [number]:
            hand = self.all.pop(one, None)
            self._usual.pop(one, None)
            if hand is not None:
                self._at.pop(one).release(hand)

    def tune(self, settings: LiveSettings) -> None:
        """Other stiffness and damping, while they hold."""
        for number, hand in self.all.items():
            self._tune(number, hand, settings)

    def rows(self) -> list[LiveHand]:
        """As frames have them."""
        return [_row(*one) for one in self.all.items()]

    def _tune(self, number: int, hand: Touch, settings: LiveSettings) -> None:
        k, b, ka, ba = self._usual[number]
        firm, damping = settings.firmness, settings.damping
        if isinstance(hand, Pull):
            soft = math.sqrt(firm) * damping
            hand.tune(k * firm, b * soft, ka * firm, ba * soft)
        elif isinstance(hand, Push):
            hand.stiffness = k * firm


def _strength(simulation: Simulation) -> float:
    """Of a hand that suits the mechanism [N]: it lifts it, and does not break what is small."""
    weight = float(simulation.model.inertia[1:, 0].sum()) * GRAVITY
    return max(STRONG * weight, min(FORCE_MOST, QUICK * weight), 1e-3)


def _row(number: int, hand: Touch) -> LiveHand:
    stiffness = damping = depth = 0.0
    if isinstance(hand, Push):
        stiffness, damping, depth = hand.stiffness, hand.damping, max(0.0, hand.depth)
    elif isinstance(hand, Pull):
        stiffness, damping = float(hand.stiffness[0, 0]), float(hand.damping[0, 0])
    return LiveHand(
        number, vec3(-hand.force), vec3(hand.place), stiffness, damping, depth,
        vec3(-hand.wrench[3:]),
    )  # fmt: skip
