"""A compiled model as the page takes it: the kernels' blocks and the names that lead into them."""

from __future__ import annotations

import base64
import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinegen.formats.drawing.couplings import coupling_shapes
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.mechanism.shapes.shapes import Box, Cylinder, Plate, link_shapes
from kinegen.mechanism.shapes.skeleton import read_skeleton
from kinegen.studio.wire.data.number import number_data, parameter_data
from kinegen.studio.wire.messages import (
    CouplingData,
    DrawnData,
    FrameData,
    JointData,
    LoopData,
    ModelData,
    Quantity,
    VariableData,
)
from kinegen.studio.wire.parts import Shape, ShapeData

__all__ = ["drawn_data", "model_data", "shape_data"]


def model_data(mechanism: Mechanism, model: Model, start: Floats, folder: str = "") -> ModelData:
    """All that a page needs to draw and move a mechanism.

    Args:
        mechanism: The mechanism.
        model: Its model.
        start: The pose it starts in, loops closed where they can be.
        folder: The text's own folder within the project folder, for the names of meshes.
    """
    values = dict(model.parameters)
    own = _own_names(mechanism)
    return ModelData(
        name=model.name,
        ints=_base64(model.ints, "<i4"),
        reals=_base64(model.reals, "<f8"),
        start=start.tolist(),
        links=list(model.link_names),
        link_shapes=[shape_data(shape, values, folder) for shape in model.link_shapes],
        link_colors=list(model.link_colors),
        joints=[_joint(joint, mechanism, own) for joint in model.joints],
        loops=[LoopData(loop.joint, loop.placement) for loop in model.loops],
        couplings=[
            CouplingData(one.name, one.kind, list(one.members), list(one.joints), one.is_length)
            for one in model.couplings
        ],
        drawn=drawn_data(model),
        frames=[
            FrameData(
                frame.name,
                frame.link,
                mechanism.frames[frame.name].parent,
                frame.placement,
                frame.name in own,
            )
            for frame in model.frames
        ],
        robots=sorted(mechanism.document.names("robots")) if mechanism.document else [],
        parameters=parameter_data(mechanism, model),
        numbers=number_data(mechanism, model),
        planar=read_skeleton(model, {}).plane is not None,
    )


def drawn_data(model: Model) -> list[DrawnData]:
    """What is drawn for couplings, as the page takes it."""
    if not model.couplings:
        return []
    own = link_shapes(model, values=dict(model.parameters), colors=model.link_colors)
    found: list[DrawnData] = []
    for link, parts in enumerate(coupling_shapes(model, own)):
        for part in parts:
            made = DrawnData(
                link, "box", [x for row in part.rotation for x in row], list(part.translation),
                part.role.value, part.branch, part.tone, part.color, [], [],
            )  # fmt: skip
            match part:
                case Box(size=size):
                    made.size = list(size)
                case Cylinder(radius=radius, length=length):
                    made.kind, made.size = "cylinder", [radius, length]
                case Plate(outline=outline, thickness=thickness):
                    made.kind, made.size = "plate", [thickness]
                    made.outline = [list(corner) for corner in outline]
            found.append(made)
    return found


def shape_data(shape: Any, values: Mapping[str, float], folder: str = "") -> Shape:
    """A shape as in the file with its numbers worked out, meshes by their path in the project."""
    if isinstance(shape, Sequence) and not isinstance(shape, str):
        return [_part(one, values, folder) for one in shape]
    return _part(shape, values, folder)


def _part(shape: Any, values: Mapping[str, float], folder: str) -> str | ShapeData:
    if isinstance(shape, str):
        return shape if shape in ("auto", "none") else _mesh(shape, folder)
    # the reader has checked the keys
    made: Any = {
        key: _mesh(str(value), folder) if key == "mesh" else _worked_out(value, values)
        for key, value in shape.items()
    }
    found: ShapeData = made
    return found


def _worked_out(value: Any, values: Mapping[str, float]) -> Any:
    """Numbers of lists, and of lists of these."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_worked_out(one, values) for one in value]
    return _number(value, values)


def _number(value: Any, values: Mapping[str, float]) -> Any:
    evaluate = getattr(value, "evaluate", None)
    return value if evaluate is None else float(evaluate(values))


def _mesh(file: str, folder: str) -> str:
    return posixpath.normpath(posixpath.join(folder, file.replace("\\", "/")))


def _own_names(mechanism: Mechanism) -> set[str]:
    """Joints and frames whose rows stand in the text itself, not in an included file."""
    document = mechanism.document
    if document is None:
        return {*mechanism.joints, *mechanism.frames}
    return document.names("joints") | document.names("frames") | document.names("guides")


def _joint(joint: ModelJoint, mechanism: Mechanism, own: set[str]) -> JointData:
    given = mechanism.joints[joint.name]
    motors = given.motors
    variables: list[VariableData] = []
    if not joint.type.info.has_quaternion:
        for k, (name, quantity) in enumerate(joint.type.info.variables):
            kind: Quantity = "angle" if quantity == "angle" else "length"
            motor = motors[k] if k < len(motors) else None
            mode = (motor or {}).get("mode", "position")
            variables.append(VariableData(name, kind, motor is not None, mode))
    return JointData(
        name=joint.name,
        type=joint.type.value,
        parent=joint.parent,
        child=joint.child,
        on=given.parent,
        onto=given.closes.onto if given.closes is not None else "",
        q=joint.q.start,
        nq=joint.q.stop - joint.q.start,
        v=joint.v.start,
        nv=joint.v.stop - joint.v.start,
        placement=joint.placement,
        is_cut=joint.is_cut,
        variables=variables,
        editable=joint.name in own,
    )


def _base64(array: Any, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode("ascii")
