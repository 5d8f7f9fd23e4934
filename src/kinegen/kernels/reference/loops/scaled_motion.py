"""Small motions of a mechanism with lengths measured by its size: rows, free motion, closing.

The specification of ``native/kernel/loops/scaled_motion.hpp``. A step x moves the joints by v =
scale x, so that angles and lengths compare.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from kinegen.kernels.layout import TRANSFORM_SIZE, Blocks, Floats
from kinegen.kernels.reference.base.bound import BoundModel
from kinegen.kernels.reference.base.joint_types import LENGTHS, NQ, NV, SPHERICAL
from kinegen.kernels.reference.base.manifold import swing_angle
from kinegen.kernels.reference.base.rotation import quat_to_matrix
from kinegen.kernels.reference.linalg.qr import qr_factor, qr_null_space, qr_solve_minimum_norm
from kinegen.kernels.tolerances import LIMIT_SLACK, RANK, SHUT

EXACT_ERROR = 1e-13
"""Closing ends here, scaled: nothing is left but rounding."""
CLOSING_STEP = 0.3
"""Largest scaled closing step: linear pictures hold this far."""
DEPENDENT_SHARE = 1e-10
"""Pivots below this share are rounding of rows that depend on others."""
_MASK = (1 << 64) - 1


class Condition(Protocol):
    """Equations that a motion keeps besides the loops."""

    def error(self, q: Floats, /) -> Floats:
        """What is missing at q, scaled; 0 where the condition holds."""
        ...

    def jacobian(self, q: Floats, /) -> Floats:
        """Its derivative by scaled steps, (rows, nv)."""
        ...


class ScaledMotion:
    """Steps of a model, its loops, and poses that keep them closed."""

    def __init__(self, blocks: Blocks, bound: BoundModel) -> None:
        self.blocks, self.bound, self.counts = blocks, bound, blocks.counts
        self.nq, self.nv = blocks.counts.nq, blocks.counts.nv
        self.types = blocks.int_part("joint_type").tolist()
        self.joint_q = blocks.int_part("joint_q").tolist()
        self.joint_v = blocks.int_part("joint_v").tolist()
        self.is_length = np.zeros(self.nv, dtype=bool)
        for kind, v in zip(self.types, self.joint_v, strict=True):
            self.is_length[[v + k for k in LENGTHS[kind]]] = True
        self.read_size()

    def read_size(self) -> None:
        """Measure the mechanism: its numbers may have changed."""
        transforms = self.blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)
        reach = np.abs(transforms[:, 9:]).sum(axis=1)
        placed = reach[reach > 0]
        self.size = float(placed.mean()) if len(placed) else 1.0
        self.scale = np.where(self.is_length, self.size, 1.0)
        self.rows = np.tile(np.repeat([1 / self.size, 1.0], 3), self.counts.loop)

    # Kinematics

    def loops(self, q: Floats) -> Floats:
        """Scaled loop rows, (6 · loop_count, nv)."""
        J = np.zeros((6 * self.counts.loop, self.nv))
        self.bound.loop_jacobian(q, J)
        return np.asarray(J * self.rows[:, None] * self.scale)

    def gaps(self, q: Floats) -> Floats:
        """How far the loops are open [m, rad], (6 · loop_count,)."""
        phi = np.zeros(6 * self.counts.loop)
        self.bound.loop_residual(q, phi)
        return phi

    def site(self, q: Floats, site: int) -> tuple[Floats, Floats]:
        """Rotation and translation of a site."""
        poses = np.zeros((self.counts.link + self.counts.frame, 7))
        self.bound.forward_poses(q, poses)
        return quat_to_matrix(poses[site, :4]), poses[site, 4:]

    def site_rows(self, q: Floats, site: int, point: Floats) -> Floats:
        """Scaled Jacobian of a point of a site in world axes, (6, nv)."""
        J = np.zeros((6, self.nv))
        self.bound.site_jacobian(q, site, point, -1, np.zeros(7), J)
        J *= self.scale
        J[:3] /= self.size
        return J

    def move(self, q: Floats, x: Floats) -> Floats:
        """The configuration q moved by a scaled step."""
        out = np.zeros(self.nq)
        self.bound.integrate(q, self.scale * x, out)
        return out

    def between(self, q0: Floats, q1: Floats) -> Floats:
        """The scaled step from q0 to q1."""
        out = np.zeros(self.nv)
        self.bound.difference(q0, q1, out)
        return np.asarray(out / self.scale)

    def joint_parts(self) -> Iterator[slice]:
        """The entries of v that belong to each joint."""
        for kind, v in zip(self.types, self.joint_v, strict=True):
            yield slice(v, v + NV[kind])

    def beyond_limits(self, q: Floats) -> set[int]:
        """Joints outside their limits at q."""
        lower, upper = self.blocks.real_part("lower"), self.blocks.real_part("upper")
        found = set()
        for joint, (kind, at, v) in enumerate(
            zip(self.types, self.joint_q, self.joint_v, strict=True)
        ):
            if kind == SPHERICAL and swing_angle(q[at : at + 4]) > upper[v] + LIMIT_SLACK:
                found.add(joint)
            elif NQ[kind] == NV[kind]:
                part, where = q[at : at + NQ[kind]], slice(v, v + NV[kind])
                if (
                    (part < lower[where] - LIMIT_SLACK) | (part > upper[where] + LIMIT_SLACK)
                ).any():
                    found.add(joint)
        return found

    # Closed poses

    def free(self, q: Floats, rank: int | None = None) -> Floats:
        """Orthonormal steps that keep the loops closed to first order, (nv, count)."""
        return null_basis(self.loops(q), rank)

    def close(self, q: Floats, keep: Condition | None = None) -> Floats | None:
        """The nearest pose where loops and condition hold, by damped Newton steps; or None."""
        error = self._error(q, keep)
        size, caution = float(np.linalg.norm(error)), 1.0
        for _ in range(60):
            if size < EXACT_ERROR or caution > 1e9:
                break
            J = self.loops(q) if keep is None else np.vstack([self.loops(q), keep.jacobian(q)])
            # damping of the order of the squared error vanishes as it does, and keeps steps short
            # where rank is lost (Yamashita and Fukushima 2001)
            x = _closing_step(J, error, 0.1 * caution * min(size, 1.0) ** 2)
            x *= min(1.0, CLOSING_STEP / (float(np.abs(x).max(initial=0.0)) + 1e-300))
            tried = self.move(q, x)
            error_tried = self._error(tried, keep)
            size_tried = float(np.linalg.norm(error_tried))
            if size_tried >= size:
                caution *= 8
                continue
            standing = size_tried > size * (1 - 1e-3) and size_tried < 1e-11
            q, error, size, caution = tried, error_tried, size_tried, max(caution / 4, 1e-3)
            if standing:
                break
        gaps = np.linalg.norm(self.gaps(q).reshape(-1, 3), axis=1)
        return q if gaps.max(initial=0.0) <= SHUT and size <= 100 * SHUT else None

    def _error(self, q: Floats, keep: Condition | None) -> Floats:
        phi = self.gaps(q) * self.rows
        return phi if keep is None else np.concatenate([phi, keep.error(q)])

    def neighbours(self, q: Floats, reach: float, count: int) -> list[Floats]:
        """Closed poses at random about ``reach`` away, for comparison with what is usual."""
        basis, draw = self.free(q), _units(0)
        found: list[Floats] = []
        for _ in range(4 * count):
            if len(found) == count or not basis.shape[1]:
                break
            # a random motion, and what the loops leave of it
            raw = np.array([2 * next(draw) - 1 for _ in range(self.nv)])
            far = reach * (0.5 + 0.5 * next(draw))
            x = basis @ (raw @ basis)
            largest = float(np.abs(x).max())
            there = self.close(self.move(q, x * far / largest)) if largest > 0 else None
            if there is not None:
                found.append(there)
        return found or [q]


def _closing_step(J: Floats, error: Floats, damping: float) -> Floats:
    """The step -Jᵀ (J Jᵀ + damping)⁻¹ error; undamped where that changes nothing."""
    if not J.size:
        return np.zeros(J.shape[1])
    _, R, _, rank = qr_factor(J, DEPENDENT_SHARE)
    if not rank:
        return np.zeros(J.shape[1])
    if damping < 1e-3 * R[rank - 1, rank - 1] ** 2:
        return qr_solve_minimum_norm(J, -error[:, None], DEPENDENT_SHARE)[0][:, 0]
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    return np.asarray(-Vt.T @ (s / (s**2 + damping + 1e-300) * (U.T @ error)))


def _units(state: int) -> Iterator[float]:
    """Random numbers in [0, 1) (SplitMix64; Steele, Lea, Flood 2014)."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        yield float((z ^ (z >> 31)) >> 11) / 9007199254740992.0


def null_basis(J: Floats, rank: int | None = None) -> Floats:
    """Orthonormal columns that J maps to zero, (columns, count).

    ``rank`` bounds from above how many pivots count.
    """
    if not J.size:
        return np.eye(J.shape[1])
    J = np.ascontiguousarray(J)
    _, R, perm, counted = qr_factor(J, RANK)
    if rank is None or rank >= counted:
        return qr_null_space(J, RANK)
    # the rows of R beyond the rank are left out
    basis = np.zeros((J.shape[1], J.shape[1] - rank))
    basis[perm] = np.eye(J.shape[1])[:, rank:] if not rank else qr_null_space(R[:rank].copy(), 0.0)
    return basis


def fresh_part(here: Floats, usual: Floats, count: int) -> Floats:
    """What a null space has here and not in a usual pose nearby: ``count`` columns of its span.

    At a singular pose the new direction is mixed with those that are always there; what the usual
    null space lacks distinguishes them.
    """
    if here.shape[1] <= count:
        return here
    _, _, Vt = np.linalg.svd(here - usual @ (usual.T @ here))
    return np.asarray(here @ Vt[:count].T)


def signed(columns: Floats) -> Floats:
    """Columns turned so that the first entry of the largest size is positive."""
    size = np.abs(columns)
    leading = np.argmax(size > (1 - 1e-6) * size.max(axis=0, initial=0.0), axis=0)
    signs = np.sign(columns[leading, np.arange(columns.shape[1])])
    return np.asarray(columns * np.where(signs < 0, -1.0, 1.0))
