"""Equations of some loops over some variables, scaled; closing them; their finite mobility."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.reference.base.model import BoundModel
from kinegen.kernels.reference.base.rotation import rotation_log
from kinegen.kernels.reference.base.steps import LENGTHS, NV
from kinegen.kernels.reference.linalg.spectrum import free_motion
from kinegen.kernels.tolerances import SHUT

LOOPS_EXACT = 1e-14
"""Closing ends here: nothing is left but rounding."""
LARGEST_CLOSING_STEP = 0.5
"""Scaled length of a closing step: beyond it the linear approximation of the loop is poor."""
CLOSING_DAMPING = 0.1
"""Share of the squared gap that damps a closing step: where loops lose rank, steps stay about as
short as the gap, and the damping vanishes with it (N. Yamashita, M. Fukushima, "On the rate of
convergence of the Levenberg-Marquardt method", Computing Suppl. 15, 2001)."""
CLOSING_NOISE = 1e-8
"""Share of the rows' Frobenius norm below which singular values say nothing: of a mechanism that
moves by its special dimensions, rounding makes one that hardly resists, and must not be drawn
back."""
_TINY = 1e-300
"""Keeps quotients finite where everything vanishes."""
CLOSING_ITERATIONS = 60
_TRIAL_STEP = 0.02
"""Largest scaled step of a trial motion: small against the bars, large against every tolerance."""
_MOST_CROSSING = 8
"""Free directions among which ways out of a crossing are looked for; with more there is none that
few starts would find."""
BEND_STEP = 1e-3
"""Scaled step over which second derivatives are taken: errors of about its square, and rounding."""
_SECOND_ORDER = 1e-4
"""Share of the curvature that counts as none: above the errors of the derivatives."""
_STRAIGHT = 1e-6
"""Curvatures below this are rounding."""
_CROSSING_STARTS, _CROSSING_STEPS = 4, 40
_MASK = (1 << 64) - 1
"""Which variables of a joint are lengths."""


class Draws:
    """Random numbers (SplitMix64; Steele, Lea, Flood 2014), the same as the compiled ones."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def _unit(self) -> float:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return float((z ^ (z >> 31)) >> 11) / 9007199254740992.0

    def normal(self, count: int) -> Floats:
        """Normally distributed numbers (Box and Muller 1958)."""
        made = [
            math.sqrt(-2 * math.log(1 - self._unit())) * math.cos(math.tau * self._unit())
            for _ in range(count)
        ]
        return np.array(made)


def variable_scales(blocks: Blocks, size: float) -> Floats:
    """Change of each v [rad, m] for a scaled step of 1."""
    scale = np.ones(blocks.counts.nv)
    types, first = blocks.int_part("joint_type").tolist(), blocks.int_part("joint_v").tolist()
    for kind, v in zip(types, first, strict=True):
        for k in range(NV[kind]):
            scale[v + k] = size if k in LENGTHS[kind] else 1.0
    return scale


class BoundLoops:
    """Residual and Jacobian of some loops over some variables, lengths measured by ``size``."""

    def __init__(
        self, ints: Ints, reals: Floats, loops: Ints, variables: Ints, size: float
    ) -> None:
        self._model = BoundModel(ints, reals)
        self._blocks = Blocks(ints, reals)
        self._variables = np.array(variables, dtype=int)
        self._scale = variable_scales(self._blocks, size)[self._variables]
        self._rows = np.array([6 * n + i for n in loops for i in range(6)], dtype=int)
        self._row_scale = np.tile(np.repeat([1 / size, 1.0], 3), len(loops))
        self._link, self._R = -1, np.eye(3)

    def hold(self, link: int, R: Floats, /) -> None:
        self._link, self._R = link, np.array(R).reshape(3, 3)

    def residual(self, q: Floats, phi: Floats, /) -> None:
        phi[...] = self._residual(q)

    def jacobian(self, q: Floats, J: Floats, /) -> None:
        J[...] = self._jacobian(q)

    def _residual(self, q: Floats) -> Floats:
        every = np.empty(6 * self._blocks.counts.loop)
        self._model.loop_residual(q, every)
        phi = np.asarray(every[self._rows] * self._row_scale)
        if self._link < 0:
            return phi
        links = np.empty((self._blocks.counts.link, 12))
        self._model.forward_links(q, links)
        R_WL = links[self._link, :9].reshape(3, 3)
        return np.concatenate([phi, rotation_log(self._R.T @ R_WL)])

    def _jacobian(self, q: Floats) -> Floats:
        every = np.empty((6 * self._blocks.counts.loop, self._model.nv))
        self._model.loop_jacobian(q, every)
        J = every[np.ix_(self._rows, self._variables)] * self._row_scale[:, None]
        if self._link >= 0:
            turning = np.empty((6, self._model.nv))
            self._model.site_jacobian(q, self._link, np.zeros(3), self._link, np.empty(7), turning)
            J = np.vstack([J, turning[3:, self._variables]])
        return np.asarray(J * self._scale)

    def _move(self, q: Floats, step: Floats) -> Floats:
        v = np.zeros(self._model.nv)
        v[self._variables] = self._scale * step
        out = np.empty(self._model.nq)
        self._model.integrate(q, v, out)
        return out

    def _moved(self, q0: Floats, q1: Floats) -> Floats:
        v = np.empty(self._model.nv)
        self._model.difference(q0, q1, v)
        return np.asarray(v[self._variables] / self._scale)

    # Closing

    def close(self, q: Floats, within: Floats | None, iterations: int) -> float:
        there, gap = self._close(q, within, iterations)
        q[...] = there
        return gap

    def _close(
        self, q: Floats, within: Floats | None = None, iterations: int = CLOSING_ITERATIONS
    ) -> tuple[Floats, float]:
        phi = self._residual(q)
        gap = float(np.linalg.norm(phi))
        caution = 1.0
        for _ in range(iterations if len(self._variables) else 0):
            if not gap >= LOOPS_EXACT or caution > 1e9:
                break
            J = self._jacobian(q)
            A = J if within is None else J @ within
            # damped least squares: each direction by s / (s² + damping)
            U, s, Vt = np.linalg.svd(A, full_matrices=False)
            noise = (CLOSING_NOISE * float(np.linalg.norm(A))) ** 2
            damping = caution * CLOSING_DAMPING * min(gap, 1.0) ** 2 + noise + _TINY
            step = -Vt.T @ (s / (s**2 + damping) * (U.T @ phi))
            step *= min(1.0, LARGEST_CLOSING_STEP / (float(np.linalg.norm(step)) + _TINY))
            tried = self._move(q, step if within is None else within @ step)
            phi_tried = self._residual(tried)
            gap_tried = float(np.linalg.norm(phi_tried))
            if not gap_tried < gap:
                caution *= 8
                continue
            standing = gap_tried > gap * (1 - 1e-6)
            q, phi, gap, caution = tried, phi_tried, gap_tried, max(caution / 4, 1e-3)
            if standing:
                break
        return q, gap

    def assemble(self, q: Floats, /) -> float:
        start = q.copy()
        here, gap = self._close(start)
        if gap > SHUT:
            draws = Draws(0)
            for reach in (0.1, 0.3, 0.6, 1.0):
                step = reach * draws.normal(len(self._variables))
                tried, gap_tried = self._close(self._move(start, step))
                if gap_tried <= SHUT or gap_tried < 0.5 * gap:
                    here, gap = tried, gap_tried
                if gap_tried <= SHUT:
                    break
        q[...] = here
        return gap

    # Finite mobility

    def finite_mobility(self, q: Floats, basis: Floats, tolerance: float, /) -> int:
        count = len(basis)
        if not count or self._goes_on(q, basis, tolerance):
            return count
        trials = [side * axis for axis in np.eye(count) for side in (1.0, -1.0)]
        draws = Draws(2)
        trials += [draws.normal(count) for _ in range(2 * count)]
        trials += self._ways_out(q, basis, tolerance)
        most = 0
        for trial in trials:
            there, made = self._try(q, basis, trial)
            if there is None or np.linalg.norm(made) < 0.3:
                continue
            _, directions, rank, _ = free_motion(self._jacobian(there), tolerance)
            ahead = directions[rank:]
            if len(ahead) > most:
                goes_on = self._goes_on(there, ahead, tolerance)
                most = max(most, len(ahead) if goes_on else self._surviving(there, ahead))
        return most

    def _ways_out(self, q: Floats, basis: Floats, tolerance: float) -> list[Floats]:
        """Mixes of free directions along which the loops stay closed to second order as well.

        Where branches of motion cross, only these few directions lead out of the pose: those u with
        (I − J J⁺) H(u, u) = 0, H being the loops' second derivative. They are found by
        Gauss-Newton steps on the unit sphere from random starts.
        """
        count = len(basis)
        if count > _MOST_CROSSING:
            return []
        J = self._jacobian(q)
        _, directions, rank, _ = free_motion(J, tolerance)
        reach = J @ directions[:rank].T  # spans what first-order steps can close

        def curvature(mix: Floats) -> Floats:
            step = BEND_STEP * (mix @ basis)
            gap = self._residual(self._move(q, step)) + self._residual(self._move(q, -step))
            gap /= 2 * BEND_STEP**2
            for column in reach.T:
                gap -= column * ((column @ gap) / (column @ column))
            return np.asarray(gap)

        axes = np.eye(count)
        bends = np.empty((count, count, len(J)))
        for i in range(count):
            bends[i, i] = curvature(axes[i])
        for i in range(count):
            for j in range(i):
                both = curvature(axes[i] + axes[j]) - bends[i, i] - bends[j, j]
                bends[i, j] = bends[j, i] = both / 2
        size = float(np.sqrt((bends**2).sum()))
        if size < _STRAIGHT:
            return []
        draws, found = Draws(3), []
        for _ in range(_CROSSING_STARTS * count):
            mix = draws.normal(count)
            for _ in range(_CROSSING_STEPS):
                mix /= np.linalg.norm(mix)
                inner = np.einsum("ijr,j->ir", bends, mix)
                gap = mix @ inner
                if np.linalg.norm(gap) < _SECOND_ORDER * size:
                    found += [mix, -mix]
                    break
                # steps along the mix itself would only shorten it
                A = 4 * inner @ inner.T + size**2 * (1e3 * np.outer(mix, mix) + 1e-9 * axes)
                mix = mix - np.linalg.solve(A, 2 * inner @ gap)
        return found

    def _try(self, q: Floats, basis: Floats, mix: Floats) -> tuple[Floats | None, Floats]:
        """The pose that a small step leads to, if the loops close there, and how much was made.

        The second is the step made along the free directions by the length of the one asked for.
        """
        step = mix @ basis
        step *= _TRIAL_STEP / np.abs(step).max()
        there, gap = self._close(self._move(q, step))
        made = basis @ self._moved(q, there) / np.linalg.norm(step)
        return (there if gap <= SHUT else None), made

    def _goes_on(self, q: Floats, basis: Floats, tolerance: float) -> bool:
        """Whether mixed motions in all free directions survive, and lead to poses with as many."""
        # a single lost direction must show in a mix of many
        allowed = 0.5 / np.sqrt(len(basis))
        draws = Draws(1)
        for _ in range(2):
            mix = draws.normal(len(basis))
            there, made = self._try(q, basis, mix)
            if there is None or np.linalg.norm(made - mix / np.linalg.norm(mix)) > allowed:
                return False
            _, _, rank, _ = free_motion(self._jacobian(there), tolerance)
            if len(self._variables) - rank != len(basis):
                return False
        return True

    def _surviving(self, q: Floats, basis: Floats) -> int:
        """Rank of the map from steps asked for to steps made."""
        made = [self._try(q, basis, axis)[1] for axis in np.eye(len(basis))]
        return int((np.linalg.svd(np.array(made), compute_uv=False) > 0.5).sum())
