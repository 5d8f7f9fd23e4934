"""A mechanism's links as bodies of an impulse world: welded ones merged, massless ones helped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.dynamics.engines.impulse.world import World
from kinegen.dynamics.simulation.system import System
from kinegen.dynamics.tree.masses import check_masses
from kinegen.errors import NumberError
from kinegen.kernels import Floats, Ints
from kinegen.kernels.protocols.impulse import BondType
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelCoupling

__all__ = ["LUMP", "Bodies", "bodies_of", "world_of"]

LUMP = 1e-5
"""Mass of a link without any, against the lightest that has some: bodies must have mass."""
THIN = 1e-7
"""Least principal moment against the largest; rods and points have none about their axes."""


@dataclass(frozen=True, slots=True, eq=False)
class Bodies:
    """Which body each link is part of, and where."""

    body: Ints
    """(link_count,); 0 is the ground."""
    X_BL: Floats
    """Link frames in their bodies' frames, (link_count, 4, 4)."""
    numbers: Floats
    """Mass and principal moments per body, (body_count, 4)."""
    root: Ints
    """A link of each body, (body_count,)."""
    lumped: tuple[str, ...]
    """Links that had no mass and were given a little."""

    def start(self, transforms: Floats, twists: Floats) -> tuple[Floats, Floats]:
        """Poses (n, 7) and twists (n, 6) of the bodies from those of the links."""
        count = len(self.numbers)
        poses, speeds = np.zeros((count, 7)), np.zeros((count, 6))
        for b, link in enumerate(self.root):
            X = _matrix(transforms[link]) @ np.linalg.inv(self.X_BL[link])
            poses[b, :4] = _quat(X[:3, :3])
            poses[b, 4:] = X[:3, 3]
            arm = X[:3, 3] - transforms[link, 9:]
            speeds[b, :3] = twists[link, :3] + np.cross(twists[link, 3:], arm)
            speeds[b, 3:] = twists[link, 3:]
        return poses, speeds


def bodies_of(model: Model) -> Bodies:
    """The bodies of a model; NumberError where masses are no bodies' or all are missing."""
    check_masses(model)
    carried = {int(joint.child): joint for joint in model.joints if not joint.is_cut}
    root: Ints = np.arange(model.link_count, dtype=np.int32)
    X_RL = np.tile(np.eye(4), (model.link_count, 1, 1))
    for link in _outward(model):
        joint = carried[link]
        if not joint.type.info.moves:
            root[link] = root[joint.parent]
            X_RL[link] = X_RL[joint.parent] @ _matrix(model.transforms[joint.placement])
    roots = [0, *(link for link in range(1, model.link_count) if root[link] == link)]
    masses = [float(model.inertia[root == r, 0].sum()) for r in roots]
    heavy = [mass for mass in masses[1:] if mass > 0]
    if len(roots) > 1 and not heavy:
        raise NumberError(
            f"no link of mechanism '{model.name}' has mass: the impulse engine moves bodies; add "
            "masses or shapes to links"
        )
    reach = _reaches(model, root, X_RL)
    index = {r: b for b, r in enumerate(roots)}
    numbers, X_RB, lumped = np.zeros((len(roots), 4)), [np.eye(4)], []
    for b, r in enumerate(roots[1:], start=1):
        mass, centre, tensor = _sum(model, np.flatnonzero(root == r).astype(np.int32), X_RL)
        arm = max(1e-3, *(float(np.linalg.norm(p - centre)) for p in reach[r]))
        if mass == 0:
            lumped.append(model.link_names[r])
            mass, centre = LUMP * min(heavy), np.mean(reach[r], axis=0)
            tensor = np.eye(3) * mass * arm * arm
        moments, axes = np.linalg.eigh(tensor)
        if np.linalg.det(axes) < 0:
            axes[:, 0] = -axes[:, 0]
        least = max(THIN * float(moments.max()), 0.1 * THIN * mass * arm * arm)
        numbers[b] = [mass, *np.maximum(moments, least)]
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = axes, centre
        X_RB.append(X)
    body = np.array([index[int(r)] for r in root], dtype=np.int32)
    X_BL = np.array([np.linalg.inv(X_RB[b]) @ X_RL[link] for link, b in enumerate(body)])
    return Bodies(body, X_BL, numbers, np.array(roots, dtype=np.int32), tuple(lumped))


def world_of(system: System, bodies: Bodies) -> World:
    """The world of a system; its joints keep their places in q and v."""
    model = system.model
    world = World(gravity=model.gravity.tolist(), bodies=list(bodies.numbers))
    part = model.blocks.real_part
    axes = np.stack(
        [part("gear") ** 2 * part("rotor"), part("viscous") + part("spring_damping"),
         part("coulomb"), part("breakaway"), part("stribeck"), part("stiffness"),
         part("spring_rest"), model.lower, model.upper], axis=1,
    )  # fmt: skip
    world.axes = list(axes)
    lands = {int(loop.joint): loop.placement for loop in model.loops}
    pitch = part("pitch")
    for j, joint in enumerate(model.joints):
        a, b = int(bodies.body[joint.parent]), int(bodies.body[joint.child])
        if not joint.type.info.moves and not joint.is_cut:
            continue
        if a == b:
            raise NumberError(
                f"joint '{joint.name}' of mechanism '{model.name}' connects a body to itself: its "
                "two links are welded together"
            )
        X_aF = bodies.X_BL[joint.parent] @ _matrix(model.transforms[joint.placement])
        X_bM = bodies.X_BL[joint.child]
        if joint.is_cut:
            X_bM = X_bM @ _matrix(model.transforms[lands[j]])
        world.bonds.append((int(BondType.of(joint.type)), a, b, joint.q.start, joint.v.start))
        world.bond_numbers.append(np.concatenate((_numbers(X_aF), _numbers(X_bM), [pitch[j]])))
        world.curves.append((np.zeros((0, 4, 3)), False))
    world.start_q = model.start().tolist()
    if model.couplings:
        world.mechanism = model.ints, model.reals
        world.couplings = [_coupled_bodies(model, one, bodies) for one in model.couplings]
    springs = system.springs
    for i in range(len(springs)):
        ends = [
            (int(bodies.body[link]), (bodies.X_BL[link] @ [*point, 1.0])[:3])
            for link, point in (
                (springs.link_a[i], springs.point_a[i]), (springs.link_b[i], springs.point_b[i])
            )
        ]  # fmt: skip
        if ends[0][0] == ends[1][0]:
            continue  # within one body it does nothing
        world.add_spring(
            *ends[0], *ends[1], stiffness=float(springs.stiffness[i]),
            damping=float(springs.damping[i]), rest=float(springs.rest[i]),
        )  # fmt: skip
    world.poses = [np.array([1.0, 0, 0, 0, 0, 0, 0])] * len(bodies.numbers)
    world.twists = [np.zeros(6)] * len(bodies.numbers)
    return world


def _coupled_bodies(model: Model, coupling: ModelCoupling, bodies: Bodies) -> tuple[int, ...]:
    """Bodies that a coupling acts on: those of its joints."""
    joints = [model.joints[i] for i in coupling.joints]
    links = [link for joint in joints for link in (joint.parent, joint.child)]
    return tuple(dict.fromkeys(int(bodies.body[link]) for link in links))


def _outward(model: Model) -> list[int]:
    """Links but the base, each after the one that carries it."""
    carried = {int(j.child): int(j.parent) for j in model.joints if not j.is_cut}
    done, order = {0}, []
    while len(done) <= len(carried):
        for link, parent in carried.items():
            if parent in done and link not in done:
                done.add(link)
                order.append(link)
    return order


def _sum(model: Model, links: Ints, X_RL: Floats) -> tuple[float, Floats, Floats]:
    """Mass, centre and inertia about it of links welded together, in their root's frame."""
    rows = model.inertia[links]
    mass = float(rows[:, 0].sum())
    centres = np.array(
        [(X_RL[i] @ [*row[1:4], 1.0])[:3] for i, row in zip(links, rows, strict=True)]
    )
    centre = (rows[:, :1] * centres).sum(axis=0) / mass if mass > 0 else centres.mean(axis=0)
    tensor = np.zeros((3, 3))
    for i, row, place in zip(links, rows, centres, strict=True):
        xx, yy, zz, xy, xz, yz = row[4:]
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        R, d = X_RL[i][:3, :3], place - centre
        tensor += R @ own @ R.T + row[0] * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, centre, tensor


def _reaches(model: Model, root: Ints, X_RL: Floats) -> dict[int, list[Floats]]:
    """Places of joints on each body, in its root's frame."""
    out: dict[int, list[Floats]] = {int(r): [np.zeros(3)] for r in root}
    lands = {int(loop.joint): loop.placement for loop in model.loops}
    for j, joint in enumerate(model.joints):
        X = X_RL[joint.parent] @ _matrix(model.transforms[joint.placement])
        out[int(root[joint.parent])].append(X[:3, 3])
        if joint.is_cut:
            X = X_RL[joint.child] @ _matrix(model.transforms[lands[j]])
            out[int(root[joint.child])].append(X[:3, 3])
    return out


def _matrix(numbers: Floats) -> Floats:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = numbers[:9].reshape(3, 3), numbers[9:]
    return out


def _numbers(X: Floats) -> Floats:
    return np.concatenate((X[:3, :3].ravel(), X[:3, 3]))


def _quat(R: Floats) -> Floats:
    """Quaternion of a rotation matrix, from its largest component."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [0, 0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
            [0, 0, 0, R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    K = K + np.triu(K, 1).T + np.eye(4)
    quat = K[np.argmax(np.diag(K))]
    quat = quat / np.linalg.norm(quat)
    return np.asarray(-quat if quat[0] < 0 else quat)
