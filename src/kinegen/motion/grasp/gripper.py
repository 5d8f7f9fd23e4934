"""The gripper of a mechanism: which joints it is made of, and how it shuts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.followers import Followers, find_followers
from kinegen.kinematics.loop_groups import loop_path
from kinegen.kinematics.positions import pose, poses
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model

__all__ = ["closing_path", "gripper_joints", "opening_path"]

_STEPS = 20


def gripper_joints(model: AnyModel, frame: str) -> list[str]:
    """The joints of the fingers: joints on the last links of the tool's chain.

    Fingers that follow another finger are included; joints of loops are not.
    """
    model = model_of(model)
    site = model.site(frame)
    link = site if site < model.link_count else model.frames[site - model.link_count].link
    inboard = {int(joint.child): joint for joint in model.joints if not joint.is_cut}
    chain = []
    at = int(link)
    while at in inboard:
        chain.append(inboard[at].name)
        at = int(inboard[at].parent)
    ends = {int(link)}
    # a tool frame may stand on a link that is fixed to the hand
    while int(link) in inboard and not inboard[int(link)].type.info.moves:
        link = inboard[int(link)].parent
        ends.add(int(link))
    in_loops = {model.joints[i].name for loop in model.loops for i in loop_path(model, loop)}
    return [
        joint.name
        for joint in model.joints
        if int(joint.parent) in ends
        and joint.type.info.is_single
        and joint.name not in chain
        and joint.name not in in_loops
    ]


def opening_path(model: AnyModel, q: Configuration, frame: str, fingers: Sequence[str]) -> Floats:
    """Poses in which the fingers open as far as possible, (n, nq); none if they are open."""
    model = model_of(model)
    q = configuration(model, q)
    hand = _Hand(model, q, frame, fingers)
    return hand.towards({name: hand.ends(name)[1] for name in hand.leaders})


def closing_path(
    model: AnyModel, q: Configuration, frame: str, fingers: Sequence[str], width: float
) -> Floats:
    """Poses in which the fingers close until they touch the object, (n, nq).

    Args:
        model: The mechanism or its model.
        q: Its pose.
        frame: The tool with the object at its centre.
        fingers: The joints of the gripper; coupled joints move with them.
        width: Half of the object's smallest extent [m].
    """
    model = model_of(model)
    q = configuration(model, q)
    hand = _Hand(model, q, frame, fingers)
    ends = {}
    for name in hand.leaders:
        start, shut = float(q[model.joint(name).q.start]), hand.ends(name)[0]
        touching = 1.0
        for share in np.linspace(0, 1, 10 * _STEPS + 1):
            there = hand.moved({name: start + share * (shut - start)})
            if hand.distance(there, name) <= width:
                touching = float(share)
                break
        ends[name] = start + touching * (shut - start)
    return hand.towards(ends)


class _Hand:
    """Fingers at a pose: those that lead, what they carry and what follows them."""

    def __init__(self, model: Model, q: Floats, frame: str, fingers: Sequence[str]) -> None:
        self.model, self.q, self.frame = model, q, frame
        at = {name: model.joint(name).q.start for name in fingers}
        self.followers: Followers | None = find_followers(model, prefer=at.values())
        led = self.followers.variables if self.followers is not None else set()
        self.leaders = [name for name in fingers if at[name] not in led]
        self._group = {
            name: [other for other in fingers if at[name] in self._leaders_of(at[other])]
            for name in self.leaders
        }
        """Each leader with the fingers that follow it."""
        self._tips = {name: self._tip(name) for name in fingers}

    def _leaders_of(self, variable: int) -> set[int]:
        return {variable} if self.followers is None else self.followers.leaders(variable)

    def moved(self, values: Mapping[str, float]) -> Floats:
        """The pose with some joints elsewhere, and what follows them."""
        there = self.q.copy()
        for name, value in values.items():
            there[self.model.joint(name).q.start] = value
        if self.followers is not None:
            there = self.followers.fill(there[:, None].copy())[:, 0]
        return there

    def towards(self, ends: Mapping[str, float]) -> Floats:
        """Poses on the way of some joints to their ends, (n, nq); none when they are there."""
        now = {name: float(self.q[self.model.joint(name).q.start]) for name in ends}
        if not ends or max(abs(ends[name] - now[name]) for name in ends) < 1e-9:
            return np.zeros((0, len(self.q)))
        return np.array(
            [
                self.moved({n: now[n] + share * (ends[n] - now[n]) for n in ends})
                for share in np.linspace(0, 1, _STEPS + 1)[1:]
            ]
        )

    def ends(self, name: str) -> tuple[float, float]:
        """Where a finger is nearest to the tool's axis, and where farthest: its limits."""
        ends = self._limits(name)
        distances = [self.distance(self.moved({name: end}), name) for end in ends]
        near = int(np.argmin(distances))
        return ends[near], ends[1 - near]

    def _limits(self, name: str) -> tuple[float, float]:
        model, joint = self.model, self.model.joint(name)
        now = float(self.q[joint.q.start])
        limits = {
            one.q.start: (float(model.lower[one.v.start]), float(model.upper[one.v.start]))
            for one in model.joints
            if one.type.info.is_single
        }
        low, high = limits[joint.q.start]
        if self.followers is not None and joint.q.start not in self.followers.variables:
            low, high = self.followers.cut(joint.q.start, limits)
        # one without a limit stays on that side
        return low if np.isfinite(low) else now, high if np.isfinite(high) else now

    def distance(self, q: Floats, leader: str) -> float:
        """How near what a finger and its followers carry is to the tool's z axis [m]."""
        X_WT, places = pose(self.model, q, self.frame), poses(self.model, q)
        axis = X_WT.so3.apply([0.0, 0.0, 1.0])
        found = []
        for name in self._group.get(leader, [leader]):
            offset = places[self._tips[name]].translation - X_WT.translation
            found.append(float(np.linalg.norm(offset - axis * (axis @ offset))))
        return min(found)

    def _tip(self, finger: str) -> str:
        """The link or frame that moves furthest when a finger does: the first of equals."""
        model = self.model
        carried = {finger}
        for joint in model.joints:  # parents come before children
            if not joint.is_cut and model.link_names[joint.parent] in carried:
                carried.add(joint.name)
        frames = [one.name for one in model.frames if model.link_names[one.link] in carried]
        names = [
            finger,
            *(name for name in model.link_names if name in carried - {finger}),
            *frames,
        ]
        start = model.joint(finger).q.start
        ends = []
        for value in self._limits(finger):
            there = self.q.copy()
            there[start] = value
            ends.append(poses(model, there))
        ways = [
            float(np.linalg.norm(ends[1][name].translation - ends[0][name].translation))
            for name in names
        ]
        furthest = max(ways)
        return next(name for name, way in zip(names, ways, strict=True) if way > furthest - 1e-9)
