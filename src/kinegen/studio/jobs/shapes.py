"""Answers about how links look with other parameters."""

from __future__ import annotations

from kinegen.kernels import Floats
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.data.model import drawn_data, shape_data
from kinegen.studio.wire.questions.shapes import ShapesRequest, ShapesResult

__all__ = ["answer_shapes"]


def answer_shapes(
    compiled: CompiledText, q: Floats, request: ShapesRequest, report: Progress
) -> ShapesResult:
    """The shapes of all links, and what is drawn for couplings."""
    model = compiled.model.varied(request.parameters)
    values = dict(model.parameters)
    return ShapesResult(
        [shape_data(shape, values, compiled.folder) for shape in model.link_shapes],
        drawn_data(model),
    )
