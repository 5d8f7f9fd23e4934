"""Cams in MuJoCo: equations between two tendons, whose polynomials follow the cams as they turn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.motions import loop_bias
from kinegen.mechanism.model import Model

__all__ = ["Cams", "cam_tendon"]

LIGHT = 100.0
"""A body counts as at least the heaviest link's mass over this number."""


def cam_tendon(name: str) -> str:
    """What the tendon of a cam itself is called; its follower's has the coupling's name."""
    return f"cam {name}"


class _Cam(NamedTuple):
    equation: int
    tendon: int
    """That of the cam."""
    weight: float
    """Of that tendon, as MuJoCo found it: change of its speed per impulse."""
    row: int
    """Of the loops' equations."""
    follower: int
    """Its place in q."""
    ratio: float
    """What multiplies it."""
    own: int
    """The place of the cam itself in q."""
    own_v: int


class Cams:
    """The cams of a mechanism: MuJoCo's equations know polynomials only, and profiles are none.

    Before each step the polynomial becomes the profile's height, slope and bend where the cam is;
    what it lacks within a step is of third order in the cam's turn. MuJoCo's equations draw their
    gaps together and do not know that a cam accelerates its follower while it turns evenly: a gap
    that does just that is added to the height. How stiff an equation is follows from its tendons'
    weights, of which the cam's counts by the square of the slope.
    """

    def __init__(self, our: Model, model: Any) -> None:
        """Find the equations of the cams in MuJoCo's model."""
        self._our, self._model = our, model
        self._cams = []
        for coupling in our.couplings:
            if coupling.kind != "cam":
                continue
            follower, own = our.coupling_terms(coupling)
            tendon = int(model.tendon(cam_tendon(coupling.name)).id)
            # light carriers of guides pass on what heavy links bear: as stiff as those need it
            mass = float(our.inertia[1:, 0].max())
            for one, term in (
                (tendon, own),
                (int(model.tendon(f"coupling {coupling.name}").id), follower),
            ):
                length = 1.0 if term.joint.type.info.is_length[term.variable] else our.size
                weight = float(model.tendon_invweight0[one])
                model.tendon_invweight0[one] = min(weight, LIGHT / (mass * length * length))
            made = _Cam(
                int(model.equality(f"coupling {coupling.name}").id),
                tendon,
                float(model.tendon_invweight0[tendon]),
                coupling.row,
                follower.joint.q.start + follower.variable,
                follower.ratio,
                own.joint.q.start + own.variable,
                own.joint.v.start + own.variable,
            )
            self._cams.append(made)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._cams)

    def follow(self, q: Floats, v: Floats) -> None:
        """Write the polynomials about where the cams are in q, while they move by v."""
        our, model = self._our, self._model
        rows = 6 * our.constraint_count
        phi, J, turning = np.empty(rows), np.empty((rows, our.nv)), np.zeros(our.nv)
        turning[[cam.own_v for cam in self._cams]] = 1.0
        our.kernels.loop_residual(q, phi)
        our.kernels.loop_jacobian(q, J)
        bias = loop_bias(our, q, turning)
        for cam in self._cams:
            x, i = float(q[cam.own]), cam.equation
            # residual = ratio · follower - offset - profile
            height = cam.ratio * float(q[cam.follower]) - phi[cam.row]
            slope, bend = -J[cam.row, cam.own_v], -bias[cam.row]
            # a gap is drawn together by gap / (dmax · timeconst²)
            drawn = model.eq_solimp[i, 1] * model.eq_solref[i, 0] ** 2
            height += bend * float(v[cam.own_v]) ** 2 * drawn
            model.eq_data[i, :3] = (
                height - slope * x + 0.5 * bend * x * x, slope - bend * x, 0.5 * bend,
            )  # fmt: skip
            model.tendon_invweight0[cam.tendon] = slope * slope * cam.weight
