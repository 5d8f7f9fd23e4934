"""What a robot's link is made of, in the frame of RAFF's link: mass, inertia and shapes."""

from __future__ import annotations

from kinegen.formats.robots.read.conversion.numbers import RobotNumbers
from kinegen.formats.robots.read.robot import RobotLink, RobotShape
from kinegen.formats.robots.transform import Transform
from kinegen.mechanism.graph import LinkProperties

__all__ = ["link_properties"]


def link_properties(
    link: RobotLink, X: Transform, numbers: RobotNumbers, *, has_shapes: bool
) -> LinkProperties:
    """The properties of a link.

    Args:
        link: Given in its own frame.
        X: That frame in the frame of RAFF's link.
        numbers: Makes formulas.
        has_shapes: Whether the file says what is drawn: then links without shapes are not.
    """
    centre, inertia = numbers.body(X, link.X_LC, link.inertia)
    made = LinkProperties(numbers.constant(link.mass), centre, inertia)
    shapes, collisions = link.shapes, link.collisions
    if has_shapes:
        lacking = "auto" if link.lacks_mesh else "none"
        made.shape = [_shape(one, X, numbers) for one in shapes] if shapes else lacking
        for one in shapes:
            if one.color:
                made.color = one.color
                break
    if collisions and (
        len(collisions) != len(shapes) or [*map(_form, collisions)] != [*map(_form, shapes)]
    ):
        made.collision = [_shape(one, X, numbers) for one in collisions]
    return made


def _form(shape: RobotShape) -> tuple[object, ...]:
    """What shapes that differ only in colour have in common."""
    return shape.kind, shape.sizes, shape.mesh, shape.scale, shape.X_LS


def _shape(shape: RobotShape, X: Transform, numbers: RobotNumbers) -> dict[str, object]:
    """A shape as in a RAFF file."""
    made: dict[str, object] = {}
    if shape.kind == "mesh":
        made["mesh"] = shape.mesh
        x, y, z = shape.scale
        if not x == y == z > 0:  # stretched, or mirrored
            made["scale"] = list(numbers.constants(shape.scale))
        elif x != 1:
            made["scale"] = numbers.constant(x)
    else:
        sizes = numbers.constants(shape.sizes)
        made[shape.kind] = sizes[0] if len(sizes) == 1 else list(sizes)
    xyz, rpy = numbers.shape(X, shape.X_LS)
    if xyz is not None:
        made["xyz"] = xyz
    if rpy is not None:
        made["rpy"] = rpy
    return made
