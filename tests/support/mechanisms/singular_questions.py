"""Questions to the singularity monitor as the kernels take them, on mechanisms of all sorts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import kinegen as kg
from kinegen.kernels import Floats, Ints
from kinegen.kernels.protocols.singular import (
    HEADING_INTS,
    HEADING_REALS,
    HeadingType,
    SingularKind,
)
from kinegen.kinematics.solving.assembling.assembly import close
from tests.support.mechanisms.linkages import ARM, five_bar_q, four_bar

AXIS = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
"""An aim's numbers: the frame's own point."""


@dataclass(frozen=True)
class Question:
    """A heading of a mechanism, or its nearest singular pose."""

    name: str
    made: Any
    """A library name, RAFF text or a model."""
    pose: Mapping[str, float] = field(default_factory=dict)
    frame: str | None = None
    direction: Sequence[float] = ()
    joints: Mapping[str, float] = field(default_factory=dict)
    kind: int = -1
    site: str | None = None
    """The frame that is watched; by default the heading's or the last."""

    def model(self) -> kg.Model:
        return self.made if isinstance(self.made, kg.Model) else kg.load(self.made).compile()

    def start(self, model: kg.Model) -> Floats:
        q = kg.configuration(model, dict(self.pose) or None)
        return q if not model.loops else close(model, q, locked=list(self.pose))[0]

    def watched(self, model: kg.Model) -> str:
        return self.site or self.frame or model.site_names[-1]

    def heading(self, model: kg.Model) -> tuple[Ints, Floats]:
        ints = np.zeros(HEADING_INTS + model.nv, dtype=np.int32)
        reals = np.zeros(HEADING_REALS + model.nv)
        reals[5] = 1.0
        ints[0] = HeadingType.NONE
        if self.frame is not None:
            kind = -1 if len(self.direction) == 3 else kg.kernels.HandleKind.POSE
            ints[:3] = HeadingType.FRAME, model.site(self.frame), kind
            reals[6 : 6 + len(self.direction)] = self.direction
        elif self.joints:
            ints[0] = HeadingType.JOINTS
            motors = [joint for joint in model.joints if joint.has_motor and model.loops]
            for joint in [*motors, *(model.joint(name) for name in self.joints)]:
                ints[HEADING_INTS:][joint.v] = 1
            for name, speed in self.joints.items():
                reals[HEADING_REALS:][model.joint(name).v] = speed
        return ints, reals


def aims(model: kg.Model, frame: str) -> Ints:
    """A frame that is only named."""
    return np.array([[model.site(frame), -1]], dtype=np.int32)


def inputs(model: kg.Model) -> Ints:
    """The joints with motors."""
    flags = np.zeros(model.counts.joint, dtype=np.int32)
    flags[: len(model.joints)] = [joint.has_motor for joint in model.joints]
    return flags


def general_pose(model: kg.Model) -> Floats:
    """A closed pose without symmetries, in which no two singular values are equal."""
    rng = np.random.default_rng(3)
    q, gap = close(
        model, kg.kinematics.integrate(model, model.start(), 0.1 * rng.normal(size=model.nv))
    )
    assert gap < 1e-9
    return q


def _loose_five_bar() -> kg.Model:
    model = kg.load("five-bar").compile()
    model.parameters["coupler"] = 0.18
    return model


_LOOSE = _loose_five_bar()
_LOOSE_POSE = {
    joint.name: float(value)
    for joint, value in zip(_LOOSE.joints, five_bar_q(_LOOSE, (0.1, 0.3), -1, 1), strict=True)
}
QUESTIONS = [
    Question("elbow", ARM, frame="tip", direction=(0.3, 0.4, 0)),
    Question("elbow nearby", ARM, {"B": -0.3}),
    Question("five-bar leg", "five-bar", frame="handle", direction=(-1, 0, 0.3)),
    Question("five-bar motors", _LOOSE, _LOOSE_POSE, joints={"A": 1.0, "E": -1.0}),
    Question("five-bar nearby", "five-bar", kind=SingularKind.GAIN),
    Question("wrist", "puma560", {"wrist_2": 0.1}, joints={"wrist_2": -1.0}),
    Question("3-RRR", "3-rrr", frame="handle", direction=(0, 0, 0, 0, 0, 1)),
    Question("dead centre", "slider-crank", {"crank": 0.3}, joints={"crank": -1.0}),
    Question(
        "change point",
        four_bar(0.25, 0.1, 0.25, 0.1),
        {"crank": 0.6, "coupler": -0.6, "rocker": 0.6, "pin": 0.6},
        joints={"crank": -1.0},
    ),
]
