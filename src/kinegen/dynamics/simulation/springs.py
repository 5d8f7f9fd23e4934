"""Springs and dampers between two points of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.errors import CompileError
from kinegen.kernels import Floats, Ints
from kinegen.mechanism.model import Model

__all__ = ["Springs", "springs_of"]

_TOUCHING = 1e-12
"""Points nearer than this [m] have no direction between them: no force acts."""


@dataclass(frozen=True, slots=True, eq=False)
class Springs:
    """Point-to-point springs as arrays; a spring pulls when it is longer than its rest length."""

    names: tuple[str, ...]
    link_a: Ints
    """(n,)"""
    point_a: Floats
    """In the frame of link_a [m], (n, 3)."""
    link_b: Ints
    point_b: Floats
    stiffness: Floats
    """[N/m], (n,)."""
    damping: Floats
    """[N s/m], (n,)."""
    rest: Floats
    """[m], (n,)."""

    def __len__(self) -> int:
        return len(self.names)

    def ends(self, transforms: Floats) -> tuple[Floats, Floats]:
        """Both ends in the world, (n, 3) each [m], from transforms X_WL (link_count, 12)."""
        R, p = transforms[:, :9].reshape(-1, 3, 3), transforms[:, 9:]
        a = p[self.link_a] + np.einsum("nij,nj->ni", R[self.link_a], self.point_a)
        b = p[self.link_b] + np.einsum("nij,nj->ni", R[self.link_b], self.point_b)
        return a, b

    def potential(self, transforms: Floats) -> float:
        """Energy in the springs [J]."""
        a, b = self.ends(transforms)
        stretch = np.linalg.norm(b - a, axis=1) - self.rest
        return float(0.5 * np.sum(self.stiffness * stretch * stretch))

    def tensions(self, transforms: Floats, twists: Floats) -> tuple[Floats, Floats, Floats]:
        """Force pulling the ends together [N] (n,), unit vectors from a to b, speeds apart [m/s].

        Args:
            transforms: X_WL of all links, (link_count, 12).
            twists: V_WL_W of all links at their origins, (link_count, 6).
        """
        a, b = self.ends(transforms)
        length = np.linalg.norm(b - a, axis=1)
        along = (b - a) / np.maximum(length, _TOUCHING)[:, None]
        p = transforms[:, 9:]

        def speed(link: Ints, point: Floats) -> Floats:
            arm = point - p[link]
            return np.asarray(twists[link, :3] + np.cross(twists[link, 3:], arm))

        apart = np.sum(along * (speed(self.link_b, b) - speed(self.link_a, a)), axis=1)
        pull = self.stiffness * (length - self.rest) + self.damping * apart
        return np.where(length > _TOUCHING, pull, 0.0), along, apart

    def wrenches(self, transforms: Floats, twists: Floats) -> Floats:
        """What the springs do to the links, (link_count, 6): force, moment about the origin."""
        pull, along, _ = self.tensions(transforms, twists)
        a, b = self.ends(transforms)
        force = pull[:, None] * along
        out = np.zeros((len(transforms), 6))
        for link, point, push in ((self.link_a, a, force), (self.link_b, b, -force)):
            arm = point - transforms[link, 9:]
            np.add.at(out, link, np.hstack([push, np.cross(arm, push)]))
        return out

    def wrenches_at(self, model: Model, q: Floats, v: Floats | None = None) -> Floats | None:
        """The same at a state of a model, at rest without v; None without springs."""
        if not len(self):
            return None
        transforms, twists = np.empty((model.link_count, 12)), np.zeros((model.link_count, 6))
        model.kernels.forward_links(q, transforms)
        if v is not None:
            model.kernels.link_twists(q, np.ascontiguousarray(v), twists)
        return self.wrenches(transforms, twists)


def springs_of(model: Model) -> Springs:
    """The springs of a mechanism's file with its parameters as they are in the model now.

    Those that end on an object act only in a model that has the object as a link.
    """
    values = dict(model.parameters)
    rows = [row for row in model.compiled_from.scene.get("springs", ()) if _takes_part(model, row)]
    ends = [(_end(model, row, side, values)) for row in rows for side in ("from", "to")]
    links = np.array([link for link, _ in ends], dtype=np.int32).reshape(-1, 2)
    points = np.array([point for _, point in ends], dtype=np.float64).reshape(-1, 2, 3)

    def numbers(key: str) -> Floats:
        given = [row[key].evaluate(values) if key in row else 0.0 for row in rows]
        return np.array(given, dtype=np.float64)

    return Springs(
        tuple(row["name"] for row in rows),
        np.ascontiguousarray(links[:, 0]),
        np.ascontiguousarray(points[:, 0]),
        np.ascontiguousarray(links[:, 1]),
        np.ascontiguousarray(points[:, 1]),
        numbers("stiffness"),
        numbers("damping"),
        numbers("rest"),
    )


def _takes_part(model: Model, row: Mapping[str, Any]) -> bool:
    """Whether both ends are there: objects are links only where a simulation includes them."""
    for side in ("from", "to"):
        name = row[side].get("object")
        if name is None or name in model.link_names:
            continue
        objects = model.compiled_from.scene.get("objects", ())
        if any(one["name"] == name and one.get("fixed", False) for one in objects):
            raise CompileError(
                f"spring '{row['name']}' of mechanism '{model.name}' ends on the object '{name}', "
                "which never moves: attach it to the ground, 'link: "
                f"{model.link_names[0]}' with its 'xyz' there"
            )
        return False
    return True


def _end(
    model: Model, row: Mapping[str, Any], side: str, values: Mapping[str, float]
) -> tuple[int, Floats]:
    """Link and point on it of one end of a spring."""
    end: Mapping[str, Any] = row[side]
    xyz = end.get("xyz")
    point = np.zeros(3) if xyz is None else np.array([number.evaluate(values) for number in xyz])
    if "frame" in end:
        frame = next((f for f in model.frames if f.name == end["frame"]), None)
        if frame is None:
            raise CompileError(
                f"spring '{row['name']}' of mechanism '{model.name}' ends on '{end['frame']}', "
                "which is not one of its frames"
            )
        X_LF = model.transforms[frame.placement]
        return int(frame.link), X_LF[9:] + X_LF[:9].reshape(3, 3) @ point
    name = end.get("object") or end.get("link", model.link_names[0])
    if name not in model.link_names:
        raise CompileError(
            f"spring '{row['name']}' of mechanism '{model.name}' ends on '{name}', which is not "
            "one of its links"
        )
    return model.link_names.index(name), point
