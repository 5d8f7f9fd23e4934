"""Diagnosis: whether and why a mechanism moves, and which joint keeps it from moving."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.tolerances import RANK, SHUT
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.diagnosis import words
from kinegen.kinematics.diagnosis.askew import askew_mobility
from kinegen.kinematics.diagnosis.fault_search import Repair, find_repairs
from kinegen.kinematics.diagnosis.start_repairs import start_repairs
from kinegen.kinematics.diagnosis.suspects import (
    Suspect,
    Suspects,
    best_group,
    sorted_suspects,
    suspect_groups,
    suspects_of,
)
from kinegen.kinematics.jacobians import jacobian, link_twists
from kinegen.kinematics.loop_groups import LoopKind, link_transforms, loop_kind
from kinegen.kinematics.loop_system import HeldRotation, LoopSystem
from kinegen.kinematics.mobility.free_motion import free_motion
from kinegen.kinematics.mobility.mobility import (
    GroupMobility,
    Mobility,
    mobilities,
)
from kinegen.kinematics.mobility.visible_motion import seen_motions, visible_effects
from kinegen.kinematics.solving.open_loops import OpenLoop
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.results import Columns, Result

__all__ = ["Diagnosis", "Finding", "FindingKind", "diagnose", "open_suspects"]

_NEARLY = 0.05
"""Motions that are resisted by less than this share of the strongest resistance may be degrees of
freedom that a fault took away; a tilt of 5° leaves about 0.03."""
_HELD_BACK = 0.2
"""The same for spatial loops: their axes may be tilted by far more before they are taken for
another mechanism."""
_MOST_LOST = 3
"""Degrees of freedom that a single fault is taken to block at most."""
_STILL = 1e-6
_TRIAL = 0.2
"""Largest scaled step of the motion on which a platform must not turn."""
_ALMOST_STILL = 0.25
"""A platform with one degree of freedom whose turning is below this share of its motion may have
been meant not to turn."""
_SLIGHT = 0.1
"""Larger changes [rad, share of the mechanism's size] to stop its turning would be guesses: many
four-bars are one length away from a parallelogram. With more degrees of freedom a single change
that ends all turning is no coincidence."""
_TRANSLATIONS = {LoopKind.PLANAR: 2, LoopKind.SPHERICAL: 0, LoopKind.SPATIAL: 3}
"""Degrees of freedom that a platform can have without turning."""


class FindingKind(enum.Enum):
    """What a finding is about."""

    OPEN = "open"
    """Loops cannot be closed."""
    RIGID = "rigid"
    """Loops are closed and cannot move."""
    BLOCKED = "blocked"
    """It moves, but a joint that is slightly wrong takes a degree of freedom away."""
    TURNING = "turning"
    """A platform turns slightly that with one joint changed would not turn at all."""
    INSTANTANEOUS = "instantaneous"
    """Degrees of freedom that end at once: a singular pose."""
    REDUNDANT = "redundant"
    """Constraints that others imply: why it moves although the count says no."""
    IDLE = "idle"
    """Parts that spin without moving anything."""

    @property
    def is_fault(self) -> bool:
        """Whether a mechanism with such a finding is not as it was meant."""
        return self in {self.OPEN, self.RIGID, self.BLOCKED, self.TURNING}


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """One thing about a mechanism that its designer should know."""

    kind: FindingKind
    joints: tuple[str, ...]
    """The joints it is about."""
    text: str
    """In words."""
    suspects: Suspects = field(default_factory=Suspects)


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis(Result):
    """The findings about a mechanism."""

    mobility: Mobility
    findings: tuple[Finding, ...]
    """The gravest first."""

    @property
    def suspects(self) -> tuple[Suspect, ...]:
        """Likely suspects of all findings."""
        return tuple(suspect for found in self.findings for suspect in found.suspects.likely)

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is wrong: it can be assembled, every loop moves, no joint is suspect."""
        return not any(finding.kind.is_fault for finding in self.findings)

    @property
    def text(self) -> str:
        """All findings in words, one per line."""
        rigid = any(finding.kind is FindingKind.RIGID for finding in self.findings)
        moves = words.summary(self.mobility, is_rigid=rigid)
        return "\n".join([moves, *(finding.text for finding in self.findings)])

    def to_dict(self) -> dict[str, Any]:
        """Its fields and what follows from them."""
        words = {"is_healthy": self.is_healthy, "text": self.text}
        return Result.to_dict(self) | words

    def columns(self) -> Columns:
        """A row per finding."""
        return {
            "finding": [finding.kind.value for finding in self.findings],
            "joints": [" ".join(finding.joints) for finding in self.findings],
            "text": [finding.text for finding in self.findings],
        }


def diagnose(model: AnyModel, q: Configuration = None) -> Diagnosis:
    """A diagnosis: whether a mechanism can move as intended, and if not, which joint is wrong.

    Every suspect was checked: with the suggested change, the loops close and move.

    Args:
        model: the compiled mechanism.
        q: the pose to examine.
    """
    model = model_of(model)
    asked = configuration(model, q)
    found, groups = mobilities(model, asked)
    findings = [finding for group in groups for finding in _findings(model, asked, found.q, group)]
    order = list(FindingKind)
    findings.sort(key=lambda finding: order.index(finding.kind))
    return Diagnosis(found, tuple(findings))


def open_suspects(model: Model, asked: Floats, loop: OpenLoop) -> Suspects:
    """Suspects that, changed, let a loop close and move that cannot be closed."""
    system = LoopSystem(model, loop.group, loop.q)
    gap = float(np.linalg.norm(system.residual(loop.q)))
    kind = loop_kind(model, loop.q, loop.group, system.size)
    group = GroupMobility(system, kind, loop.q, RANK, gap, 0, 0)
    return _standing(model, asked, loop.q, group)


def _findings(model: Model, asked: Floats, q: Floats, group: GroupMobility) -> list[Finding]:
    """All findings about one group of loops; q is the pose asked for with the loops closed."""
    names = _names(model, group)
    basis = group.system.velocities(group.motion.basis)
    idle = group.count - seen_motions(model, q, basis)
    moving = group.finite_mobility - idle
    # a shaft that only turns does all that its joints allow
    only_turns = moving == 0 < idle and _all_turn(model, group, basis)
    findings = []
    if not group.is_closed:
        suspects = _standing(model, asked, q, group)
        text = words.open_text(model, q, group, suspects)
        findings.append(Finding(FindingKind.OPEN, names, text, suspects))
    elif moving <= 0 and not only_turns:
        suspects = _standing(model, asked, q, group)
        text = words.rigid_text(model, group, idle, suspects)
        findings.append(Finding(FindingKind.RIGID, names, text, suspects))
    elif moving > 0:
        suspects = _as_started(model, asked, q, group, moving)
        held_back = _HELD_BACK if group.kind is LoopKind.SPATIAL else _NEARLY
        if not suspects.likely and group.motion.resistance.min(initial=1.0) < held_back:
            suspects = _blocked(model, q, group, moving)
        if suspects.likely:
            text = words.blocked_text(model, group, suspects)
            findings.append(Finding(FindingKind.BLOCKED, names, text, suspects))
    if group.is_closed and moving > 0 and not findings:
        findings += _turning(model, asked, q, group, moving)
    if group.is_closed and group.finite_mobility < group.motion.count and group.finite_mobility:
        text = words.instantaneous_text(model, group)
        findings.append(Finding(FindingKind.INSTANTANEOUS, names, text))
    if group.is_closed and group.redundant and not findings and moving > 0:
        text = words.redundant_text(model, group, askew_mobility(group.system, q), moving)
        findings.append(Finding(FindingKind.REDUNDANT, names, text))
    if idle:
        spinning = _spinning(model, q, basis, idle)
        text = words.idle_text(idle, spinning)
        if only_turns:
            text = words.turning_only_text(model, group, spinning)
        findings.append(Finding(FindingKind.IDLE, names, text))
    return findings


def _all_turn(model: Model, group: GroupMobility, basis: Floats) -> bool:
    """Whether every joint of a group takes part in its motions."""
    moved = np.linalg.norm(basis, axis=1) > _STILL
    joints = [model.joints[i] for i in group.system.group.joints]
    return all(moved[joint.v].any() for joint in joints if joint.type.info.nv)


def _names(model: Model, group: GroupMobility) -> tuple[str, ...]:
    return tuple(model.joints[i].name for i in group.system.group.joints)


def _standing(model: Model, asked: Floats, q: Floats, group: GroupMobility) -> Suspects:
    """Suspects that, changed, let a group of loops move that cannot move at all."""
    suspects = _as_started(model, asked, q, group, 0)
    if suspects.likely:
        return suspects
    # closing what hardly closes leads far away: look near the pose that was asked for first
    if np.linalg.norm(group.system.residual(asked)) > SHUT:
        suspects = _blocked(model, *_nearly_closed(group, asked), 0)
        if suspects.likely:
            return suspects
    return _blocked(model, q, group, 0)


def _as_started(
    model: Model, asked: Floats, q: Floats, group: GroupMobility, moving: int
) -> Suspects:
    """Suspects that, changed, close the loops where they were asked for and let them move more."""
    tried = suspects_of(model, q, start_repairs(group.system, asked))
    return sorted_suspects([suspect for suspect in tried if suspect.dof > moving])


def _blocked(model: Model, q: Floats, group: GroupMobility, moving: int) -> Suspects:
    """Suspects that, changed, let a group of loops move more than it does."""
    motion = group.motion
    near = int((motion.resistance < 2 * _NEARLY).sum())
    if motion.forbidden.shape[1]:
        near = max(near, 1)
    tries = list(range(min(near, _MOST_LOST), 0, -1))
    if motion.count and group.finite_mobility < motion.count:
        tries.append(0)
    for lost in tries:
        first = motion.forbidden.shape[1] - lost
        wanted = np.hstack([motion.forbidden[:, first:], motion.basis])
        repairs = find_repairs(group.system, q, wanted)
        tried = suspects_of(model, q, repairs)
        gaining = [suspect for suspect in tried if suspect.dof > moving]
        if gaining:
            return sorted_suspects(gaining)
    return Suspects()


def _nearly_closed(group: GroupMobility, q: Floats) -> tuple[Floats, GroupMobility]:
    """The pose where the loops are closed as well as strongly resisted motions do it."""
    system = group.system
    motion = free_motion(system, q)
    strong = motion.forbidden[:, motion.resistance > _NEARLY]
    there, gap = system.close(q, strong)
    return there, group.at(there, gap)


def _turning(
    model: Model, asked: Floats, q: Floats, group: GroupMobility, moving: int
) -> Iterator[Finding]:
    """A platform that turns as it moves, and the joint with which it would not."""
    link = _platform(model, group)
    if link is None or moving > _TRANSLATIONS[group.kind]:
        return
    name = model.link_names[link]
    system = group.system
    J = jacobian(model, q, name)[:, system.variables] * system.scale
    turning = float(np.linalg.norm(J[3:] @ group.motion.basis, 2))
    going = float(np.linalg.norm(J[:3] @ group.motion.basis, 2)) / system.size
    if turning < _STILL or going < _STILL:
        return
    largest = math.inf
    if moving == 1:
        if turning > _ALMOST_STILL * going:
            return
        largest = _SLIGHT
    suspects = _turned_as_started(model, asked, q, group, link, moving)
    if not suspects.likely:
        suspects = _turned_by(model, asked, q, group, link, moving, largest)
    if suspects.likely:
        text = words.turning_text(name, turning / going / system.size, suspects)
        yield Finding(FindingKind.TURNING, _names(model, group), text, suspects)


def _turned_as_started(
    model: Model, asked: Floats, q: Floats, group: GroupMobility, link: int, moving: int
) -> Suspects:
    """Suspects that, changed, close the loops where they were asked for and end all turning."""
    name = model.link_names[link]
    repairs = [repair for repair in start_repairs(group.system, asked) if not _turns(repair, name)]
    tried = suspects_of(model, q, repairs)
    return sorted_suspects([suspect for suspect in tried if suspect.dof >= moving])


def _turns(repair: Repair, link: str) -> bool:
    """Whether a link turns in a repaired mechanism, here or some way off."""
    system, here = repair.system, repair.q
    basis = free_motion(system, here).basis
    if not basis.shape[1]:
        return False
    step = basis @ np.ones(basis.shape[1])
    there = system.close(system.move(here, _TRIAL * step / np.abs(step).max()))[0]
    return any(
        np.linalg.norm(
            (jacobian(system.model, q, link)[3:, system.variables] * system.scale)
            @ free_motion(system, q).basis
        )
        > _STILL
        for q in (here, there)
    )


def _turned_by(
    model: Model,
    asked: Floats,
    q: Floats,
    group: GroupMobility,
    link: int,
    moving: int,
    largest: float,
) -> Suspects:
    """The joint, or the two, without whose fault a platform would not turn."""
    # a pair of changes says little about a mechanism with one degree of freedom
    for together in (1,) if moving == 1 else (1, 2):
        for start, wanted in _without_turning(model, asked, q, group, link):
            held = group.system.variant()
            held.held = HeldRotation(link, link_transforms(model, start)[0][link])
            repairs = find_repairs(held, start, wanted, together=together)
            tried = suspect_groups(model, q, repairs)
            meant = [
                suspects
                for suspects in tried
                if suspects[0].dof >= moving and max(s.size for s in suspects) < largest
            ]
            if meant and together == 1:
                return sorted_suspects([suspect for (suspect,) in meant])
            if meant:
                return best_group(meant)
    return Suspects()


def _without_turning(
    model: Model, asked: Floats, q: Floats, group: GroupMobility, link: int
) -> Iterator[tuple[Floats, Floats]]:
    """Poses, and motions there, that a platform may have been meant to make without turning.

    The pose that was asked for comes first: there the platform is most likely turned as meant,
    while closing the loops of wrong parts has turned it.
    """
    for start in (asked, q):
        held = group.system.variant()
        held.held = HeldRotation(link, link_transforms(model, start)[0][link])
        directions = np.linalg.svd(held.jacobian(start))[2]
        yield start, directions[len(directions) - group.motion.count :].T
    yield q, group.motion.basis


def _platform(model: Model, group: GroupMobility) -> int | None:
    """The link that most joints of a group meet in, if there are three at least."""
    meeting: dict[int, int] = {}
    for i in group.system.group.joints:
        for link in {model.joints[i].parent, model.joints[i].child} - {0}:
            meeting[link] = meeting.get(link, 0) + 1
    joined = [link for link, count in meeting.items() if count > 2]
    return max(joined, key=lambda link: meeting[link], default=None)


def _spinning(model: Model, q: Floats, basis: Floats, idle: int) -> tuple[str, ...]:
    """Names of the links that move in idle motions."""
    turns = np.array([link_twists(model, q, v)[:, 3:].ravel() for v in basis.T])
    # of all free motions those that have the least visible effect
    _, _, Vt = np.linalg.svd(visible_effects(model, q, basis).T)
    spins = (Vt[len(Vt) - idle :] @ turns).reshape(idle, -1, 3)
    moved = np.linalg.norm(spins, axis=2).max(axis=0) > 1e-6
    return tuple(name for name, spinning in zip(model.link_names, moved, strict=True) if spinning)
