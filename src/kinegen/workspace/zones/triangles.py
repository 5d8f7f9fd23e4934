"""The triangle method: a planar linkage placed link by link with circles, found automatically.

RobotDesigner does this by hand for two five-bars and an eight-bar (algorithms 1 and 2, sections
3.2.1 to 3.2.4). Here the order of constructions is found for any planar linkage of hinges that
decomposes into dyads, for any inputs: motors, the tilt of a link, the place of a frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats, Ints
from kinegen.kernels.backend import module
from kinegen.kernels.protocols.dyads import DYAD_INTS, DYAD_MOST_LINKS, DYAD_REALS, DyadKind
from kinegen.workspace.zones.planar import Hinge, PlanarLinkage

__all__ = ["Construction", "construct"]


@dataclass(frozen=True, slots=True, eq=False)
class Construction:
    """A planar linkage as constructions that place every link for given inputs."""

    linkage: PlanarLinkage
    inputs: tuple[str, ...]
    """What the rows of the inputs are: joint names, then 'tilt', or 'x', 'y' [rad, m]."""
    ints: Ints
    reals: Floats
    link_count: int
    joins: tuple[int, ...]
    """Rows that are joins: each has two sides, and so a sign."""
    names: tuple[str, ...]
    """The hinge at which the two bars of each join meet."""
    home_signs: tuple[int, ...]
    """The side of each join at home."""

    def with_signs(self, signs: Sequence[int]) -> Construction:
        """The same for another assembly: a sign, 1 or -1, per join."""
        if len(signs) != len(self.joins) or any(abs(sign) != 1 for sign in signs):
            raise UsageError(f"{len(self.joins)} signs of 1 or -1 are needed, got {list(signs)}")
        ints = self.ints.copy()
        ints[list(self.joins), 6] = signs
        return Construction(
            self.linkage, self.inputs, ints, self.reals, self.link_count, self.joins, self.names,
            self.home_signs,
        )  # fmt: skip

    def joins_behind(self, frame: str) -> tuple[int, ...]:
        """Joins, by their place in ``joins``, whose side moves a frame; others only hold."""
        needed, behind = {self.linkage.point(frame)[0]}, []
        for row in range(len(self.ints) - 1, -1, -1):
            kind, m, a, n, b, p, *_ = self.ints[row].tolist()
            if kind == DyadKind.JOIN and needed & {m, n, p}:
                needed |= {a, b, p}
                behind.append(self.joins.index(row))
            elif kind == DyadKind.TURN and m in needed:
                needed.add(a)
        return tuple(sorted(behind))

    def points(self, inputs: Floats, frames: Sequence[str], *, threads: int = 0) -> Floats:
        """Places of frames in the plane, (frames, 2, n) [m]; NaN where it cannot be built."""
        bodies, points = [], []
        for frame in frames:
            body, point, _ = self.linkage.point(frame)
            bodies.append(body)
            points.append((point.real, point.imag))
        return self._run(inputs, bodies, points, threads)

    def configurations(self, inputs: Floats, *, threads: int = 0) -> Floats:
        """Joint values of every pose, (nq, n) [rad], each within half a turn of 0."""
        bodies = range(self.linkage.body_count)
        where = [(0.0, 0.0), (1.0, 0.0)]
        points = self._run(inputs, [b for b in bodies for _ in where], where * len(bodies), threads)
        way = points[1::2] - points[::2]
        turns = np.arctan2(way[:, 1], way[:, 0])
        qs = np.repeat(self.linkage.q[:, None], inputs.shape[1], axis=1)
        for hinge in self.linkage.hinges:
            value = hinge.value + hinge.sense * (turns[hinge.second] - turns[hinge.first])
            row = self.linkage.model.joints[hinge.joint].q.start
            qs[row] = np.remainder(value + np.pi, 2 * np.pi) - np.pi
        return qs

    def _run(
        self, inputs: Floats, bodies: Sequence[int], points: Sequence[tuple[float, float]],
        threads: int,
    ) -> Floats:  # fmt: skip
        given = np.ascontiguousarray(inputs, dtype=float)
        if given.ndim != 2 or len(given) != len(self.inputs):
            raise UsageError(
                f"inputs must have one row for each of {', '.join(self.inputs)}: got {given.shape}"
            )
        out = np.empty((len(bodies), 2, given.shape[1]))
        module().batch_dyads(
            self.ints, self.reals, self.link_count, np.array(bodies, np.int32),
            np.array(points, dtype=float).reshape(-1, 2), given, out, threads,
        )  # fmt: skip
        return out


def construct(
    linkage: PlanarLinkage,
    *,
    driven: Sequence[str] = (),
    tilt: str | None = None,
    place: str | None = None,
) -> Construction | None:
    """The constructions that place every link, or None when the linkage is not made of dyads.

    Args:
        linkage: The linkage at its home pose.
        driven: Joints whose values are inputs.
        tilt: A frame whose angle in the plane is an input.
        place: A frame whose place in the plane is two inputs.
    """
    search = _Search(linkage, list(driven), tilt, place)
    return search.run()


class _Search:
    """Greedy search: whatever can be placed is placed; the order does not matter for dyads."""

    def __init__(
        self, linkage: PlanarLinkage, driven: list[str], tilt: str | None, place: str | None
    ) -> None:
        self.linkage = linkage
        self.hinges = list(linkage.hinges)
        self.driven = driven
        self.inputs = list(driven)
        self.bodies = linkage.body_count
        self.placed, self.oriented = {0}, set[int]()
        self.rows: list[tuple[list[int], list[float]]] = []
        self.joins: list[tuple[int, str, int]] = []
        if tilt is not None:
            body, _, _ = linkage.point(tilt)
            self._add([DyadKind.TILT, body, 0, 0, 0, -1, len(self.inputs)], [-linkage.tilt(tilt)])
            self.inputs.append("tilt")
            self.oriented.add(body)
        if place is not None:
            body, point, _ = linkage.point(place)
            if body not in self.oriented:
                # a body of its own at the point, hinged to the frame's
                self.hinges.append(Hinge(-1, place, self.bodies, body, point, 1, 0.0))
                body = self.bodies
                self.bodies += 1
            self._add([DyadKind.PLACE, body, 0, 0, 0, -1, len(self.inputs)],
                      [point.real, point.imag])  # fmt: skip
            self.inputs += ["x", "y"]
            self.placed.add(body)

    def run(self) -> Construction | None:
        if self.bodies > DYAD_MOST_LINKS:
            return None
        while self._turn() or self._join() or self._join_platform():
            pass
        if len(self.placed) < self.bodies or self.hinges:
            return None  # something hangs loose, or more holds it than dyads can
        ints = np.zeros((len(self.rows), DYAD_INTS), dtype=np.int32)
        reals = np.zeros((len(self.rows), DYAD_REALS))
        for i, (numbers, values) in enumerate(self.rows):
            ints[i, : len(numbers)] = numbers
            reals[i, : len(values)] = values
        rows, names, signs = zip(*self.joins, strict=True) if self.joins else ((), (), ())
        return Construction(
            self.linkage, tuple(self.inputs), ints, reals, self.bodies, rows, names, signs
        )

    def _add(self, ints: list[int], reals: list[float]) -> None:
        self.rows.append((ints, reals))

    def _turn(self) -> bool:
        """A driven hinge on a placed body carries the next one."""
        for hinge in self.hinges:
            if hinge.name not in self.driven or hinge.joint < 0:
                continue
            here = hinge.first in self.placed, hinge.second in self.placed
            if here[0] == here[1]:
                continue
            carrier, body = (hinge.first, hinge.second) if here[0] else (hinge.second, hinge.first)
            if body in self.oriented:
                continue
            sense = hinge.sense if here[0] else -hinge.sense
            back = np.exp(-1j * sense * hinge.value)
            self._add(
                [DyadKind.TURN, body, carrier, 0, 0, -1, self.driven.index(hinge.name)],
                [back.real, back.imag, hinge.point.real, hinge.point.imag, 1.0, 0.0,
                 -hinge.point.real, -hinge.point.imag, float(sense)],
            )  # fmt: skip
            self.hinges.remove(hinge)
            self.placed.add(body)
            return True
        return False

    def _held(self) -> list[tuple[Hinge, int, int]]:
        """Free hinges between a placed body and one that is not: (hinge, placed, other)."""
        held = []
        for hinge in self.hinges:
            if hinge.name in self.driven and hinge.joint >= 0:
                continue
            if hinge.first in self.placed and hinge.second not in self.placed:
                held.append((hinge, hinge.first, hinge.second))
            elif hinge.second in self.placed and hinge.first not in self.placed:
                held.append((hinge, hinge.second, hinge.first))
        return [one for one in held if one[2] not in self.oriented]

    def _between(self, m: int, n: int) -> Hinge | None:
        """A free hinge between two bodies."""
        for hinge in self.hinges:
            free = hinge.joint < 0 or hinge.name not in self.driven
            if free and {hinge.first, hinge.second} == {m, n}:
                return hinge
        return None

    def _join(self) -> bool:
        """Two bars on placed bodies that are hinged to each other."""
        held = self._held()
        for i, (on_m, a, m) in enumerate(held):
            for on_n, b, n in held[i + 1 :]:
                middle = self._between(m, n) if m != n else None
                if middle is not None:
                    ends = middle.point, middle.point
                    return self._place(on_m, a, m, on_n, b, n, -1, ends, [middle])
        return False

    def _join_platform(self) -> bool:
        """Two bars on placed bodies that hold a body whose turn is known."""
        held = self._held()
        for p in self.oriented - self.placed:
            for i, (on_m, a, m) in enumerate(held):
                for on_n, b, n in held[i + 1 :]:
                    to_m, to_n = self._between(m, p), self._between(n, p)
                    if m != n and to_m is not None and to_n is not None:
                        ends = to_m.point, to_n.point
                        return self._place(on_m, a, m, on_n, b, n, p, ends, [to_m, to_n])
        return False

    def _place(
        self, on_m: Hinge, a: int, m: int, on_n: Hinge, b: int, n: int, p: int,
        ends: tuple[complex, complex], used: list[Hinge],
    ) -> bool:  # fmt: skip
        bar_m, bar_n = ends[0] - on_m.point, ends[1] - on_n.point
        if abs(bar_m) < 1e-12 or abs(bar_n) < 1e-12:
            return False
        shift = ends[1] - ends[0]
        base = on_n.point - (on_m.point + shift)
        side = 1 if (base.conjugate() * bar_m).imag >= 0 else -1
        pairs = [
            on_m.point, on_n.point, 1 / bar_m, on_m.point, 1 / bar_n, on_n.point,
            complex(abs(bar_m) ** 2, abs(bar_n) ** 2), shift, ends[1],
        ]  # fmt: skip
        self.joins.append((len(self.rows), "+".join(h.name for h in used), side))
        self._add(
            [DyadKind.JOIN, m, a, n, b, p, side], [x for z in pairs for x in (z.real, z.imag)]
        )
        for hinge in (on_m, on_n, *used):
            self.hinges.remove(hinge)
        self.placed |= {m, n} | ({p} if p >= 0 else set())
        return True
