"""The masses of a model's links, seen from the world: what all dynamics of the tree build on.

The compiled kernels run recursions in the links' frames instead; the two share no formula but
Newton's and Euler's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinegen.kernels.layout import DRIVE_PARTS, INERTIA_SIZE, Floats, Ints
from kinegen.kernels.reference.base.forward import forward_links
from kinegen.kernels.reference.base.jacobian import site_jacobian, site_jacobian_dot
from kinegen.kernels.reference.base.model import Model, bind_model


@dataclass(frozen=True, slots=True, eq=False)
class Masses:
    """A model with the numbers of its dynamics, in place."""

    model: Model
    inertia: Floats
    """Mass, centre and inertia of each link, (link_count, 10)."""
    gravity_W: Floats
    """[m/s²]"""
    drive: dict[str, Floats]
    """Motor, friction and spring of each v, by the names of the blocks' parts."""

    @property
    def links(self) -> range:
        """All links but the base."""
        return range(1, self.model.blocks.counts.link)

    def reflected(self) -> Floats:
        """Rotor inertia as each degree of freedom of the tree feels it, (nv,)."""
        out = np.zeros(self.model.nv)
        for joint in self.model.tree_order:
            own = self.model.v_of(joint)
            out[own] = self.drive["rotor"][own] * self.drive["gear"][own] ** 2
        return out


def bind_masses(ints: Ints, reals: Floats) -> Masses:
    """The dynamics of the model in two blocks."""
    model = bind_model(ints, reals)
    return Masses(
        model,
        model.blocks.real_part("inertia").reshape(-1, INERTIA_SIZE),
        model.blocks.real_part("gravity"),
        {name: model.blocks.real_part(name) for name in DRIVE_PARTS},
    )


class Body(NamedTuple):
    """A link as a rigid body at a configuration, world axes."""

    mass: float
    J: Floats
    """Jacobian of its centre, (6, nv)."""
    place: Floats
    """Of its centre [m]."""
    tensor: Floats
    """Inertia about its centre [kg m²], (3, 3)."""
    centre: Floats
    """In the link's frame [m]."""


def body_of(d: Masses, q: Floats, Xs_WL: list[Floats], link: int) -> Body:
    """A link with its mass."""
    mass, *rest = d.inertia[link].tolist()
    centre = np.array(rest[:3])
    xx, yy, zz, xy, xz, yz = rest[3:]
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R, p = Xs_WL[link][:3, :3], Xs_WL[link][:3, 3]
    J = site_jacobian(d.model, q, Xs_WL, link, centre, -1)
    return Body(mass, J, p + R @ centre, R @ tensor @ R.T, centre)


def bodies_at(d: Masses, q: Floats) -> list[Body]:
    """All links but the base."""
    Xs_WL = forward_links(d.model, q)
    return [body_of(d, q, Xs_WL, link) for link in d.links]


def rates_at(d: Masses, q: Floats, v: Floats) -> list[Floats]:
    """Time derivatives of the Jacobians of all centres, (6, nv) each."""
    Xs_WL = forward_links(d.model, q)
    return [
        site_jacobian_dot(d.model, q, v, Xs_WL, link, d.inertia[link, 1:4], -1) for link in d.links
    ]
