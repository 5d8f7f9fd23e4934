"""Centre of mass, momentum and energy of the tree; efforts of springs and friction."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.dynamics import Measure
from kinegen.kernels.reference.base.joint_types import QUATERNIONS
from kinegen.kernels.reference.base.rotation import cross, quat_log, quat_normalize
from kinegen.kernels.reference.dynamics.spatial import Masses, bodies_at


def measure(d: Masses, q: Floats, v: Floats) -> Floats:
    """Mass, centre, momentum and energy of the moving links, by ``Measure``."""
    out = np.zeros(Measure.COUNT)
    spin = np.zeros(3)
    for body in bodies_at(d, q):
        velocity, w = (body.J @ v)[:3], (body.J @ v)[3:]
        out[Measure.MASS] += body.mass
        out[Measure.CENTRE :][:3] += body.mass * body.place
        out[Measure.LINEAR_MOMENTUM :][:3] += body.mass * velocity
        spin += body.tensor @ w + cross(body.place, body.mass * velocity)
        out[Measure.KINETIC] += 0.5 * (body.mass * velocity @ velocity + w @ body.tensor @ w)
        out[Measure.POTENTIAL] -= body.mass * body.place @ d.gravity_W
    with np.errstate(invalid="ignore"):
        out[Measure.CENTRE :][:3] /= out[Measure.MASS]
        momentum = out[Measure.LINEAR_MOMENTUM :][:3]
        out[Measure.CENTRE_VELOCITY :][:3] = momentum / out[Measure.MASS]
    spin -= cross(out[Measure.CENTRE :][:3], momentum)
    out[Measure.ANGULAR_MOMENTUM :][:3] = spin
    out[Measure.KINETIC] += 0.5 * d.reflected() @ (v * v)
    out[Measure.SPRINGS] = 0.5 * d.drive["stiffness"] @ stretches(d, q) ** 2
    return out


def passive_efforts(d: Masses, q: Floats, v: Floats) -> Floats:
    """Efforts of springs, dampers and friction, (nv,)."""
    drive = d.drive
    effort = -(drive["viscous"] + drive["spring_damping"]) * v
    effort -= drive["stiffness"] * stretches(d, q)
    more = np.maximum(drive["breakaway"] - drive["coulomb"], 0)
    slow = np.where(drive["stribeck"] > 0, drive["stribeck"], 1)
    fading = np.where(drive["stribeck"] > 0, np.exp(-((v / slow) ** 2)), 0)
    return np.asarray(effort - np.sign(v) * (drive["coulomb"] + more * fading))


def stretches(d: Masses, q: Floats) -> Floats:
    """How far each variable is from where its spring is relaxed, (nv,)."""
    out = np.zeros(d.model.nv)
    for joint, kind in enumerate(d.model.joint_type):
        own = q[d.model.q_of(joint)]
        if kind in QUATERNIONS:
            own = np.concatenate([own[4:], quat_log(quat_normalize(own[:4]))])
        out[d.model.v_of(joint)] = own
    return out - d.drive["spring_rest"]
