"""How many ways a mechanism can move in a pose, which, and how many of them last."""

from __future__ import annotations

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import TRANSFORM_SIZE, Blocks, Floats, Ints
from kinegen.kernels.protocol import MobilityReport
from kinegen.kernels.reference.base.model import BoundModel
from kinegen.kernels.reference.base.steps import FIXED, FREE, NV, SPHERICAL, UNIVERSAL
from kinegen.kernels.reference.linalg.spectrum import free_motion
from kinegen.kernels.reference.loops import velocity as moving
from kinegen.kernels.reference.loops.groups import (
    loop_groups,
    placed_links,
    placed_points,
    placed_size,
    with_place,
)
from kinegen.kernels.reference.loops.system import BoundLoops, variable_scales
from kinegen.kernels.tolerances import SHUT, UNSEEN


class BoundMotion:
    """A model's mobility, velocities and accelerations."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        self._ints, self._reals = ints, reals
        self._blocks = Blocks(ints, reals)
        self._model = BoundModel(ints, reals)

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
        if not np.isfinite(q).all():
            raise UsageError("a configuration must be finite")
        counts = self._blocks.counts
        still = np.zeros(counts.nv, dtype=bool) if locked is None else locked != 0
        every = loop_groups(self._blocks)
        measured = set(with_place(self._blocks))
        # close all groups, each measured by its own size
        systems = []
        for n, (loops, joints) in enumerate(every):
            groups[loops] = n
            points = placed_points(self._blocks, self._links(q))
            placed = [*joints, *(counts.joint + loop for loop in loops)]
            size = placed_size(points[[n for n in placed if n in measured]])
            variables = [v for v in self._variables(joints) if not still[v]]
            system = BoundLoops(
                self._ints, self._reals, np.array(loops, dtype=np.int32),
                np.array(variables, dtype=np.int32), size,
            )  # fmt: skip
            systems.append((system, len(loops), variables, size, system.assemble(q)))
        # degrees of freedom of each, and those that last
        in_loops = {joint for _, joints in every for joint in joints}
        outside = self._variables(sorted(set(range(counts.joint)) - in_loops))
        basis = [np.eye(counts.nv)[v] for v in outside if not still[v]]
        spectra: list[Floats] = [np.zeros(0)]
        lost = 0
        for n, (system, loop_count, variables, size, gap) in enumerate(systems):
            J = np.empty((6 * loop_count, len(variables)))
            system.jacobian(q, J)
            found, V, rank, rank_gap = free_motion(J, tolerance)
            finite = system.finite_mobility(q, V[rank:], tolerance) if gap <= SHUT else 0
            spectra.append(found)
            lost += len(V) - rank - finite
            reports.reshape(-1, 6)[n] = size, gap, len(V) - rank, finite, len(found), rank_gap
            motions = np.zeros((len(V) - rank, counts.nv))
            scale = variable_scales(self._blocks, size)[variables]
            motions[:, variables] = V[rank:] * scale
            basis += list(np.linalg.qr(motions.T)[0].T)
        made = np.array(basis).reshape(len(basis), counts.nv)
        directions.reshape(counts.nv, counts.nv)[: len(made)] = made
        numbers = np.sort(np.concatenate(spectra))[::-1]
        values[: len(numbers)] = numbers
        gruebler = counts.nv - int(still.sum()) - 6 * counts.cut
        gruebler -= counts.coupling
        rows = reports.reshape(-1, 6)[: len(every)]
        phi = np.empty(6 * counts.loop)
        self._model.loop_residual(q, phi)
        widest = np.linalg.norm(phi.reshape(-1, 2, 3), axis=2).max(axis=0, initial=0.0)
        return (
            len(made), len(made) - lost, gruebler, len(made) - gruebler,
            len(made) - self._seen(q, made, motors), int((rows[:, 1] <= SHUT).all()),
            len(every), len(numbers), float(rows[:, 5].min(initial=np.inf)),
            float(widest[0]), float(widest[1]),
        )  # fmt: skip

    def _variables(self, joints: list[int]) -> list[int]:
        kind, first = self._blocks.int_part("joint_type"), self._blocks.int_part("joint_v")
        return [int(first[j]) + k for j in joints for k in range(NV[kind[j]])]

    def _links(self, q: Floats) -> Floats:
        links = np.empty((self._blocks.counts.link, TRANSFORM_SIZE))
        self._model.forward_links(q, links)
        return links

    def _seen(self, q: Floats, motions: Floats, motors: Ints | None) -> int:
        """How many motions, (n, nv), change anything that can be seen."""
        counts = self._blocks.counts
        if not len(motions) or not counts.loop:
            return len(motions)
        links, on = self._links(q), placed_links(self._blocks)
        points = placed_points(self._blocks, links)
        fixed = counts.joint + counts.loop
        size = placed_size(points[with_place(self._blocks)])
        loose = set(range(counts.link)) - set(on[:fixed])
        turning = sorted(set(on[fixed:]) | loose)
        driven = np.flatnonzero(np.zeros(counts.nv) if motors is None else motors)
        axes, arms = self._axes(links[on, :9].reshape(-1, 3, 3)), points - links[on, 9:]
        effects = []
        for v in motions:
            twists = np.empty((counts.link, 6))
            self._model.link_twists(q, v, twists)
            moved = (twists[on, :3] + np.cross(twists[on, 3:], arms)) / size
            tilted = np.cross(twists[on, 3:], axes)
            turned = twists[turning] * np.repeat([1 / size, 1.0], 3)
            effects.append(
                np.concatenate([moved.ravel(), tilted.ravel(), turned.ravel(), v[driven]])
            )
        return int(np.linalg.matrix_rank(np.array(effects), tol=UNSEEN))

    def _axes(self, R_WL: Floats) -> Floats:
        """The axis of each placement in the world; zero for balls, frames and fixed joints."""
        kinds = self._blocks.int_part("joint_type").tolist()
        kinds += [kinds[cut] for cut in self._blocks.int_part("loop_joint").tolist()]
        transforms = self._blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)
        R = R_WL @ transforms[:, :9].reshape(-1, 3, 3)
        axes = np.zeros((len(R), 3))
        for n, kind in enumerate(kinds):
            if kind not in {SPHERICAL, FREE, FIXED}:
                # a universal joint lands on its second axis, x
                axes[n] = R[n, :, 0 if kind == UNIVERSAL and n >= self._blocks.counts.joint else 2]
        return axes

    # Velocities and accelerations

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
        asked = moving.Inputs(driven, values, frames, frame_values)
        return moving.find_motion(
            self._model, self._blocks, q, v, asked, size, out, missed, free_motion
        )

    def loop_bias(self, q: Floats, v: Floats, bias: Floats, /) -> None:
        bias[...] = moving.loop_bias(self._model, self._blocks, q, v)

    def site_motions(
        self, q: Floats, v: Floats, vdot: Floats, twists: Floats, accelerations: Floats, /
    ) -> None:
        counts = self._blocks.counts
        J, J_dot = np.empty((6, counts.nv)), np.empty((6, counts.nv))
        for site in range(counts.link + counts.frame):
            self._model.site_jacobian(q, site, np.zeros(3), -1, np.empty(7), J)
            self._model.site_jacobian_dot(q, v, site, np.zeros(3), -1, J_dot)
            twists.reshape(-1, 6)[site] = J @ v
            accelerations.reshape(-1, 6)[site] = J @ vdot + J_dot @ v
