"""The singularity monitor in NumPy, with the signatures of ``kinegen.kernels.protocols.singular``.

The specification of ``native/kernel/singular/monitor.hpp``.
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.call_records import HeadingInts
from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.protocols.singular import (
    AIM_LIMIT,
    HEADING_INTS,
    HEADING_REALS,
    Examination,
    FoundAhead,
    FoundBranch,
    FoundBranches,
    HeadingType,
    MonitorStatus,
    SearchEnd,
    SingularKind,
)
from kinegen.kernels.reference.base.bound import BoundModel, check_numbers
from kinegen.kernels.reference.base.joint_types import NV
from kinegen.kernels.reference.loops.scaled_motion import ScaledMotion
from kinegen.kernels.reference.singular.branch_signs import BranchSigns
from kinegen.kernels.reference.singular.branches_beyond import Outlook, refine
from kinegen.kernels.reference.singular.heading import (
    LOOK_STEP,
    Heading,
    Options,
    read_heading,
    search,
)
from kinegen.kernels.reference.singular.nearest import nearest_singular
from kinegen.kernels.reference.singular.probe import Probe, choose_kind, kind_of
from kinegen.kernels.reference.singular.rows import FrameRows, read_aim


class BoundMonitor:
    """A model's singularity monitor."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        self._motion = ScaledMotion(Blocks(ints, reals), BoundModel(ints, reals))
        self._probe: Probe | None = None
        self._signs: BranchSigns | None = None
        self._home = np.zeros(self._motion.nq)

    def watch(
        self, q: Floats, aim_ints: Ints, aim_reals: Floats, inputs: Ints, /
    ) -> tuple[int, int, int, int]:
        motion, counts = self._motion, self._motion.counts
        self._check_q(q)
        motion.read_size()
        aims, reals = aim_ints.reshape(-1, 2), aim_reals.reshape(-1, 6)
        sites = counts.link + counts.frame
        known = all(0 <= site < sites and -1 <= kind < 4 for site, kind in aims.tolist())
        if not known or len(aims) > AIM_LIMIT or len(reals) != len(aims):
            raise UsageError(
                f"an aim names no link or frame (0 to {sites - 1}) or no kind (-1 to 3), "
                "or there are more than 64 aims"
            )
        for aim in aims:
            if aim[1] < 0:
                aim[1] = choose_kind(motion, q, int(aim[0]))
        rows = [
            read_aim(int(site), int(kind), numbers)
            for (site, kind), numbers in zip(aims, reals, strict=True)
        ]
        driven = [
            v + k for v, kind, on in zip(motion.joint_v, motion.types, inputs.tolist(), strict=True)
            for k in range(NV[kind]) if on
        ]  # fmt: skip
        # without inputs there is no control to lose
        passive = sorted(set(range(motion.nv)) - set(driven)) if driven else []
        self._probe = probe = Probe(
            motion, q, FrameRows(motion, rows), np.array(driven, dtype=np.int32),
            np.array(passive, dtype=np.int32),
        )  # fmt: skip
        self._signs, self._home = None, q.copy()
        return probe.loop_rank, probe.task_rank, probe.gain_rank, probe.drive_rank

    def measure(self, q: Floats, /) -> tuple[int, float, float, Floats]:
        probe = self._ready(q)
        distances = probe.distances(q)
        return kind_of(distances), *distances, probe.task_values(q)

    def examine(self, q: Floats, /) -> Examination:
        probe = self._ready(q)
        distances = probe.distances(q)
        values, lost, standing = probe.weakest(q, probe.watched, probe.task_rank)
        found = (lost, standing, probe.gained(q))
        rows = tuple(np.ascontiguousarray(part.T) for part in found)
        return (kind_of(distances), probe.is_branch_point(q), *distances, values,
                probe.gain_values(q), *rows)  # type: ignore[return-value]  # fmt: skip

    def blocks(self) -> list[tuple[bool, Ints]]:
        found = self._structure().variables()
        return [(held, np.array(variables, dtype=np.int32)) for held, variables in found]

    def signs(self, q: Floats, /) -> Floats:
        self._ready(q)
        return self._structure().values(q)

    def ahead(
        self, q: Floats, heading_ints: Ints, heading_reals: Floats, within: float, limits: bool,
        step: float, near: float, /,
    ) -> FoundAhead:  # fmt: skip
        probe = self._ready(q)
        heading = self._heading(q, heading_ints, heading_reals)
        if heading is None:
            return MonitorStatus.HEADING_IS_ZERO, 0, False, 0.0, 0.0, 0.0, self._stacked([])
        options = Options(self._reach(heading, within), limits, step, near)
        found = search(probe, self._structure(), heading, q, options)
        return (MonitorStatus.DONE, found.end, heading.is_length, found.distance,
                *found.distances, self._stacked(found.path))  # fmt: skip

    def branches_beyond(
        self, q: Floats, heading_ints: Ints, heading_reals: Floats, kind: int, amplitude: float, /
    ) -> FoundBranches:
        probe, signs = self._ready(q), self._structure()
        heading: Heading | None = None
        if heading_ints[0] != HeadingType.NONE:
            heading = self._heading(q, heading_ints, heading_reals)
            if heading is None:
                return self._nothing(MonitorStatus.HEADING_IS_ZERO, [])
            options = Options(self._reach(heading, -1), True, LOOK_STEP, 0.0)
            found = search(probe, signs, heading, q, options)
            approach = found.path
            if found.end is not SearchEnd.FOUND:
                return self._nothing(MonitorStatus.NOTHING_AHEAD, approach)
        else:
            task, gain = probe.distances(q)
            nearer = SingularKind.GAIN if gain < task else SingularKind.TASK
            approach = nearest_singular(probe, q, nearer if kind < 0 else SingularKind(kind))
            if not approach:
                return self._nothing(MonitorStatus.NONE_NEARBY, [])
        singular = kind_of(probe.distances(approach[-1]))
        meeting = probe.is_branch_point(approach[-1])
        if kind >= 0 and singular not in {kind, SingularKind.BOTH}:
            return (MonitorStatus.WRONG_KIND, singular, meeting, self._stacked(approach), [])
        wanted = SingularKind(kind) if kind >= 0 else singular
        if wanted is not SingularKind.GAIN:
            wanted = SingularKind.TASK
        line = None if heading is None else heading.line
        outlook = Outlook(probe, signs, approach, line, wanted, amplitude)
        branches: list[FoundBranch] = [
            (branch.kind, branch.crosses, branch.sign, branch.joint, branch.other, branch.same,
             branch.goes_on, branch.led, self._stacked([*approach, *branch.path]))
            for branch in outlook.branches_beyond(meeting=meeting)
        ]  # fmt: skip
        return MonitorStatus.DONE, singular, meeting, self._stacked(approach), branches

    def refine(self, path: Floats, bounds: Floats, /) -> Floats | None:
        self._motion.read_size()
        found = refine(self._motion, list(path), bounds)
        return None if found is None else self._stacked(found)

    # Checks

    def _check_q(self, q: Floats) -> None:
        try:
            check_numbers(q, self._motion.nq, "q")
        except ValueError as error:
            raise UsageError(str(error)) from None
        if not np.isfinite(q).all():
            raise UsageError("q contains NaN or infinity")

    def _ready(self, q: Floats) -> Probe:
        self._check_q(q)
        if self._probe is None:
            raise UsageError("nothing is watched yet: call watch first")
        self._motion.read_size()
        return self._probe

    def _structure(self) -> BranchSigns:
        if self._signs is None:
            self._signs = BranchSigns(self._ready(self._home), self._home)
        return self._signs

    def _heading(self, q: Floats, ints: Ints, reals: Floats) -> Heading | None:
        nv, counts = self._motion.nv, self._motion.counts
        if ints.size != HEADING_INTS + nv or reals.size != HEADING_REALS + nv:
            raise UsageError(
                f"a heading has {HEADING_INTS + nv} ints and {HEADING_REALS + nv} reals, "
                f"got {ints.size} and {reals.size}"
            )
        kind, site, aim = HeadingInts(*ints[:HEADING_INTS].tolist())
        sites = counts.link + counts.frame
        known = 0 <= site < sites and -1 <= aim < 4
        if kind not in {HeadingType.FRAME, HeadingType.JOINTS} or (
            kind == HeadingType.FRAME and not known
        ):
            raise UsageError(
                f"a heading names no link or frame (0 to {sites - 1}) or no kind (-1 to 3)"
            )
        if not np.isfinite(reals).all():
            raise UsageError("a heading contains NaN or infinity")
        return read_heading(self._motion, q, ints, reals)

    def _reach(self, heading: Heading, within: float) -> float:
        """As far as asked for, else four sizes of the mechanism or one turn."""
        if within >= 0:
            return within
        return 4 * self._motion.size if heading.is_length else 2 * math.pi

    def _stacked(self, path: list[Floats]) -> Floats:
        return np.array(path).reshape(len(path), self._motion.nq)

    def _nothing(self, status: MonitorStatus, approach: list[Floats]) -> FoundBranches:
        return status, SingularKind.NONE, False, self._stacked(approach), []
