"""Planar linkages seen as such: hinges as points of a plane, links as what they hold together.

Every link's own coordinates are those that the plane has at one closed pose, the *home* pose: a
point of a link is where it was there, and a link's turn counts from there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.reference.base.rotation import quat_to_matrix
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model

__all__ = ["Hinge", "PlanarLinkage", "planar_linkage"]

PARALLEL = 1e-9
"""Axes are parallel when they differ by less than this [rad]."""


@dataclass(frozen=True, slots=True)
class Hinge:
    """A revolute joint of a planar linkage."""

    joint: int
    """Index of the joint; -1 for a hinge that only holds a frame's point."""
    name: str
    first: int
    """Body on the joint's parent side."""
    second: int
    """Body that it carries."""
    point: complex
    """Its place at home [m]."""
    sense: int
    """1 when the joint turns as the plane counts angles, -1 against it."""
    value: float
    """Its variable at home [rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanarLinkage:
    """A mechanism of hinges with parallel axes."""

    model: Model
    q: Floats
    """The home pose, (nq,)."""
    hinges: tuple[Hinge, ...]
    body_count: int
    """Bodies: links that fixed joints hold together count as one; 0 is the ground."""
    body_of: tuple[int, ...]
    """Body of each link."""
    R_WP: Floats
    """Axes of the plane in the world; z is the normal, (3, 3)."""

    def point(self, frame: str) -> tuple[int, complex, float]:
        """Body, place at home and height above the plane of a frame's origin [m]."""
        site = int(self.model.site(frame))
        link = site
        if site >= self.model.link_count:
            link = int(self.model.frames[site - self.model.link_count].link)
        p = self.R_WP.T @ forward(self.model, self.q)[site, 4:]
        return self.body_of[link], complex(p[0], p[1]), float(p[2])

    def tilt(self, frame: str) -> float:
        """Angle of a frame's x axis in the plane at home [rad], 0 when it stands upright."""
        quat = forward(self.model, self.q)[int(self.model.site(frame)), :4]
        x = self.R_WP.T @ quat_to_matrix(quat)[:, 0]
        return math.atan2(x[1], x[0]) if math.hypot(x[0], x[1]) > 0.5 else 0.0

    def world(self, points: Floats, height: float) -> Floats:
        """Points of the plane (2, n) in the world, (3, n) [m]."""
        flat = np.vstack([points, np.full(points.shape[1], height)])
        moved: Floats = self.R_WP @ flat
        return moved


def planar_linkage(model: Model, q: Floats) -> PlanarLinkage | None:
    """The linkage behind a model, q a closed pose; None when it is not planar or not of hinges."""
    moving = [joint for joint in model.joints if joint.type.info.moves]
    if not moving or not all(joint.type.info.is_hinge for joint in moving):
        return None
    poses = forward(model, q)
    turns = [quat_to_matrix(pose[:4]) for pose in poses]
    axes, origins = {}, {}
    for joint in model.joints:
        placed = model.transforms[joint.placement]
        R = turns[joint.parent]
        axes[joint.name] = R @ placed[:9].reshape(3, 3)[:, 2]
        origins[joint.name] = poses[joint.parent, 4:] + R @ placed[9:]
    normal = axes[moving[0].name]
    if any(np.linalg.norm(np.cross(normal, axes[j.name])) > PARALLEL for j in moving):
        return None
    if normal[int(np.argmax(np.abs(normal)))] < 0:
        normal = -normal
    R_WP = _axes(normal)
    body_of = _bodies(model)
    hinges = []
    for i, joint in enumerate(model.joints):
        if not joint.type.info.moves:
            continue
        p = R_WP.T @ origins[joint.name]
        hinges.append(
            Hinge(
                i, joint.name, body_of[joint.parent], body_of[joint.child], complex(p[0], p[1]),
                1 if axes[joint.name] @ normal > 0 else -1, float(q[joint.q.start]),
            )
        )  # fmt: skip
    return PlanarLinkage(model, q, tuple(hinges), max(body_of) + 1, tuple(body_of), R_WP)


def _axes(normal: Floats) -> Floats:
    """Right-handed axes with this z; x is the world's x as far as it can be."""
    x = np.array([1.0, 0, 0]) - normal[0] * normal
    if np.linalg.norm(x) < 0.1:
        x = np.array([0, 1.0, 0]) - normal[1] * normal
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(normal, x), normal])


def _bodies(model: Model) -> list[int]:
    """Body of each link: fixed joints, cut ones too, hold links together."""
    root = list(range(model.link_count))

    def find(link: int) -> int:
        while root[link] != link:
            link = root[link]
        return link

    for joint in model.joints:
        if not joint.type.info.moves:
            a, b = sorted((find(int(joint.parent)), find(int(joint.child))))
            root[b] = a
    number: dict[int, int] = {}
    return [number.setdefault(find(link), len(number)) for link in range(model.link_count)]
