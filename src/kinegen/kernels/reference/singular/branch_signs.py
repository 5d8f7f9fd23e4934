"""On which side of each singularity a mechanism stands: signs of its systems' smallest blocks.

The specification of ``native/kernel/singular/branch_signs.hpp``. The frame's rows with the loop
rows determine all joints, and so do the loop rows over the joints without inputs. Each system falls
into the smallest blocks that determine one another in turn: for an arm shoulder, elbow and wrist,
for a parallel robot its legs. A block's determinant is zero at a singular pose, and its sign gives
the side. In which axes and about which point a frame's rows are written changes no determinant, but
how many blocks there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from kinegen.kernels.layout import TRANSFORM_SIZE, Floats
from kinegen.kernels.protocols.solver import HandleKind
from kinegen.kernels.reference.base.rotation import cross_matrix
from kinegen.kernels.reference.linalg.qr import qr_factor
from kinegen.kernels.reference.singular.blocks import diagonal_blocks
from kinegen.kernels.reference.singular.probe import Probe, values_of

ZERO_ENTRY = 1e-9
"""Scaled entries and singular values below this are zero."""
REGULAR_VALUE = 1e-6
"""Singular values below this are those of a singular system."""
LONG_CHAIN = 10
"""Chains with more links are looked at in world axes only: every view of them costs."""
SIGN_SAMPLES = 5
SAMPLE_REACH = 0.3
"""Poses whose entries show the structure: how many, and how far away [rad, or sizes]."""


@dataclass(frozen=True, slots=True)
class View:
    """How the rows of one frame are written; -1: its own point, the world's axes."""

    point: int = -1
    """Link at whose origin the frame's velocity is taken."""
    linear: int = -1
    """Link in whose axes linear rows are written."""
    angular: int = -1
    """The same for angular rows."""


@dataclass(frozen=True, slots=True)
class System:
    """A system whose rank is lost where one of its blocks is singular."""

    view: View | None
    """How the frame's rows are written; None for the passive joints' system."""
    rows: list[int]
    """Those that count."""
    blocks: tuple[tuple[list[int], list[int]], ...]
    """Rows (of those that count) and columns of the square blocks."""


class BranchSigns:
    """Signs that distinguish the branches of a mechanism; the same number in every pose."""

    def __init__(self, probe: Probe, q: Floats) -> None:
        self.probe = probe
        near = probe.motion.neighbours(q, SAMPLE_REACH, SIGN_SAMPLES - 1)
        self._home = [q, *near, *[q] * (SIGN_SAMPLES - 1 - len(near))]
        self.systems = [s for s in (self._task_system(), self._gain_system()) if s is not None]
        self.count = sum(len(system.blocks) for system in self.systems)

    def values(self, q: Floats) -> Floats:
        """Smallest singular value of each block, with the sign of its determinant.

        It changes smoothly through zero where a singularity is crossed.
        """
        found = []
        for system in self.systems:
            matrix = self._matrix(q, system.view)[system.rows]
            for block in system.blocks:
                part = matrix[np.ix_(*block)]
                value = float(values_of(part)[-1])
                found.append(-value if np.linalg.det(part) < 0 else value)
        return np.array(found)

    def signs(self, q: Floats) -> tuple[int, ...]:
        """-1, 1, or 0 at a singularity, for each block."""
        return tuple(0 if abs(x) < ZERO_ENTRY else int(np.sign(x)) for x in self.values(q))

    def variables(self) -> list[tuple[bool, list[int]]]:
        """Whether a block is of the passive joints' system, and its variables."""
        passive = self.probe.passive.tolist()
        return [
            (system.view is None, columns if system.view else [passive[i] for i in columns])
            for system in self.systems
            for _, columns in system.blocks
        ]

    def _matrix(self, q: Floats, view: View | None) -> Floats:
        """The frames' rows in a view, then the loops'; or the passive joints' loop rows."""
        motion, watched = self.probe.motion, self.probe.watched
        if view is None:
            return self.probe.passive_rows(q)
        J = watched.jacobian(q)
        links = np.zeros((motion.counts.link, TRANSFORM_SIZE))
        motion.bound.forward_links(q, links)
        R, p = motion.site(q, watched.aims[0].site)
        if view.point >= 0:
            r = (links[view.point, 9:] - p - R @ watched.aims[0].point) / motion.size
            J[:3] -= cross_matrix(r) @ J[3:]  # v + w × r
        if view.linear >= 0:
            J[:3] = links[view.linear, :9].reshape(3, 3).T @ J[:3]
        if view.angular >= 0:
            J[-3:] = links[view.angular, :9].reshape(3, 3).T @ J[-3:]
        return np.vstack([J, motion.loops(q)])

    def _chain(self) -> list[int]:
        """Links from the first frame's own down to the base."""
        blocks, site = self.probe.motion.blocks, self.probe.watched.aims[0].site
        links = blocks.counts.link
        link = site if site < links else int(blocks.int_part("frame_link")[site - links])
        chain = []
        while (joint := int(blocks.int_part("link_joint")[link])) >= 0:
            chain.append(link)
            link = int(blocks.int_part("joint_parent")[joint])
        return chain

    def _views(self) -> Iterator[list[View]]:
        """Ways to write the rows, in rounds: the best of each round is refined in the next."""
        yield [View()]
        aims = self.probe.watched.aims
        chain = self._chain() if len(aims) == 1 else []
        if len(aims) > 1 or len(chain) > LONG_CHAIN:
            return
        places, kind = [-1, *chain], aims[0].kind
        if kind is HandleKind.POSE:
            yield [View(point, axes, axes) for point in places for axes in places]
        if kind is not HandleKind.ROTATION:
            yield [View(linear=axes) for axes in places]
        if kind in {HandleKind.POSE, HandleKind.ROTATION}:
            yield [View(angular=axes) for axes in places]

    def _task_system(self) -> System | None:
        """The frames' system in the view that has the most blocks."""
        best, most, chosen = None, (-1, -1), View()
        if not self.probe.task_rank:
            return None
        for views in self._views():
            for view in views:
                found = self._split(
                    View(*(new if new >= 0 else old for new, old in (
                        (view.point, chosen.point), (view.linear, chosen.linear),
                        (view.angular, chosen.angular),
                    )))
                )  # fmt: skip
                if found is None:
                    return None  # rank does not depend on the view
                changing = self._changing(found)
                count = len(changing.blocks), len(found.blocks)
                if count > most:
                    best, most = changing, count
            chosen = best.view if best is not None and best.view is not None else chosen
        return best

    def _gain_system(self) -> System | None:
        found = self._split(None) if self.probe.gain_rank else None
        return None if found is None else self._changing(found)

    def _split(self, view: View | None) -> System | None:
        """The rows and columns that count, if they determine the motion, and their blocks."""
        samples = np.array([self._matrix(q, view) for q in self._home])
        size = np.abs(samples).max(axis=0)
        columns = np.flatnonzero(size.max(axis=0) > ZERO_ENTRY)
        live = np.flatnonzero(size.max(axis=1) > ZERO_ENTRY)
        # of rows that depend on each other in the same way in every pose, some that do not
        wide = np.ascontiguousarray(np.hstack(list(samples[:, live])).T)
        _, _, perm, rank = qr_factor(wide, ZERO_ENTRY)
        rows = sorted(live[perm[:rank]].tolist())
        kept = samples[:, rows][:, :, columns]
        if rank < len(columns) or max(values_of(matrix)[-1] for matrix in kept) < REGULAR_VALUE:
            return None
        blocks = diagonal_blocks(np.abs(kept).max(axis=0) > ZERO_ENTRY)
        if blocks is None:
            return None
        return System(view, rows, tuple((r, columns[c].tolist()) for r, c in blocks))

    def _changing(self, system: System) -> System:
        """The system with those blocks whose determinant is not the same in every pose."""
        kept = []
        matrices = [self._matrix(q, system.view)[system.rows] for q in self._home]
        for block in system.blocks:
            values = np.array([np.linalg.det(matrix[np.ix_(*block)]) for matrix in matrices])
            if np.ptp(values) > 1e-6 * np.abs(values).max():
                kept.append(block)
        return replace(system, blocks=tuple(kept))
