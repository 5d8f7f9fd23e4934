"""Answers about singular poses: Jacobians, and the branches beyond."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.closure import loop_jacobian
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.positions import poses
from kinegen.kinematics.singular.crossing import branches_beyond
from kinegen.kinematics.singular.singularity import singular_values, singularities
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.jobs.solving import handle_of
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.questions.singular import (
    BranchBeyondData,
    BranchesBeyondRequest,
    BranchesBeyondResult,
    MatricesRequest,
    MatricesResult,
    SingularityData,
)

__all__ = ["answer_branches_beyond", "answer_matrices"]

_LONGEST_PATH = 400
"""Poses of a path that a page is sent; longer ones are thinned."""


def answer_branches_beyond(
    compiled: CompiledText, q: Floats, request: BranchesBeyondRequest, report: Progress
) -> BranchesBeyondResult:
    """The singular pose ahead or nearby, and a phantom with the way there on each branch."""
    report("searching beyond the singular pose", None)
    heading = None if request.handle is None else handle_of(compiled.model, request.handle)
    found = branches_beyond(
        compiled.model, q, request.frame, heading=heading, inputs=request.inputs,
        kind=request.singularity,
    )  # fmt: skip
    return BranchesBeyondResult(
        kind=found.singular.kind,
        text=found.singular.text,
        q=found.singular.q.tolist(),
        branch_point=found.singular.branch_point,
        branches=[
            BranchBeyondData(
                name=branch.name,
                sign=branch.sign,
                q=branch.q.tolist(),
                path=_thinned(branch.path).tolist(),
                crosses=branch.crosses,
                beyond=list(branch.beyond),
            )
            for branch in found.branches
        ],
    )


def answer_matrices(
    compiled: CompiledText, q: Floats, request: MatricesRequest, report: Progress
) -> MatricesResult:
    """Homogeneous matrices of all links and frames; Jacobian and singular values of one."""
    model = compiled.model
    frame = request.frame or str(model.site_names[-1])
    J = jacobian(model, q, frame)
    J_phi = loop_jacobian(model, q)
    found = singularities(model, q, frame)
    return MatricesResult(
        matrices={name: X.matrix.tolist() for name, X in poses(model, q).items()},
        frame=frame,
        jacobian=J.tolist(),
        singular_values=_values(J),
        loop_jacobian=J_phi.tolist(),
        loop_singular_values=_values(J_phi),
        singularity=SingularityData(
            kind=found.kind,
            text=found.text,
            task_distance=_if_finite(found.task_distance),
            gain_distance=_if_finite(found.gain_distance),
            task_values=found.task_values.tolist(),
            passive_values=found.passive_values.tolist(),
        ),
    )


def _values(matrix: Floats) -> list[float]:
    found: list[float] = singular_values(matrix).tolist()
    return found


def _if_finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _thinned(path: Floats) -> Floats:
    """A path of bearable length, its ends kept."""
    if len(path) <= _LONGEST_PATH:
        return path
    thinned: Floats = path[np.linspace(0, len(path) - 1, _LONGEST_PATH).round().astype(int)]
    return thinned
