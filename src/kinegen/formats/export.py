"""Export: a mechanism in any format, with the files that belong to it, to a folder or a zip."""

from __future__ import annotations

import contextlib
import io
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath

from kinegen.errors import AssemblyError, FormatError, UsageError, unknown_name
from kinegen.file_names import check_name
from kinegen.files import write_atomically
from kinegen.formats.format import Format, Written
from kinegen.formats.registry import format_named, format_of
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.mechanism.any_model import AnyModel, mechanism_of
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.results import Result

__all__ = [
    "Exported",
    "export",
    "export_pose",
    "inner_name",
    "packed",
    "save_written",
    "write_format",
    "writer_of",
]

ZIP = ".zip"
_DATE = (1980, 1, 1, 0, 0, 0)
"""Of files in a zip: the same mechanism gives the same bytes."""


@dataclass(frozen=True, slots=True)
class Exported(Result):
    """Files that were written."""

    format: str
    """Name of the format."""
    files: tuple[str, ...]
    """Paths; the first is the one that was asked for."""
    bytes: int
    """Of all files together."""
    notes: tuple[str, ...]
    """What was cut, changed or left out, by name."""


def export(
    model: AnyModel,
    path: str | os.PathLike[str],
    *,
    q: Configuration = None,
    motion: str | None = None,
    format: str | None = None,
    options: Mapping[str, str] | None = None,
) -> Exported:
    """Write a mechanism to a file of another format, with its meshes in the same folder.

    The suffix of the file chooses the format; ``robot.urdf.zip`` packs the file and its meshes into
    one archive.

    Args:
        model: The mechanism, or a model with its current numbers.
        path: The file.
        q: The pose; joints given by name keep their values, and the others follow. Default: the
            start.
        motion: One of its recorded motions, for formats that hold motions.
        format: Name of the format, if the suffix does not determine it.
        options: The format's own options.

    Raises:
        FormatError: No format writes such files, or the format cannot describe the mechanism.
    """
    file = os.fspath(path)
    writer = writer_of(file, format)
    mechanism = mechanism_of(model)
    compiled = model if isinstance(model, Model) else mechanism.compile()
    pose = export_pose(compiled, q)
    inner = inner_name(file, writer)
    made = write_format(writer, mechanism, file=inner, q=pose, motion=motion, options=options)
    files, size = save_written(made, file, inner)
    return Exported(writer.name, files, size, made.notes)


def writer_of(file: str, format: str | None = None) -> Format:
    """The format that writes a file: that of the name, or by the suffix, which may be in a zip."""
    if format is not None:
        found = format_named(format)
        if found.write is None:
            raise FormatError(f"format '{found.name}' can be read but not written")
        return found
    inner = PurePath(file)
    if inner.suffix.lower() == ZIP:
        inner = inner.with_suffix("")
        if not inner.suffix:
            raise UsageError(
                f"'{PurePath(file).name}' does not name the format inside the zip: use a name "
                f"such as '{inner.name}.urdf.zip', or name the format"
            )
    return format_of(str(inner), for_writing=True)


def write_format(
    writer: Format,
    mechanism: Mechanism,
    *,
    file: str,
    q: Floats | None = None,
    motion: str | None = None,
    options: Mapping[str, str] | None = None,
) -> Written:
    """What a format makes of a mechanism; nothing is written to disk.

    Args:
        writer: The format.
        mechanism: What to write.
        file: The file that it will be; names of further files begin in its folder.
        q: The pose, loops closed; default: the start.
        motion: One of the mechanism's recorded motions.
        options: The format's own options.
    """
    if writer.write is None:
        raise FormatError(f"format '{writer.name}' can be read but not written")
    writer.check_options(options or {})
    if motion is not None:
        names = [row["name"] for row in mechanism.scene.get("motions", [])]
        if not writer.has_motions:
            raise UsageError(f"format '{writer.name}' cannot contain recorded motions")
        if motion not in names:
            raise unknown_name("motion", motion, f"mechanism '{mechanism.name}'", names)
    made = writer.write(mechanism, options=options or {}, file=file, q=q, motion=motion)
    return made if isinstance(made, Written) else Written(made)


def packed(made: Written, file: str, media_type: str) -> tuple[str, str, bytes]:
    """One file for a download: name, media type, content; a zip where several belong together."""
    if made.content is not None and not made.files:
        return file, media_type, _data(made.content)
    return f"{PurePath(file).name}{ZIP}", "application/zip", _zipped(made, file)


def save_written(
    made: Written, path: str | os.PathLike[str], inner: str = ""
) -> tuple[tuple[str, ...], int]:
    """Write what a writer has made; the paths, and how many bytes they have.

    Args:
        made: Content and further files.
        path: The file; with the suffix ``.zip`` all files are packed into it. Where there are only
            further files, they get the folder of the path without its suffix.
        inner: Name of the file within a zip.
    """
    target = Path(path)
    if target.suffix.lower() == ZIP:
        data = _zipped(made, inner or target.stem)
        write_atomically(target, data)
        return (str(target),), len(data)
    folder = target.parent if made.content is not None else target.with_suffix("")
    contents = {folder / _inside(name): _data(data) for name, data in made.files.items()}
    if made.content is not None:  # last: who sees it finds what belongs to it
        contents[target] = _data(made.content)
    for place, data in contents.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, data)
    first = [str(target)] if made.content is not None else []
    others = [str(place) for place in contents if place != target]
    return (*first, *others), sum(map(len, contents.values()))


def inner_name(file: str, writer: Format) -> str:
    """The file itself, or the name that it has in a zip."""
    if not file.lower().endswith(ZIP):
        return file
    file = PurePath(file).name
    stem = PurePath(file[: -len(ZIP)])
    is_named = stem.suffix.lower() in writer.suffixes
    return stem.name if is_named else f"{stem.name}{next(iter(writer.suffixes), '')}"


def export_pose(model: Model, q: Configuration = None) -> Floats:
    """A pose with closed loops: joints that are named keep their values, others follow.

    A whole configuration is taken as it is, and so is a start whose loops cannot be closed, unless
    the file names an assembly mode, which then does not exist.
    """
    from kinegen.dynamics.simulation.starts import closed_pose

    if isinstance(q, Mapping) or (q is None and model.mode is not None):
        return closed_pose(model, q)
    if q is None:
        with contextlib.suppress(AssemblyError):
            return closed_pose(model, None)
    return configuration(model, q)


def _zipped(made: Written, file: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        own = {} if made.content is None else {PurePath(file).name: made.content}
        for name, data in {**own, **made.files}.items():
            archive.writestr(
                zipfile.ZipInfo(_inside(name), _DATE), _data(data), zipfile.ZIP_DEFLATED
            )
    return out.getvalue()


def _inside(name: str) -> str:
    """A further file's path, which stays in its folder and is valid on every system."""
    parts = PurePosixPath(name).parts
    if not parts or parts[0] == "/" or ".." in parts:
        raise UsageError(f"a writer returned the file name '{name}', which leads out of its folder")
    for part in parts:
        check_name(part)
    return "/".join(parts)


def _data(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8")
