"""Live hands: the hands of all pages on a running simulation, each with a spring that suits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.dynamics.touch.hand_spring import HandSpring, suitable_force
from kinegen.dynamics.touch.touch import Pull, Push, Touch
from kinegen.errors import KinegenError, UsageError
from kinegen.spatial.pose import SE3
from kinegen.studio.live.frames import LiveHand
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.messages import LiveSettings

__all__ = ["HandKey", "LiveHands", "hand_row"]

HandKey: TypeAlias = tuple[int, int]
"""Number of the page that a hand belongs to, and the page's number for the hand."""

MOST_HANDS = 10
"""Of one page."""
MOST_OF_ALL = 40
"""Of all pages together."""


class LiveHands:
    """Hands by page, and by the page's numbers for them: no page moves another page's hand."""

    def __init__(self, simulation_of: Callable[[str], Simulation]) -> None:
        """No hand yet.

        Args:
            simulation_of: What moves a link, frame or object.
        """
        self._simulation_of = simulation_of
        self.all: dict[HandKey, Touch] = {}
        self._at: dict[HandKey, Simulation] = {}
        self._springs: dict[HandKey, HandSpring] = {}
        self._refused: set[HandKey] = set()
        """Hands that were refused: pages repeat where a hand is, but one message is enough."""

    def touch(self, given: wire.Touch, settings: LiveSettings, client: int = 0) -> None:
        """A hand takes hold, presses, or has moved.

        Args:
            given: What the page says about it.
            settings: How firm hands are.
            client: Number of the page.
        """
        key = (client, given.hand)
        if key in self._refused:
            return
        try:
            self._touch(key, given, settings)
        except KinegenError:
            self._refused.add(key)
            raise

    def _touch(self, key: HandKey, given: wire.Touch, settings: LiveSettings) -> None:
        quat = given.quat
        place = np.array(given.target, dtype=np.float64)
        target = place if quat is None else SE3.from_pose(np.concatenate([quat, place]))
        hand = self.all.get(key)
        if hand is not None:
            hand.move(target)
            if isinstance(hand, Pull):
                hand.has_pose = quat is not None
            return
        own = sum(1 for page, _ in self.all if page == key[0])
        if own >= MOST_HANDS:
            raise UsageError(f"one page can hold the mechanism with at most {MOST_HANDS} hands")
        if len(self.all) >= MOST_OF_ALL:
            raise UsageError(f"at most {MOST_OF_ALL} hands can hold the mechanism at a time")
        where = (given.site, given.point)
        simulation = self._simulation_of(given.site)
        most = suitable_force(simulation.model)
        if given.normal is not None:
            hand = simulation.push(*where, tip=place, normal=given.normal, force_most=most)
        else:
            hand = simulation.pull(*where, target=target, force_most=most)
        spring = HandSpring(hand, simulation.model.size)
        spring.tune(settings.firmness, settings.damping)
        self.all[key], self._at[key], self._springs[key] = hand, simulation, spring

    def release(self, client: int | None = None, number: int | None = None) -> None:
        """A hand lets go, or all hands of a page, or all of them.

        Args:
            client: Number of the page; None: all pages.
            number: The page's number for the hand; None: all of its hands.
        """

        def is_meant(key: HandKey) -> bool:
            return client in (None, key[0]) and number in (None, key[1])

        self._refused = {key for key in self._refused if not is_meant(key)}
        for key in [key for key in self.all if is_meant(key)]:
            self._springs.pop(key)
            self._at.pop(key).release(self.all.pop(key))

    def tune(self, settings: LiveSettings) -> None:
        """Other stiffness and damping, while they hold."""
        for spring in self._springs.values():
            spring.tune(settings.firmness, settings.damping)

    def rows(self) -> list[LiveHand]:
        """As frames have them."""
        return [hand_row(*one) for one in self.all.items()]


def hand_row(key: HandKey, hand: Touch) -> LiveHand:
    """A hand as frames have it."""
    stiffness = damping = depth = 0.0
    if isinstance(hand, Push):
        stiffness, damping, depth = hand.stiffness, hand.damping, max(0.0, hand.depth)
    elif isinstance(hand, Pull):
        stiffness, damping = float(hand.stiffness[0, 0]), float(hand.damping[0, 0])
    client, number = key
    return LiveHand(
        number, vec3(-hand.force), vec3(hand.place), stiffness, damping, depth,
        vec3(-hand.wrench[3:]), client, vec3(hand.target),
    )  # fmt: skip
