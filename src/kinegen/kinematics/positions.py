"""Forward kinematics: where every link and frame is for given joint values."""

from __future__ import annotations

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, checked
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.spatial.pose import SE3

__all__ = ["forward", "pose", "poses"]


def forward(model: AnyModel, q: Configuration = None) -> Floats:
    """Poses X_WS of all links, then all frames, (site_count, 7): quaternion wxyz, xyz [m].

    Row i belongs to ``model.site_names[i]``.
    """
    model = model_of(model)
    out = np.empty((len(model.site_names), 7))
    model.kernels.forward_poses(checked(model, q), out)
    return out


def pose(model: AnyModel, q: Configuration = None, frame: str | None = None) -> SE3:
    """Pose X_WF of one frame or link; default: the file's last frame."""
    model = model_of(model)
    site, out = model.site(frame or model.site_names[-1]), np.empty(7)
    model.kernels.site_pose(checked(model, q), site, out)
    return SE3.of_kernel(out)


def poses(model: AnyModel, q: Configuration = None) -> dict[str, SE3]:
    """Poses X_WS of all links and frames by name."""
    model = model_of(model)
    return {
        name: SE3.of_kernel(row)
        for name, row in zip(model.site_names, forward(model, q), strict=True)
    }
