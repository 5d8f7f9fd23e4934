"""The plane that a mechanism moves in; a clear refusal where a joint leaves it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.errors import FormatError
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.mechanism.shapes.solid import rotation_with_z
from kinegen.spatial.pose import SE3

__all__ = ["PlaneOfMotion", "find_plane"]

_SLANT = 1e-6
"""Axes that lean by less [rad] are parallel: rounding, and angles written with few digits."""


@dataclass(frozen=True, slots=True, eq=False)
class PlaneOfMotion:
    """The plane, seen from the side its normal points to."""

    R_WP: Floats
    """Its axes in the world, (3, 3): x to the right, y up, z towards the viewer."""

    @property
    def normal(self) -> Floats:
        """Unit normal in the world."""
        return np.asarray(self.R_WP[:, 2])

    def point(self, p_W: Floats) -> tuple[float, float]:
        """A point of the world in the plane's axes [m]."""
        x, y = self.R_WP[:, :2].T @ p_W
        return float(x), float(y)


def find_plane(model: Model, q: Configuration = None) -> PlaneOfMotion:
    """The plane that all links of a mechanism move in.

    Raises:
        FormatError: A joint leaves every plane, or that of the other joints; its name is said.
    """
    axes = _axes(model, q)
    for joint in model.joints:
        if joint.type.info.moves and not joint.type.info.fits_plane:
            raise FormatError(
                f"joint '{joint.name}' ({joint.type.value}: {joint.type.info.meaning}) leaves the "
                "plane: flat parts need a planar mechanism; use STL, 3MF or STEP for others"
            )
    hinges = {name: z for name, z in axes.items() if model.joint(name).type.info.turns_about_axis}
    slides = {name: z for name, z in axes.items() if name not in hinges}
    normal = _normal(list(hinges.values()), list(slides.values()))
    for name, z in axes.items():
        along = abs(float(z @ normal))
        off = np.sqrt(max(0.0, 1 - along**2)) if name in hinges else along
        if off > _SLANT:
            raise _leaves(model.joint(name), float(np.degrees(np.arcsin(min(1.0, off)))), hinges)
    # Of the two normals the one that a viewer in front or above sees.
    if normal[2] < -1e-9 or (abs(normal[2]) <= 1e-9 and normal[1] > 1e-9):
        normal = -normal
    return PlaneOfMotion(rotation_with_z(normal))


def _axes(model: Model, q: Configuration) -> dict[str, Floats]:
    """Direction of z of every joint that moves, in the world."""
    poses = forward(model, q)
    found = {}
    for joint in model.joints:
        if joint.type.info.moves:
            R_PF = model.transforms[joint.placement][:9].reshape(3, 3)
            R_WP = SE3.from_pose(poses[joint.parent]).so3.matrix
            found[joint.name] = np.asarray(R_WP @ R_PF[:, 2])
    return found


def _normal(hinges: list[Floats], slides: list[Floats]) -> Floats:
    """The direction that most hinges share; without hinges, one perpendicular to the slides."""
    if hinges:
        table = np.array(hinges)
        alike = (np.abs(table @ table.T) > 1 - _SLANT).sum(axis=1)
        return np.asarray(table[int(np.argmax(alike))])
    for z in slides[1:]:
        across = np.cross(slides[0], z)
        if np.linalg.norm(across) > _SLANT:
            return np.asarray(across / np.linalg.norm(across))
    if not slides:
        raise FormatError("the mechanism has no joint that moves: there is nothing to cut")
    # One direction alone lies in many planes: the one seen from above, else from the front.
    towards = np.array([0.0, 0.0, 1.0]) if abs(slides[0][2]) < 0.9 else np.array([0.0, -1.0, 0.0])
    across = towards - (towards @ slides[0]) * slides[0]
    return np.asarray(across / np.linalg.norm(across))


def _leaves(joint: ModelJoint, angle: float, hinges: dict[str, Floats]) -> FormatError:
    others = ", ".join(f"'{name}'" for name in list(hinges)[:3] if name != joint.name)
    if joint.type.info.is_slide:
        how = f"its slide leans by {angle:.3g}° out of the plane of {others or 'the other slides'}"
    else:
        how = f"its axis leans by {angle:.3g}° from the axes of {others}"
    return FormatError(
        f"joint '{joint.name}' ({joint.type.value}) leaves the plane: {how}; flat parts need a "
        "planar mechanism; use STL, 3MF or STEP for others"
    )
