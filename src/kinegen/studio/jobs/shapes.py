"""Answers about how links look with other parameters."""

from __future__ import annotations

from copy import deepcopy

from kinegen.kernels import Floats
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.data.model import drawn_data, shape_data
from kinegen.studio.wire.questions.shapes import ShapesRequest, ShapesResult

__all__ = ["answer_shapes"]


def answer_shapes(
    piece: CompiledText, q: Floats, request: ShapesRequest, report: Progress
) -> ShapesResult:
    """The shapes of all links, and what is drawn for couplings."""
    model = deepcopy(piece.model)  # others look at the text's own
    for name, value in request.parameters.items():
        if name in model.parameters and model.parameters.formula(name) is None:
            model.parameters[name] = value
    values = dict(model.parameters)
    return ShapesResult(
        [shape_data(shape, values, piece.folder) for shape in model.link_shapes], drawn_data(model)
    )
