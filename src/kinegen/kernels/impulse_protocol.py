"""What every set of kernels offers for the impulse engine: a world of bodies that can be run."""

from __future__ import annotations

from typing import Any, Protocol

from kinegen.kernels.contact_protocol import ShapeArrays
from kinegen.kernels.layout import Floats, Ints

__all__ = ["BoundImpulse", "ImpulseTuple"]

ImpulseTuple = tuple[int, int, float, float, float, float, float, float, float, int, int, int]
"""Steps run, status (0 fine, 1 not finite), time, gap, angle gap, velocity gap, kinetic and
potential energy, work, contacts, iterations, corrections."""


class BoundImpulse(Protocol):
    """Bodies, joints, springs and pairs that may touch, with their state."""

    def set(
        self, step: float, gap_limit: float, speed_limit: float, iteration_limit: int,
        sweeps: int, stops: bool, friction: bool, stop_restitution: float, /,
    ) -> None:  # fmt: skip
        """How to run; sweeps 0: directly."""
        ...

    def start(
        self, poses: Floats, twists: Floats, q: Floats, curve_at: Floats, time: float, /
    ) -> None:
        """Begin at poses (n, 7) and twists (n, 6) of the bodies, with joint variables q."""
        ...

    def set_touches(self, touches: Ints, numbers: Floats, /) -> None:
        """Pairs that may touch from now on: (n, 3) kind, a, b; (n, 15)."""
        ...

    def touch(
        self, arrays: ShapeArrays, bodies: Ints, X_BL: Floats, reach: Floats, margin: float, /
    ) -> None:
        """Let bodies touch in all steps from now on.

        ``bodies`` (links,): body of each link; ``X_BL`` (links, 12): where the link is on it;
        ``reach`` (links,): how far its shapes reach from its origin [m]; ``margin``: least distance
        from which on bodies count as near [m].
        """
        ...

    def run(
        self, steps: int, efforts: Floats, loads: Ints, load_numbers: Floats, /
    ) -> ImpulseTuple:
        """Run steps under efforts (nv,) and loads on bodies (n,), (n, 9)."""
        ...

    def snapshot(self) -> tuple[Any, ...]:
        """All that the next steps depend on, beside the world and the ways to run."""
        ...

    def resume(self, *state: Any) -> None:
        """Continue from a state of the same world, bit for bit."""
        ...

    def reactions(self) -> Floats:
        """Mean force and moment about M's origin on b through each joint, last step, (m, 6)."""
        ...

    def coupling_efforts(self) -> Floats:
        """Mean effort of each coupling over the last step [N m, N]."""
        ...

    @property
    def q(self) -> Floats:
        """Joint variables."""
        ...

    @property
    def v(self) -> Floats:
        """Their speeds."""
        ...

    @property
    def poses(self) -> Floats:
        """Quaternion and centre of each body, (n, 7)."""
        ...

    @property
    def twists(self) -> Floats:
        """Velocity of the centre and angular velocity, world axes, (n, 6)."""
        ...
