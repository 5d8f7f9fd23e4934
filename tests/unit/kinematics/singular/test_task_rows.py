"""What is watched: packed for the kernels, and what a name alone means."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kernels import HandleKind
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.singular.singularity import Probe
from kinegen.kinematics.singular.task_rows import pack_aims, unpack_aims
from kinegen.kinematics.solving.assembling.assembly import assemble


def test_frames_tasks_and_handles_are_packed() -> None:
    model = kg.load("puma560").compile()
    handle = Handle("tool", (0, 0, 0), point=(0.1, 0.2, 0.3), direction=(0, 0, 1), axis=(1, 0, 0))
    ints, reals = pack_aims(
        model, ["elbow", kg.kinematics.FrameTask("tool", kg.kinematics.TaskKind.ROTATION), handle]
    )
    tool = model.site("tool")
    rows = [[model.site("elbow"), -1], [tool, HandleKind.ROTATION], [tool, HandleKind.DIRECTION]]
    assert ints.tolist() == rows
    np.testing.assert_array_equal(reals[0], [0, 0, 0, 0, 0, 1])
    np.testing.assert_array_equal(reals[2], [0.1, 0.2, 0.3, 1, 0, 0])
    ints[0, 1] = HandleKind.POINT
    watched = unpack_aims(model, ints, reals)
    assert watched.aims[2].point == (0.1, 0.2, 0.3) and watched.aims[0].frame == "elbow"
    assert watched.labels[:4] == ("elbow x", "elbow y", "elbow z", "tool turn x")
    assert watched.labels[-1] == "tool tilt 2" and len(watched.labels) == 11


def test_nothing_to_watch_is_refused() -> None:
    model = kg.load("puma560").compile()
    with pytest.raises(UsageError, match="at least one frame"):
        pack_aims(model, [])
    with pytest.raises(UsageError, match="names of frames, Tasks or Handles"):
        pack_aims(model, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "frame", "kind"),
    [("five-bar", "handle", HandleKind.POINT), ("3-rrr", "handle", HandleKind.POSE),
     ("puma560", "tool", HandleKind.POSE), ("delta", "tool", HandleKind.POINT),
     ("four-bar", "rocker", HandleKind.POSE), ("bionic-3", "tool", HandleKind.POINT)],
)  # fmt: skip
def test_what_a_name_alone_means(name: str, frame: str, kind: HandleKind) -> None:
    model = kg.load(name).compile()
    watched = Probe(model, assemble(model).q, frame).watched
    assert [aim.kind for aim in watched.aims] == [kind]
