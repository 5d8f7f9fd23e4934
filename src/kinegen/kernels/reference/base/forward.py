"""Forward kinematics: where every link and frame is."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.model import Model
from kinegen.kernels.reference.base.transform import joint_steps, pose_of


def joint_motion(m: Model, q: Floats, joint: int) -> Floats:
    """X_PM of a joint: its placement on the parent, then its steps."""
    X = m.joint_transform(joint)
    for step in joint_steps(m.joint_type[joint], q[m.q_of(joint)], float(m.pitch[joint])):
        X = X @ step.transform
    return X


def forward_links(m: Model, q: Floats) -> list[Floats]:
    """Transforms X_WL of all links, base first."""
    Xs_WL = [np.eye(4)] * m.blocks.counts.link
    for joint in m.tree_order:
        Xs_WL[m.joint_child[joint]] = Xs_WL[m.joint_parent[joint]] @ joint_motion(m, q, joint)
    return Xs_WL


def site_transform(m: Model, Xs_WL: list[Floats], site: int) -> Floats:
    """Transform of a site (a link or a named frame) from the links' transforms."""
    links = m.blocks.counts.link
    X = Xs_WL[m.site_link(site)]
    return X if site < links else np.asarray(X @ m.frame_transform(site - links))


def forward_poses(m: Model, q: Floats) -> Floats:
    """Poses of all sites, links first, (site_count, 7)."""
    Xs_WL = forward_links(m, q)
    return np.array([pose_of(site_transform(m, Xs_WL, site)) for site in range(m.site_count)])


def loop_transforms(m: Model, q: Floats, Xs_WL: list[Floats], loop: int) -> tuple[Floats, Floats]:
    """Moving frame M of a loop's cut joint, and the frame K on the other link where it lands."""
    cut = m.loop_joint[loop]
    X_WM = Xs_WL[m.joint_parent[cut]] @ joint_motion(m, q, cut)
    X_WK = Xs_WL[m.joint_child[cut]] @ m.loop_transform(loop)
    return X_WM, X_WK
