"""Branches by signs: on which side of each singularity a mechanism stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinegen.errors import AssemblyError
from kinegen.kernels import Floats, HandleKind
from kinegen.kinematics.assembly import assemble
from kinegen.kernels.reference.singular_blocks import diagonal_blocks
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.positions import poses
from kinegen.kinematics.singularity import Probe
from kinegen.kinematics.task_rows import Tasks, cross_matrix
from kinegen.mechanism.model import LinkIndex, Model

__all__ = ["BranchSigns", "branch_signature"]

_ZERO = 1e-9
"""Scaled entries and singular values below this are zero."""
_REGULAR = 1e-6
"""Singular values below this are those of a singular system."""
_LONG = 10
"""Chains with more links are looked at in world axes only: every view of them costs."""


@dataclass(frozen=True, slots=True)
class _View:
    """How the rows of one frame are written: neither choice changes the determinant."""

    point: str | None = None
    """Link at whose origin the frame's velocity is taken; None: the frame's own point."""
    linear: str | None = None
    """Link in whose axes linear rows are written; None: the world's."""
    angular: str | None = None
    """The same for angular rows."""


class _Pose:
    """All that views need of one pose, computed once."""

    def __init__(self, probe: Probe, q: Floats) -> None:
        self.passive = probe.passive_rows(q)
        self.loops = probe.motion.loops(q)
        self.sites = poses(probe.model, q)
        self.frame = np.zeros((0, probe.model.nv))
        if probe.watched is not None:
            self.frame = probe.watched.jacobian(q)
            aim = probe.watched.aims[0]
            self.point = self.sites[aim.frame].apply(aim.point)
        self.size = probe.motion.size

    def matrix(self, view: _View | None) -> Floats:
        """The frames' rows in a view, then the loops'; or the passive joints' loop rows."""
        if view is None:
            return self.passive
        J = self.frame.copy()
        if view.point is not None:
            r = (self.sites[view.point].translation - self.point) / self.size
            J[:3] -= cross_matrix(r) @ J[3:]  # v + w × r
        if view.linear is not None:
            J[:3] = self.sites[view.linear].rotation.T @ J[:3]
        if view.angular is not None:
            J[-3:] = self.sites[view.angular].rotation.T @ J[-3:]
        return np.vstack([J, self.loops])


@dataclass(frozen=True, slots=True)
class _System:
    """A system whose rank is lost where one of its blocks is singular."""

    view: _View | None
    """How the frame's rows are written; None for the passive joints' system."""
    rows: Floats
    """Combination of all rows that count, (n, all rows)."""
    blocks: tuple[tuple[list[int], list[int]], ...]
    """Rows and columns of the square blocks whose determinant can change."""


class BranchSigns:
    """Signs that tell the branches of a mechanism apart; equal structure for every pose.

    The frames' rows with the loop rows determine all joints, and so do the loop rows over the
    joints without inputs. Each of these systems falls into the smallest blocks that determine one
    another in turn: for an arm its shoulder, elbow and wrist, for a parallel robot its legs. A
    block's determinant is zero at a singular pose, and its sign tells the side.
    """

    def __init__(
        self,
        model: Model,
        tasks: Tasks | None = None,
        *,
        inputs: Sequence[str] | None = None,
        home: Configuration = None,
    ) -> None:
        """Find the blocks.

        Args:
            model: the compiled mechanism.
            tasks: frames that are moved; without any only the loops are looked at.
            inputs: joints that are driven; by default those with motors.
            home: any ordinary pose; by default the assembled start.
        """
        q = assemble(model, home, limits=False).q
        self._find(Probe(model, q, tasks, inputs), q)

    @staticmethod
    def of(probe: Probe, q: Floats) -> BranchSigns:
        """The signs for a probe that is at hand; q: any ordinary pose."""
        made = BranchSigns.__new__(BranchSigns)
        made._find(probe, q)
        return made

    def _find(self, probe: Probe, q: Floats) -> None:
        self.probe = probe
        near = self.probe.motion.neighbours(q, 0.3, 4)
        self._samples = [_Pose(self.probe, sample) for sample in (q, *near)]
        self._systems = [s for s in (self._task_system(), self._gain_system()) if s is not None]
        del self._samples
        self.names: tuple[str, ...] = tuple(
            ("" if system.view else "held: ") + self._label(system, columns)
            for system in self._systems
            for _, columns in system.blocks
        )
        """Variables of the block that each sign belongs to; 'held: …' where the inputs hold."""

    def values(self, q: Floats) -> Floats:
        """Smallest singular value of each block, with the sign of its determinant.

        It changes smoothly through zero where a singularity is crossed.
        """
        found = []
        here = _Pose(self.probe, q)
        for system in self._systems:
            matrix = system.rows @ here.matrix(system.view)
            found += [_signed(matrix[np.ix_(*block)]) for block in system.blocks]
        return np.array(found)

    def signs(self, q: Floats) -> tuple[int, ...]:
        """-1, 1, or 0 at a singularity, for each block."""
        return tuple(0 if abs(x) < _ZERO else int(np.sign(x)) for x in self.values(q))

    def _label(self, system: _System, columns: Sequence[int]) -> str:
        """The variables of a block: a joint's name, with the variable's where it has several."""
        labels = [
            joint.name if len(joint.type.info.variables) == 1 else f"{joint.name} {variable}"
            for joint in self.probe.model.joints
            for variable, _ in joint.type.info.variables
        ]
        variables = columns if system.view else self.probe.passive[list(columns)]
        return "+".join(labels[i] for i in variables)

    def _views(self) -> Iterator[list[_View]]:
        """Ways to write the rows, in rounds: the best of each round is refined in the next."""
        assert self.probe.watched is not None
        yield [_View()]
        aims, model = self.probe.watched.aims, self.probe.model
        if len(aims) > 1:
            return
        chain, kind = _chain(model, aims[0].frame), aims[0].kind
        if len(chain) > _LONG:
            return
        places: list[str | None] = [None, *chain]
        turns = places if kind in {HandleKind.POSE, HandleKind.ROTATION} else [None]
        if kind is HandleKind.POSE:
            yield [_View(point, axes, axes) for point in places for axes in places]
        if kind is not HandleKind.ROTATION:
            yield [_View(linear=axes) for axes in places]
        yield [_View(angular=axes) for axes in turns]

    def _task_system(self) -> _System | None:
        """The frames' system in the view that has the most blocks."""
        best, most, chosen = None, (-1, -1), _View()
        if self.probe.watched is None or not self.probe.task_rank:
            return None
        for views in self._views():
            for view in views:
                found = self._split(
                    _View(view.point or chosen.point, view.linear or chosen.linear,
                          view.angular or chosen.angular)
                )  # fmt: skip
                if found is None:
                    return None  # rank does not depend on the view
                changing = self._changing(found)
                count = len(changing.blocks), len(found.blocks)
                if count > most:
                    best, most = changing, count
            chosen = best.view if best is not None and best.view is not None else chosen
        return best

    def _gain_system(self) -> _System | None:
        found = self._split(None) if self.probe.gain_rank else None
        return None if found is None else self._changing(found)

    def _split(self, view: _View | None) -> _System | None:
        """The rows and columns that count, if they determine the motion, and their blocks."""
        samples = np.array([sample.matrix(view) for sample in self._samples])
        size = np.abs(samples).max(axis=0)
        columns = np.flatnonzero(size.max(axis=0) > _ZERO)
        rows = np.eye(len(size))[size.max(axis=1) > _ZERO]
        # rows that depend on each other in the same way in every pose
        U, values, _ = np.linalg.svd(rows @ np.hstack(list(samples)), full_matrices=False)
        if int((values > _ZERO).sum()) < len(rows):
            rows = U[:, values > _ZERO].T @ rows
        kept = (rows @ samples)[:, :, columns]
        if len(rows) < len(columns) or max(_smallest(matrix) for matrix in kept) < _REGULAR:
            return None
        blocks = diagonal_blocks(np.abs(kept).max(axis=0) > _ZERO)
        if blocks is None:
            return None
        return _System(view, rows, tuple((r, columns[c].tolist()) for r, c in blocks))

    def _changing(self, system: _System) -> _System:
        """The system with those blocks whose determinant is not the same in every pose."""
        kept = []
        matrices = [system.rows @ sample.matrix(system.view) for sample in self._samples]
        for block in system.blocks:
            values = np.array([np.linalg.det(matrix[np.ix_(*block)]) for matrix in matrices])
            if np.ptp(values) > 1e-6 * np.abs(values).max():
                kept.append(block)
        return replace(system, blocks=tuple(kept))


def branch_signature(
    model: Model,
    q: Configuration,
    tasks: Tasks | None = None,
    *,
    inputs: Sequence[str] | None = None,
) -> tuple[int, ...]:
    """Signs that change when, and only when, a singularity is crossed; 0 on a singularity.

    Two poses with different signatures are on different branches: no motion between them avoids the
    singular poses. Mechanisms that are redundant for their frames, or whose inputs do not determine
    them, have no such sides, and their signature is short or empty. For many poses of one model
    keep a :class:`BranchSigns`, which also has the names that belong to the signs.
    """
    here = configuration(model, q)
    try:
        signs = BranchSigns(model, tasks, inputs=inputs)
    except AssemblyError:  # the file's own start does not close
        signs = BranchSigns(model, tasks, inputs=inputs, home=here)
    return signs.signs(here)


def _signed(matrix: Floats) -> float:
    """Smallest singular value, with the determinant's sign."""
    return float(np.linalg.slogdet(matrix)[0]) * _smallest(matrix)


def _smallest(matrix: Floats) -> float:
    return float(np.linalg.svd(matrix, compute_uv=False)[-1])


def _chain(model: Model, frame: str) -> list[str]:
    """Links from a frame's own down to the base."""
    site = model.site(frame)
    link = LinkIndex(site)
    if site >= model.link_count:
        link = model.frames[site - model.link_count].link
    carries = {joint.child: joint for joint in model.joints if not joint.is_cut}
    chain = []
    while link in carries:
        chain.append(model.link_names[link])
        link = carries[link].parent
    return chain
