"""What every set of kernels offers for loops: equations of some, mobility, velocities."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from kinegen.kernels.layout import Floats, Ints

__all__ = ["BoundLoops", "BoundMotion", "MobilityReport"]

MobilityReport: TypeAlias = tuple[int, int, int, int, int, int, int, int, float, float, float]
"""Instantaneous and finite mobility, Grübler's count, redundant rows, idle degrees of freedom,
whether the loops are closed, groups of loops, singular values; how clear the rank is; widest gap
[m], [rad]."""


class BoundLoops(Protocol):
    """Some loops of a model as equations over some of v; angles by 1 rad, lengths by a size.

    Rows: six per loop, then three for a link that must not turn, if there is one.
    """

    def hold(self, link: int, R: Floats, /) -> None:
        """Let a link keep the rotation R_WL (3, 3); -1 for none."""
        ...

    def residual(self, q: Floats, phi: Floats, /) -> None:
        """What is missing, scaled, (rows)."""
        ...

    def jacobian(self, q: Floats, J: Floats, /) -> None:
        """Its derivative by scaled steps, (rows, variables)."""
        ...

    def close(self, q: Floats, within: Floats | None, iterations: int) -> float:
        """Move q in place to where the loops are closed, or nearly; the scaled gap there.

        Steps stay within orthonormal columns, (variables, count), if there are any given.
        """
        ...

    def assemble(self, q: Floats, /) -> float:
        """The same from further away: other starts are tried where q leads into a dead end."""
        ...

    def finite_mobility(self, q: Floats, basis: Floats, tolerance: float, /) -> int:
        """How many of the free motions, (count, variables), survive a small finite motion."""
        ...


class BoundMotion(Protocol):
    """A model's mobility, velocities and accelerations."""

    def mobility(
        self,
        q: Floats,
        locked: Ints | None,
        motors: Ints | None,
        tolerance: float,
        values: Floats,
        directions: Floats,
        groups: Ints,
        reports: Floats,
    ) -> MobilityReport:
        """The degrees of freedom at q, which is moved in place to where the loops are closed.

        ``locked`` and ``motors`` have an int per v. Results: singular values (room for 6 per loop),
        motions (nv, nv) of which the first are filled, the group of each loop, and per group its
        size [m], scaled gap, instantaneous and finite mobility, number of singular values, how
        clear its rank is (loop_count, 6).
        """
        ...

    def motion(
        self,
        q: Floats,
        v: Floats | None,
        driven: Ints,
        values: Floats,
        frames: Ints,
        frame_values: Floats,
        size: float,
        out: Floats,
        missed: Floats,
        free_motion: Floats,
    ) -> tuple[float, float, int]:
        """Velocities of all joints for given ones, or accelerations where v is given.

        ``driven``: 1 per v that ``values`` gives; ``frames``: site and rows (3 or 6) each, with six
        ``frame_values``. ``missed`` has a number per input row, scaled by ``size``; the first rows
        of ``free_motion`` (nv, nv) are what is left open. Returns residual, smallest singular
        value, number of motions left open.
        """
        ...

    def loop_bias(self, q: Floats, v: Floats, bias: Floats, /) -> None:
        """d(J_phi)/dt · v, (6 · loop_count)."""
        ...

    def site_motions(
        self, q: Floats, v: Floats, vdot: Floats, twists: Floats, accelerations: Floats, /
    ) -> None:
        """Twists and accelerations of all sites, (site_count, 6) each, world axes."""
        ...
