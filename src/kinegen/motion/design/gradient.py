"""Gradients through the closure: how a closed mechanism moves when its parameters change.

With the loops phi(q, p) = 0 kept, a change dp of the parameters moves the joints by
``dq = D dp + N a``: D = -pinv(J_phi) · dphi/dp (implicit differentiation), N spans the free motion,
and a is whatever the mechanism does beside. A frame's point then moves by
``dx = (dx/dp + J D) dp + J N a``. J and J_phi are exact; partial derivatives by p at fixed q are
central differences of the kernels' own formulas, which a test compares with closed forms.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinegen.kernels import Floats
from kinegen.mechanism.model import Model

__all__ = ["ClosureGradient"]

_STEP = 1e-6
"""Step of the differences, as a share of a parameter's scale: errors of about 1e-10."""
_ROW_RANK = 1e-9
"""Singular values of the loop rows below this share of the largest count as zero."""


class ClosureGradient:
    """Derivatives of a frame's point by parameters, loops kept closed."""

    def __init__(self, model: Model, frame: str, free: Sequence[str], scales: Floats) -> None:
        """Prepare.

        Args:
            model: The compiled mechanism; its parameters are changed and put back.
            frame: Whose origin is watched.
            free: The parameters.
            scales: A typical size of each, (k,).
        """
        self.model, self.free = model, tuple(free)
        self._steps = _STEP * scales
        self._site = model.site(frame)
        rows = 6 * model.constraint_count
        self._poses = np.empty((len(model.site_names), 7))
        self._phi, self._J_phi = np.empty(rows), np.empty((rows, model.nv))
        self._J, self._pose = np.empty((6, model.nv)), np.empty(7)
        self._origin = np.zeros(3)

    def point(self, q: Floats) -> Floats:
        """Where the frame's origin is at q [m], (3,)."""
        self.model.kernels.forward_poses(q, self._poses)
        return self._poses[self._site, 4:].copy()

    def partials(self, qs: Floats) -> tuple[Floats, Floats]:
        """Derivatives of the loops and of the point by the parameters, each q held.

        Returns:
            (n, rows, k) and (n, 3, k).
        """
        n, k = len(qs), len(self.free)
        phi_p, x_p = np.empty((n, len(self._phi), k)), np.empty((n, 3, k))
        values = self.model.parameters
        for j, (name, step) in enumerate(zip(self.free, self._steps, strict=True)):
            value = values[name]
            for sign in (1, -1):
                values[name] = value + sign * step
                for i, q in enumerate(qs):
                    self.model.kernels.loop_residual(q, self._phi)
                    point = self.point(q)
                    if sign > 0:
                        phi_p[i, :, j], x_p[i, :, j] = self._phi, point
                    else:
                        phi_p[i, :, j] -= self._phi
                        x_p[i, :, j] -= point
            values[name] = value
            phi_p[:, :, j] /= 2 * step
            x_p[:, :, j] /= 2 * step
        return phi_p, x_p

    def at(self, q: Floats, phi_p: Floats, x_p: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """At one pose: D (nv, k), N (nv, m), dx/dp with loops kept (3, k), J N (3, m)."""
        kernels = self.model.kernels
        kernels.site_jacobian(q, self._site, self._origin, -1, self._pose, self._J)
        J = self._J[:3]
        if not len(self._phi):
            return np.zeros((self.model.nv, len(self.free))), np.eye(self.model.nv), x_p, J.copy()
        kernels.loop_jacobian(q, self._J_phi)
        U, s, Vt = np.linalg.svd(self._J_phi, full_matrices=True)
        rank = int((s > _ROW_RANK * max(s[0], 1e-300)).sum())
        D = -(Vt[:rank].T / s[:rank]) @ (U[:, :rank].T @ phi_p)
        N = Vt[rank:].T
        return D, N, x_p + J @ D, J @ N
