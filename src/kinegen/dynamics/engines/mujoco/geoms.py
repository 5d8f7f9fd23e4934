"""Bodies that touch: links' shapes, fixed objects and a floor as MuJoCo's geoms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.kernels import Floats
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    Plate,
    Primitive,
    Sphere,
    contact_shapes,
    shapes_from_spec,
)
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

if TYPE_CHECKING:
    from kinegen.dynamics.simulation.system import System

__all__ = ["add_floor", "add_geoms", "add_object"]

_LINK, _OBJECT, _FLOOR = 1, 2, 4
"""Groups: a mechanism's own links pass through each other, objects and floor touch everything."""
_FIXED = tuple(1 << bit for bit in range(3, 31))
"""Groups of fixed objects, in turn: a link may stand in one of them and touch the others."""


def add_geoms(mj: Any, system: System, step: float, bodies: Mapping[int, Any]) -> None:
    """The shapes of all links, massless: masses are given."""
    model = system.model
    shapes = contact_shapes(model, model.link_collisions, dict(model.parameters))
    for link, body in bodies.items():
        free = model.link_names[link] in system.object_names
        groups = (_OBJECT, ~0) if free else (_LINK, ~_LINK)
        if link:
            _add(mj, body, shapes[link], SE3.identity(), _link_surface(system, step, link), groups)


def add_object(mj: Any, world: Any, system: System, step: float, index: int) -> None:
    """One of the objects that never move."""
    row = system.fixed_objects[index]
    shapes = shapes_from_spec(row["shape"], (), dict(system.model.parameters))
    values, base = dict(system.model.parameters), system.contacts
    given = {key: formula.evaluate(values) for key, formula in row.get("surface", {}).items()}
    friction = given.get("friction", float(base.friction[0]))
    restitution = given.get("restitution", float(base.restitution[0]))
    surface = _surface(step, friction, restitution, bool(given) or bool(base.given[0]))
    _add(mj, world, shapes, row["pose"], surface, (_FIXED[index % len(_FIXED)], 0), row["name"])


def add_floor(mj: Any, world: Any, system: System, step: float) -> None:
    """A plane perpendicular to gravity."""
    height, up = system.contacts.floor, system.contacts.up
    assert height is not None
    world.add_geom(
        name="floor",
        type=mj.mjtGeom.mjGEOM_PLANE,
        size=[0, 0, 1],
        pos=height * up,
        quat=_turn_z_to(up),
        contype=_FLOOR,
        conaffinity=0,
        **_link_surface(system, step, 0),
    )


def _add(
    mj: Any,
    body: Any,
    shapes: Iterable[Primitive],
    X_BS: SE3,
    surface: Mapping[str, Any],
    groups: tuple[int, int],
    name: str = "",
) -> None:
    kinds = mj.mjtGeom
    for index, shape in enumerate(shapes):
        X = X_BS @ SE3(SO3.from_matrix(np.array(shape.rotation)), np.array(shape.translation))
        match shape:
            case Box(size=size):
                kind, sizes = kinds.mjGEOM_BOX, [s / 2 for s in size]
            case Cylinder(radius=r, length=length):
                kind, sizes = kinds.mjGEOM_CYLINDER, [r, length / 2, 0]
            case Capsule(radius=r, length=length):
                kind, sizes = kinds.mjGEOM_CAPSULE, [r, length / 2, 0]
            case Sphere(radius=r):
                kind, sizes = kinds.mjGEOM_SPHERE, [r, 0, 0]
            case Plate(outline=outline, thickness=thickness):
                # the box around it
                corners = np.array(outline)
                low, high = corners.min(axis=0), corners.max(axis=0)
                middle = np.array([*((low + high) / 2), 0.0])
                X = X @ SE3(SO3.identity(), middle)
                kind, sizes = kinds.mjGEOM_BOX, [*((high - low) / 2), thickness / 2]
            case _:
                continue  # meshes: not touched yet
        body.add_geom(
            name=f"{name}:{index}" if name else "",
            type=kind,
            size=sizes,
            pos=X.translation,
            quat=X.quat,
            density=0,
            contype=groups[0],
            conaffinity=groups[1],
            **surface,
        )


def _link_surface(system: System, step: float, link: int) -> dict[str, Any]:
    contacts = system.contacts
    friction, bounce = float(contacts.friction[link]), float(contacts.restitution[link])
    return _surface(step, friction, bounce, bool(contacts.given[link]))


def _surface(step: float, friction: float, restitution: float, given: bool) -> dict[str, Any]:
    """Friction, and how stiff the contact is.

    A body that bounces touches as a spring that swings over ten or so steps, damped so that the
    right share of the speed comes back. A surface that the file describes counts over one that it
    does not; of two such, the larger friction does.
    """
    surface: dict[str, Any] = {
        "friction": [friction, 0.005 * friction, 0.0001],
        "solref": [4 * step, 1.0],
        "priority": int(given),
        "userdata": [restitution],
    }
    bounce = float(np.clip(restitution, 0.0, 0.999))
    if bounce > 0.01:
        fall = math.log(bounce)
        ratio = -fall / math.hypot(math.pi, fall)
        surface["solref"] = [step / (0.3 * ratio), ratio]
        surface["solimp"] = [0.99, 0.99, 0.001, 0.5, 2.0]
    return surface


def _turn_z_to(up: Floats) -> Floats:
    """The quaternion that turns z to a direction."""
    axis = np.cross([0.0, 0.0, 1.0], up)
    sine, cosine = float(np.linalg.norm(axis)), float(up[2])
    if sine < 1e-12:
        return np.array([1.0, 0, 0, 0]) if cosine > 0 else np.array([0.0, 1, 0, 0])
    return SO3.exp(axis / sine * math.atan2(sine, cosine)).quat
