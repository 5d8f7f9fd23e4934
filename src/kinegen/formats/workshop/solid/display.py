"""Parts as pictures show them: for joints whose sides cannot be made, and for models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinegen.formats.workshop.flat.part_view import part_colors, part_mass
from kinegen.formats.workshop.rigid_groups import rigid_groups
from kinegen.formats.workshop.solid.part import SolidPart
from kinegen.kernels import Floats
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.data import MeshRef, Primitive
from kinegen.mechanism.shapes.shapes import link_shapes
from kinegen.mechanism.shapes.solid import matrix, vector
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["display_part", "display_solids"]


def display_solids(
    model: Model, q: Floats, *, ground: bool = True
) -> tuple[list[SolidPart], list[str]]:
    """The parts as pictures show them, without holes."""
    poses = [SE3.from_pose(row) for row in forward(model, q)]
    found, messages = [], []
    for links in rigid_groups(model):
        if 0 in links and not ground:
            continue
        part = display_part(model, links, poses, "it has no holes: shape=display")
        if part is None:
            messages.append(f"part '{model.link_names[links[0]]}' has no shape and is left out")
        else:
            found.append(part)
    return found, messages


def display_part(
    model: Model, links: Sequence[int], poses: Sequence[SE3], why: str
) -> SolidPart | None:
    """A part as pictures show it; None where they show nothing."""
    shapes = link_shapes(model, values=dict(model.parameters))
    link = links[0]
    found: list[Primitive] = []
    for one in links:
        X_SL = poses[link].inverse() @ poses[one]
        for shape in shapes[one]:
            if isinstance(shape, MeshRef):
                why += f"; mesh '{shape.file}' is left out"
                continue
            X = X_SL @ SE3(SO3.from_matrix(np.array(shape.rotation)), np.array(shape.translation))
            R, p = matrix(X.so3.matrix), vector(X.translation)
            found.append(replace(shape, rotation=R, translation=p))
    if not found:
        return None
    density, mass = part_mass(model, link)
    return SolidPart(
        model.link_names[link], "display shape", tuple(found), (), poses[link],
        part_colors(model)[link], density, mass, remark=f"only its display shape: {why}",
    )  # fmt: skip
