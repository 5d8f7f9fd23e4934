"""Equations of some loops over some variables, scaled, and closing them."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.reference.base.bound import BoundModel
from kinegen.kernels.reference.base.joint_types import LENGTHS, NV
from kinegen.kernels.reference.base.rotation import rotation_log
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
"""Newton steps that closing the loops may take."""
_MASK = (1 << 64) - 1


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


class LoopSystem:
    """Some loops over some variables, angles by 1 rad, lengths by ``size``."""

    def __init__(
        self, model: BoundModel, blocks: Blocks, loops: Ints, variables: Ints, size: float
    ) -> None:
        self._model, self._blocks = model, blocks
        self.variables = np.array(variables, dtype=int)
        self._scale = variable_scales(self._blocks, size)[self.variables]
        self._rows = np.array([6 * n + i for n in loops for i in range(6)], dtype=int)
        self._row_scale = np.tile(np.repeat([1 / size, 1.0], 3), len(loops))
        self._link, self._R = -1, np.eye(3)

    def hold(self, link: int, R: Floats) -> None:
        """Let a link keep the rotation R_WL; -1 for none."""
        self._link, self._R = link, np.array(R).reshape(3, 3)

    def residual(self, q: Floats) -> Floats:
        """What is missing, scaled, (rows,)."""
        every = np.empty(6 * self._blocks.counts.loop)
        self._model.loop_residual(q, every)
        phi = np.asarray(every[self._rows] * self._row_scale)
        if self._link < 0:
            return phi
        links = np.empty((self._blocks.counts.link, 12))
        self._model.forward_links(q, links)
        R_WL = links[self._link, :9].reshape(3, 3)
        return np.concatenate([phi, rotation_log(self._R.T @ R_WL)])

    def jacobian(self, q: Floats) -> Floats:
        """Its derivative by scaled steps, (rows, variables)."""
        every = np.empty((6 * self._blocks.counts.loop, self._model.nv))
        self._model.loop_jacobian(q, every)
        J = every[np.ix_(self._rows, self.variables)] * self._row_scale[:, None]
        if self._link >= 0:
            turning = np.empty((6, self._model.nv))
            self._model.site_jacobian(q, self._link, np.zeros(3), self._link, np.empty(7), turning)
            J = np.vstack([J, turning[3:, self.variables]])
        return np.asarray(J * self._scale)

    def move(self, q: Floats, step: Floats) -> Floats:
        """The configuration a scaled step away."""
        v = np.zeros(self._model.nv)
        v[self.variables] = self._scale * step
        out = np.empty(self._model.nq)
        self._model.integrate(q, v, out)
        return out

    def moved(self, q0: Floats, q1: Floats) -> Floats:
        """The scaled step from q0 to q1."""
        v = np.empty(self._model.nv)
        self._model.difference(q0, q1, v)
        return np.asarray(v[self.variables] / self._scale)

    def close(
        self, q: Floats, within: Floats | None = None, iterations: int = CLOSING_ITERATIONS
    ) -> tuple[Floats, float]:
        """Where the loops are closed, or nearly, and the scaled gap there.

        Steps stay within orthonormal columns, (variables, count), if there are any given.
        """
        phi = self.residual(q)
        gap = float(np.linalg.norm(phi))
        caution = 1.0
        for _ in range(iterations if len(self.variables) else 0):
            if not gap >= LOOPS_EXACT or caution > 1e9:
                break
            J = self.jacobian(q)
            A = J if within is None else J @ within
            # damped least squares: each direction by s / (s² + damping)
            U, s, Vt = np.linalg.svd(A, full_matrices=False)
            noise = (CLOSING_NOISE * float(np.linalg.norm(A))) ** 2
            damping = caution * CLOSING_DAMPING * min(gap, 1.0) ** 2 + noise + _TINY
            step = -Vt.T @ (s / (s**2 + damping) * (U.T @ phi))
            step *= min(1.0, LARGEST_CLOSING_STEP / (float(np.linalg.norm(step)) + _TINY))
            tried = self.move(q, step if within is None else within @ step)
            phi_tried = self.residual(tried)
            gap_tried = float(np.linalg.norm(phi_tried))
            if not gap_tried < gap:
                caution *= 8
                continue
            standing = gap_tried > gap * (1 - 1e-6)
            q, phi, gap, caution = tried, phi_tried, gap_tried, max(caution / 4, 1e-3)
            if standing:
                break
        return q, gap

    def assemble(self, q: Floats) -> tuple[Floats, float]:
        """The same from further away: other starts are tried where q leads into a dead end."""
        here, gap = self.close(q)
        if gap > SHUT:
            draws = Draws(0)
            for reach in (0.1, 0.3, 0.6, 1.0):
                step = reach * draws.normal(len(self.variables))
                tried, gap_tried = self.close(self.move(q, step))
                if gap_tried <= SHUT or gap_tried < 0.5 * gap:
                    here, gap = tried, gap_tried
                if gap_tried <= SHUT:
                    break
        return here, gap
