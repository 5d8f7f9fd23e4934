"""What MuJoCo's joints cannot be given, and loops harder than its compiler makes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.dynamics.simulation.starts import closed_start
from kinegen.errors import UsageError
from kinegen.kinematics.closure import loop_jacobian
from kinegen.kinematics.configurations import integrate
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint

__all__ = ["harden", "refuse_joint"]

_HARDER, _REPEATING = 1e-8, 1e-2
"""What the softness of equations, by MuJoCo 1e-4 of the bodies' own, is multiplied by. Near a
singular pose a soft loop is let go. Where loops are over-constrained, though, equations that repeat
each other only while closed pull against each other between steps, the more the harder they are."""


def harden(compiled: Any, model: Model) -> None:
    """Make loops and screws of a compiled model as hard as they may be."""
    harder = _REPEATING if _repeats(model) else _HARDER
    compiled.body_invweight0[:] *= harder
    for joint in model.joints:
        if joint.type.info.has_pitch:
            for k in range(2):
                compiled.dof_invweight0[compiled.joint(f"{joint.name}:{k}").dofadr[0]] *= harder


def refuse_joint(model: Model, joint: ModelJoint) -> None:
    """An error for what MuJoCo's joints cannot be given."""
    part = model.blocks.real_part
    what = ""
    if joint.type.info.is_ball and part("spring_rest")[joint.v].any():
        what = "a ball joint whose spring does not rest at 0: MuJoCo supports only 0"
    if joint.type.info.floats:
        keys = {"spring": "stiffness", "dry friction": "coulomb", "rotor": "rotor"}
        given = next((word for word, key in keys.items() if part(key)[joint.v].any()), "")
        if given:
            what = (
                f"a free joint with a {given} along axes of its body: in MuJoCo these axes are "
                "fixed"
            )
    if what:
        raise UsageError(
            f"MuJoCo does not support joint '{joint.name}' of mechanism '{model.name}', {what}; "
            "use the engine 'reduced'"
        )


def _repeats(model: Model) -> bool:
    """Whether loop equations repeat others while the loops are closed, and only then."""
    if not (model.constraint_count and model.nv):
        return False
    closed, _ = closed_start(model, None, None)
    amount = 0.01 * np.sin(1.0 + np.arange(model.nv))  # any direction will do
    ranks = []
    for q in (closed, integrate(model, closed, amount)):
        values = np.linalg.svd(loop_jacobian(model, q), compute_uv=False)
        ranks.append(int(np.sum(values > 1e-9 * values[0])))
    return ranks[0] < ranks[1]
