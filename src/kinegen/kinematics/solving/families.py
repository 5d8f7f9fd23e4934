"""Families of poses: whether a closed pose stands alone, or on a curve or surface of closed poses.

Rank alone does not decide it: at a dead point a motion begins and ends at once, and on a curve of
double solutions rounding makes the rank look full. So every weak direction is tried by a finite
step, after which the loops must close again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats, Ints
from kinegen.kernels.tolerances import CLOSED
from kinegen.kinematics.closure import loop_jacobian, loop_residual
from kinegen.kinematics.configurations import difference, integrate
from kinegen.kinematics.mobility.visible_motion import UNSEEN, visible_effects
from kinegen.kinematics.tolerances import is_closed
from kinegen.mechanism.model import Model

__all__ = ["family_dimension"]

_WEAK = 1e-3
"""Directions that the scaled loop rows resist less than this are tried: doubly closed poses are
known to about the root of the solver's tolerance, 1e-5."""
_STEP = 0.02
"""Length of a trial step [rad, sizes]: 200 times as far as two poses count as different."""
_KEPT = 0.5
"""Share of the step that must be left once the loops are closed again."""
_ITERATIONS = 40
_ZERO = 1e-9
"""Singular values below this are not divided by."""


def family_dimension(model: Model, q: Floats, locked: Ints | None = None) -> int:
    """In how many ways a mechanism can leave a closed pose with its loops closed: 0 if it cannot.

    Motions that change nothing that can be seen do not count.

    Args:
        model: the compiled mechanism.
        q: a closed configuration.
        locked: flags of the variables that hold, (nv,).
    """
    still = np.zeros(model.nv, dtype=bool) if locked is None else locked.astype(bool)
    scale = _scale(model)
    free = np.flatnonzero(~still)
    rows = _rows(model, q, scale)[:, free]
    _, values, directions = np.linalg.svd(rows, full_matrices=True)
    weak = np.zeros((len(free) - int((values > _WEAK).sum()), model.nv))
    weak[:, free] = directions[len(free) - len(weak) :]
    ways = []
    for step in _seen(model, q, weak, scale):
        for sign in (1.0, -1.0):
            way = _way(model, q, sign * step, scale, free)
            if way is not None:
                ways.append(way)
                break
    if not ways:
        return 0
    # several trials may end on the same curve
    lengths = np.linalg.svd(np.array(ways), compute_uv=False)
    return int((lengths > _KEPT * _STEP).sum())


def _seen(model: Model, q: Floats, steps: Floats, scale: Floats) -> Floats:
    """Of the space of some scaled steps, (n, nv), an orthonormal basis of those that show."""
    if not len(steps):
        return steps
    effects = visible_effects(model, q, steps.T * scale[:, None])
    U, values, _ = np.linalg.svd(effects, full_matrices=False)
    return np.asarray(U[:, values > UNSEEN].T @ steps)


def _way(
    model: Model, q: Floats, step: Floats, scale: Floats, free: npt.NDArray[np.intp]
) -> Floats | None:
    """The scaled way to a closed pose a finite step away in a direction, if there is one."""
    here = integrate(model, q, _STEP * step * scale)
    for _ in range(_ITERATIONS):
        if is_closed(model, here, CLOSED):
            way = np.asarray(difference(model, q, here) / scale)
            # a pose far away is another mode, and one nearby is where it began
            return way if _KEPT < float(np.linalg.norm(way)) / _STEP < 1 / _KEPT else None
        # the direction of the step is held: closing must not undo it
        rows = np.vstack([_rows(model, here, scale)[:, free], step[free]])
        gaps = np.append(_residual(model, here), 0.0)
        closing = np.zeros(model.nv)
        closing[free] = -np.linalg.lstsq(rows, gaps, rcond=_ZERO)[0]
        length = float(np.linalg.norm(closing))
        here = integrate(model, here, closing * scale * min(1.0, _STEP / (length or 1.0)))
    return None


def _scale(model: Model) -> Floats:
    """Change of each variable [rad, m] for a scaled step of 1."""
    kinds = [quantity for joint in model.joints for _, quantity in joint.type.info.variables]
    return np.array([model.size if kind == "length" else 1.0 for kind in kinds])


def _rows(model: Model, q: Floats, scale: Floats) -> Floats:
    """Loop rows with lengths by the mechanism's size, over scaled steps."""
    rows = loop_jacobian(model, q).reshape(model.constraint_count, 2, 3, model.nv).copy()
    rows[:, 0] /= model.size
    return np.asarray(rows.reshape(6 * model.constraint_count, model.nv) * scale)


def _residual(model: Model, q: Floats) -> Floats:
    phi = loop_residual(model, q).reshape(-1, 2, 3).copy()
    phi[:, 0] /= model.size
    return np.asarray(phi.ravel())
