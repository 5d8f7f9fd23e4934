import numpy as np
import pytest

import kinegen as kg
from kinegen.curves import Sphere, circle, seams, segment
from kinegen.curves.solids import Plane
from kinegen.errors import UsageError
from kinegen.kernels import HandleKind
from kinegen.motion.targets import targets_of

LINE = segment((0, 0, 0), (1, 0, 0))


def test_kinds_follow_the_tool() -> None:
    assert targets_of(LINE, "tool", None).kind is HandleKind.POINT
    assert len(targets_of(LINE, "tool", None)) == 200
    assert targets_of(LINE, "tool", kg.SO3.identity()).kind is HandleKind.POSE
    pointed = targets_of(LINE, "tool", (0, 0, -2), step=0.25)
    assert pointed.kind is HandleKind.DIRECTION
    assert len(pointed) == 5
    handle = pointed.handle(2)
    assert np.allclose(np.asarray(handle.direction), [0, 0, -1])
    assert np.allclose(np.asarray(handle.position), [0.5, 0, 0])


def test_the_normal_points_at_the_surface() -> None:
    ring = targets_of(circle((0, 0, 0), 0.1), "tool", "normal", points=4)
    assert ring.turns is not None
    assert np.allclose(ring.turns, [0, 0, -1])


def test_where_normals_cancel_there_is_no_target() -> None:
    # a ball cut through its middle by a plane seen from outside: no cancelling; from both it may
    (seam,) = seams(Sphere((0, 0, 0), 1), Plane((0, 0, 0), (0, 0, 1)))
    found = targets_of(seam, "tool", "normal", points=8)
    assert found.exist.all()
    assert found.missing(0) == "the surface has no normal here"


def test_refused() -> None:
    with pytest.raises(UsageError, match="not both"):
        targets_of(LINE, "tool", None, points=3, step=0.1)
