"""Open loops: which loop of a mechanism cannot be closed, by how much and in which direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.closure import loop_poses, loop_residual
from kinegen.kinematics.loop_groups import (
    LoopGroup,
    constraint_joints,
    joint_frames,
    loop_groups,
)
from kinegen.kinematics.loop_system import LoopSystem
from kinegen.kinematics.mobility.words import angle, distance, listed
from kinegen.mechanism.model import Model
from kinegen.spatial.pose import SE3

__all__ = ["OpenLoop", "gap_words", "open_loop"]

_NEARLY_PARALLEL = 0.5
"""Hinges whose axes are closer to each other than this [rad] were meant to have one direction: a
right angle between axes was meant to be one."""
_ROTATION_FIRST = 100.0
"""How much more an angle counts than a length of the same scaled size where axes are compared."""
_SMALL = 0.02
"""Parts of a gap below this share of it are left out of its description."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenLoop:
    """A loop that cannot be closed, or the fewest loops that cannot be closed together."""

    group: LoopGroup
    cut: str
    """The cut joint where the gap is, or the coupling."""
    q: Floats
    """The pose in which the loop is closed as well as it gets, (nq,)."""
    gap: str
    """Its gap there with the direction, in words."""
    text: str
    """The loop by its joints, and its gap."""


def open_loop(model: Model, q: Floats, locked: Sequence[str] = ()) -> OpenLoop | None:
    """The loop that cannot be closed from q, limits left aside; None where each group closes."""
    for whole in loop_groups(model):
        if _closed(model, whole, q, locked)[1] <= SHUT:
            continue
        for group in (*_smaller(model, whole), whole):
            here, gap = _closed(model, group, q, locked)
            if gap > SHUT:
                return _described(model, group, here, locked)
    return None


def _closed(
    model: Model, group: LoopGroup, q: Floats, locked: Sequence[str]
) -> tuple[Floats, float]:
    system = LoopSystem(model, group, q, locked=locked)
    return system.assemble(q)


def _smaller(model: Model, group: LoopGroup) -> Iterator[LoopGroup]:
    """Parts of a group that may be what cannot be closed: each loop, then the first few of them."""
    if len(group.loops) == 1:
        return
    parts: list[tuple[int, ...]] = [(n,) for n in group.loops]
    parts += [group.loops[:count] for count in range(2, len(group.loops))]
    for loops in parts:
        joints = {i for n in loops for i in constraint_joints(model, n)}
        yield LoopGroup(loops, tuple(sorted(joints)))


def _described(model: Model, group: LoopGroup, q: Floats, locked: Sequence[str]) -> OpenLoop:
    # a tilt shows as such where everything else gives way to it
    size = LoopSystem(model, group, q).size
    turned = LoopSystem(model, group, q, locked=locked, size=_ROTATION_FIRST * size)
    best = turned.close(q)[0]
    direction = _common_axis(model, best, group)
    if direction is None or not _is_tilted(model, best, group, direction):
        best = q
    worst = max(group.loops, key=lambda n: max(_gap(model, best, n, size)))
    held = [model.joints[i].name for i in group.joints if model.joints[i].name in set(locked)]
    while_held = f" with {listed(held)} held" if held else ""
    if group.couplings(model):
        return _open_coupling(model, group, best, worst, while_held)
    cut = model.joints[model.loops[worst].joint].name
    gap = gap_words(model, best, worst, group, size)
    names = listed(model.joints[i].name for i in group.joints)
    what = f"the loop through {names} stays" if len(group.loops) == 1 else (
        f"the {len(group.loops)} loops through {names} cannot be closed together: one stays"
    )  # fmt: skip
    return OpenLoop(group, cut, best, gap, f"{what} open at '{cut}' by {gap}{while_held}")


def _open_coupling(
    model: Model, group: LoopGroup, q: Floats, worst: int, while_held: str
) -> OpenLoop:
    """What is said where couplings take part, and loops perhaps."""
    p, w = _opening(model, q, worst)
    way, turn = float(np.linalg.norm(p)), float(np.linalg.norm(w))
    parts = [distance(way)] * (way > SHUT) + [angle(turn)] * (turn > SHUT)
    gap = " and ".join(parts) or distance(way)
    what = model.constraint_text(worst).rstrip(",")
    others = [model.constraint_text(n).rstrip(",") for n in group.loops if n != worst]
    beside = f" together with {' and '.join(others[:3])}" if others else ""
    more = f" and {len(others) - 3} more" if len(others) > 3 else ""
    name = what.split("'")[1]
    text = f"{what} cannot be satisfied{beside}{more}{while_held}; the residual is {gap}"
    return OpenLoop(group, name, q, gap, text)


def _gap(model: Model, q: Floats, loop: int, size: float) -> tuple[float, float]:
    p, w = _opening(model, q, loop)
    return float(np.linalg.norm(p)) / size, float(np.linalg.norm(w))


def _opening(model: Model, q: Floats, loop: int) -> tuple[Floats, Floats]:
    """From the landing K of a cut joint to its end M, in the world: way [m], rotation vector.

    Of a coupling, what it lacks [m, rad], in the first component.
    """
    if loop >= len(model.loops):
        phi = loop_residual(model, q)[6 * loop : 6 * loop + 6]
        return phi[:3], phi[3:]
    M, K = (SE3.from_pose(pose) for pose in loop_poses(model, q)[loop])
    return M.translation - K.translation, K.so3.apply(M.so3.minus(K.so3))


def _common_axis(model: Model, q: Floats, group: LoopGroup) -> Floats | None:
    """The direction that all hinges of some loops have, but for small tilts; None if there is none.

    Slides are perpendicular to it; where there are slides only, it is the direction in which none
    of them moves.
    """
    axes = joint_frames(model, q)[0][:, :, 2]
    types = {i: model.joints[i].type for i in group.joints}
    hinges = [i for i, kind in types.items() if kind.info.turns_about_axis]
    slides = [i for i, kind in types.items() if kind.info.is_slide]
    if any(kind.info.moves and not kind.info.has_axis for kind in types.values()):
        return None
    if len(hinges) > 1:
        direction = np.asarray(np.linalg.eigh(axes[hinges].T @ axes[hinges])[1][:, -1])
        across = np.abs(axes[hinges] @ direction).min()
        return direction if across > np.cos(_NEARLY_PARALLEL) else None
    if len(slides) > 1 and not hinges:
        values, vectors = np.linalg.eigh(axes[slides].T @ axes[slides])
        return np.asarray(vectors[:, 0]) if values[0] < _SMALL < values[1] else None
    return None


def _is_tilted(model: Model, q: Floats, group: LoopGroup, direction: Floats) -> bool:
    """Whether some loop cannot be closed because axes are not parallel."""
    turns = [_opening(model, q, n)[1] for n in group.loops]
    return any(float(np.linalg.norm(np.cross(w, direction))) > 10 * SHUT for w in turns)


def gap_words(model: Model, q: Floats, loop: int, group: LoopGroup, size: float) -> str:
    """How far one loop of a group is open at q and in which direction: of length and of angle.

    A part that hardly matters beside the other is left out.
    """
    p, w = _opening(model, q, loop)
    way, turn = float(np.linalg.norm(p)) / size, float(np.linalg.norm(w))
    direction = _common_axis(model, q, group)
    parts = []
    if direction is not None:
        of_hinges = any(model.joints[i].type.info.turns_about_axis for i in group.joints)
        axis = "the hinges' common axis" if of_hinges else "the normal of the slides"
        along, across = float(p @ direction), float(np.linalg.norm(np.cross(p, direction)))
        about, tilt = float(w @ direction), float(np.linalg.norm(np.cross(w, direction)))
        # a tilt of axes takes what they carry out of the plane as well
        slight = max(_SMALL * size * max(way, turn), 2 * size * tilt)
        parts += [f"{distance(abs(along))} along {axis}"] * (abs(along) > slight)
        parts += [f"{distance(across)} across {axis}"] * (across > slight)
        limit = _SMALL * max(way, turn)
        parts += [f"{angle(abs(about))} about {axis}"] * (abs(about) > limit)
        if tilt > limit:
            what = "axes" if of_hinges else "parts"
            parts.append(f"{angle(tilt)} ({what} tilted by {angle(tilt)} against each other)")
    else:
        if way > _SMALL * turn:
            parts.append(f"{distance(way * size)} along {_named(model, q, loop, p)}")
        if turn > _SMALL * way:
            parts.append(f"{angle(turn)} about {_named(model, q, loop, w)}")
    return " and ".join(parts)


def _named(model: Model, q: Floats, loop: int, vector: Floats) -> str:
    """A direction by the cut joint's axis if it is that, or else by its components."""
    unit = vector / np.linalg.norm(vector)
    index = model.loops[loop].joint
    z = joint_frames(model, q)[0][index][:, 2]
    if float(np.linalg.norm(np.cross(unit, z))) < _SMALL:
        return f"the axis of '{model.joints[index].name}'"
    return "(" + ", ".join(f"{x:.2g}" if abs(x) >= 5e-3 else "0" for x in unit) + ")"
