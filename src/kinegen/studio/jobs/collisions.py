"""Answers about bodies that can collide."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats
from kinegen.kinematics.collisions.checker import CLEARANCE, CollisionChecker
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.jobs.scene import object_places
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.questions.collisions import BodiesRequest, BodiesResult

__all__ = ["answer_bodies"]


def answer_bodies(
    compiled: CompiledText, q: Floats, request: BodiesRequest, report: Progress
) -> BodiesResult:
    """Shapes of all bodies, and which of them may touch each other."""
    report("preparing bodies", None)
    model = compiled.model
    if request.parameters:
        model = model.varied(request.parameters)
    known = {row["name"] for row in model.compiled_from.scene.get("objects", ())}
    places = object_places(model, request.places)
    without = known.intersection(request.absent)
    floor = None if "floor" in model.compiled_from.world else request.floor
    checker = CollisionChecker(model, floor=floor, places=places, without=without)
    arrays = checker.bodies.arrays(checker.meets, model.link_count)
    return BodiesResult(
        ints=_packed(arrays.ints),
        reals=_packed(arrays.reals),
        corners=_packed(arrays.corners),
        planes=_packed(arrays.planes),
        facet_first=_packed(arrays.facet_first),
        facet_corners=_packed(arrays.facet_corners),
        heights=_packed(arrays.heights),
        meets=_packed(arrays.meets),
        body=_packed(checker.body),
        names=list(checker.body_names),
        tolerance=checker.tolerance,
        clearance=CLEARANCE * model.size,
        remarks=list(checker.remarks),
    )


def _packed(numbers: npt.NDArray[Any]) -> str:
    """Little endian, as every browser's memory is."""
    little = np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")
