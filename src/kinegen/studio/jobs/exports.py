"""Files made for download: the text, a picture, a table of a pose or motion, a page, a scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from kinegen.errors import unknown_name
from kinegen.file_names import portable
from kinegen.formats.drawing.picture import picture
from kinegen.kernels import Floats
from kinegen.motion.recording import Recording
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.jobs.protocol import MadeFile
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.motions import motion_named
from kinegen.studio.wire.questions.exports import ExportRequest
from kinegen.studio.wire.scene_data import motion_data

__all__ = ["FORMATS", "answer_export"]


def answer_export(
    piece: CompiledText, q: Floats, request: ExportRequest, report: Progress
) -> MadeFile:
    """The file of a mechanism in one of the formats."""
    kind, motion = request.format, request.motion
    if kind not in FORMATS:
        raise unknown_name("format", kind, "those that can be made", FORMATS)
    suffix, media_type, make = FORMATS[kind]
    chosen = None
    if motion is not None:
        found = motion_named(motion_data(piece.mechanism, piece.model), motion)
        chosen = Recording.from_dict(piece.model, asdict(found))
    stem = piece.mechanism.name + (f"-{motion}" if motion else "")
    data = make(piece, q, chosen)
    content = data.encode("utf-8") if isinstance(data, str) else data
    return MadeFile(portable(f"{stem}{suffix}"), media_type, content)


def _raff(piece: CompiledText, q: Floats, motion: Recording | None) -> str:
    return piece.text


def _svg(piece: CompiledText, q: Floats, motion: Recording | None) -> str:
    return picture(piece.model, q, title=piece.mechanism.title or piece.mechanism.name)


def _csv(piece: CompiledText, q: Floats, motion: Recording | None) -> bytes:
    return (motion or _as_motion(piece, q)).to_bytes("motion.csv")


def _json(piece: CompiledText, q: Floats, motion: Recording | None) -> bytes:
    return (motion or _as_motion(piece, q)).to_bytes("motion.json")


def _page(piece: CompiledText, q: Floats, motion: Recording | None) -> str:
    from kinegen.studio.jobs.page import export_page

    return export_page(piece.mechanism, q)


def _gltf(piece: CompiledText, q: Floats, motion: Recording | None) -> str:
    from kinegen.formats.drawing.gltf import export_gltf

    return export_gltf(piece.mechanism, q, motions=None if motion is None else [motion])


def _glb(piece: CompiledText, q: Floats, motion: Recording | None) -> bytes:
    from kinegen.formats.drawing.gltf import export_glb

    return export_glb(piece.mechanism, q, motions=None if motion is None else [motion])


def _as_motion(piece: CompiledText, q: Floats) -> Recording:
    """A pose as a motion of one row."""
    return Recording.of(piece.model, [0.0], [q], name="pose")


Maker = Callable[[CompiledText, Floats, Recording | None], str | bytes]
FORMATS: dict[str, tuple[str, str, Maker]] = {
    "raff": (".raff", "text/plain; charset=utf-8", _raff),
    "svg": (".svg", "image/svg+xml", _svg),
    "csv": (".csv", "text/csv; charset=utf-8", _csv),
    "json": (".json", "application/json", _json),
    "page": (".html", "text/html; charset=utf-8", _page),
    "gltf": (".gltf", "model/gltf+json", _gltf),
    "glb": (".glb", "model/gltf-binary", _glb),
}
"""Ending, media type and maker of each format."""
