"""Bodies that touch as MuJoCo's geoms: the shapes that all engines share, and which pairs meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.kernels import Floats, Ints, ShapeKind

if TYPE_CHECKING:
    from kinegen.dynamics.contact.contacts import Collisions

__all__ = ["add_geoms", "pass_through", "shape_name"]

_LINK, _OBJECT = 1, 2
"""Groups: links of mechanisms, and free objects, which touch everything."""
_FIXED = tuple(1 << bit for bit in range(2, 31))
"""Groups of what is fixed, in turn: a link may stand in one thing and touch the others."""


def shape_name(index: int) -> str:
    """The geom of a shape."""
    return f"shape {index}"


def add_geoms(
    mj: Any, spec: Any, collisions: Collisions, step: float, bodies: Mapping[int, Any]
) -> None:
    """All shapes that touch, massless: masses are given."""
    shapes, model = collisions.bodies, collisions.system.model
    own = collisions.meets.copy()
    moving = np.array([link != 0 for link in shapes.links], dtype=bool).reshape(-1)
    free = np.array([name in collisions.system.object_names for name in shapes.names], dtype=bool)
    links = moving & ~free
    own = own[np.ix_(links, links)]
    touches_itself = bool(own.any())
    for i in range(len(shapes)):
        groups = (_FIXED[_ground(collisions, i)], 0)
        if free[i]:
            groups = (_OBJECT, ~0)
        elif moving[i]:
            groups = (_LINK, ~0 if touches_itself else ~_LINK)
        made = bodies[shapes.links[i]].add_geom(
            name=shape_name(i),
            pos=shapes.poses[i].translation,
            quat=shapes.poses[i].quat,
            density=0,
            contype=groups[0],
            conaffinity=groups[1],
            **_surface(step, shapes.surfaces[i]),
        )
        _give_shape(mj, spec, collisions, i, made)
    if not touches_itself:
        return
    at = np.array(shapes.links, dtype=int)[links]
    meeting = {(int(at[i]), int(at[j])) for i, j in np.argwhere(own)}
    names = sorted({int(link) for link in at})
    for k, a in enumerate(names):
        for b in names[k + 1 :]:
            if (a, b) not in meeting:
                spec.add_exclude(bodyname1=model.link_names[a], bodyname2=model.link_names[b])


def pass_through(compiled: Any, collisions: Collisions, meets: Ints, geoms: Ints) -> None:
    """Let links of a compiled model touch no more of what is fixed than the pairs that meet."""
    shapes = collisions.bodies
    affinity = compiled.geom_conaffinity
    for i, j in np.argwhere(np.asarray(meets) == 0).tolist():
        if shapes.links[i] == 0 and shapes.links[j] != 0:
            affinity[geoms[j]] &= ~compiled.geom_contype[geoms[i]]


def _ground(collisions: Collisions, shape: int) -> int:
    """Which of the groups of fixed things a shape is in."""
    shapes = collisions.bodies
    names = dict.fromkeys(n for n, link in zip(shapes.names, shapes.links, strict=True) if not link)
    return list(names).index(shapes.names[shape]) % len(_FIXED) if not shapes.links[shape] else 0


def _give_shape(mj: Any, spec: Any, collisions: Collisions, i: int, made: Any) -> None:
    shapes, kinds = collisions.bodies, mj.mjtGeom
    kind = shapes.kinds[i]
    size = [float(s) for s in shapes.sizes[i]]
    match kind:
        case ShapeKind.PLANE:
            made.type, made.size = kinds.mjGEOM_PLANE, [0, 0, 1]
        case ShapeKind.HULL:
            name = f"hull {i}"
            spec.add_mesh(name=name, uservert=shapes.hulls[i].corners.ravel())
            made.type, made.meshname = kinds.mjGEOM_MESH, name
        case ShapeKind.HEIGHTS:
            grid = shapes.heights[i]
            low, high = float(grid.min()), float(grid.max())
            span = max(high - low, 1e-9)
            name = f"heights {i}"
            spec.add_hfield(
                name=name,
                nrow=grid.shape[0],
                ncol=grid.shape[1],
                size=[size[0], size[1], span, max(size[2] + low, 1e-3)],
                userdata=((grid - low) / span).ravel(),
            )
            made.type, made.hfieldname = kinds.mjGEOM_HFIELD, name
            made.pos = shapes.poses[i].apply(np.array([0.0, 0.0, low]))
        case _:
            made.type, made.size = kinds(int(kind)), size


def _surface(step: float, numbers: Floats) -> dict[str, Any]:
    """Friction, and how stiff the contact is; what bounces is met by impulses before it touches.

    A surface that the file describes counts over one that it does not; of two such, the larger
    friction does.
    """
    friction, _, torsion, rolling, given = (float(x) for x in numbers)
    return {
        "friction": [friction, torsion, rolling],
        "condim": 6 if rolling > 0 else 4 if torsion > 0 else 3,
        "solref": [4 * step, 1.0],
        "priority": int(given),
    }
