"""Files made for download: what the writers of the registry make of the mechanism in its pose."""

from __future__ import annotations

from pathlib import PurePosixPath

from kinegen.errors import unknown_name
from kinegen.file_names import portable
from kinegen.formats.export import packed, write_format
from kinegen.formats.format import Written
from kinegen.formats.registry import formats
from kinegen.kernels import Floats
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.jobs.processes.protocol import MadeFile
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.questions.exports import ExportRequest

__all__ = ["answer_export"]


def answer_export(
    compiled: CompiledText, q: Floats, request: ExportRequest, report: Progress
) -> MadeFile:
    """The file of a mechanism in one of the formats; a zip where several belong together."""
    writers = {name: one for name, one in formats().items() if one.write is not None}
    writer = writers.get(request.format)
    if writer is None:
        raise unknown_name("format", request.format, "those that can be made", writers)
    motion = request.motion
    stem = compiled.mechanism.name + (f"-{motion}" if motion else "")
    name = portable(f"{stem}{next(iter(writer.suffixes), '')}")
    if writer.name == "raff" and not request.options:
        made = Written(compiled.text)  # as it is in the editor, with its comments
    else:
        report(f"writing {name}", None)
        # beside the text: names in it begin there
        beside = PurePosixPath(compiled.file or "").with_name(name) if compiled.file else name
        made = write_format(
            writer,
            compiled.mechanism,
            file=str(beside),
            q=q,
            motion=motion,
            options=request.options,
        )
    file, media_type, data = packed(made, name, writer.media_type)
    return MadeFile(file, media_type, data, made.notes)
