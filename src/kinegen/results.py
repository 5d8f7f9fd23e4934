"""Results of computations: what they have in common, and how they are written to files."""

from __future__ import annotations

import csv
import dataclasses
import enum
import inspect
import io
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from kinegen.errors import FormatError, UsageError
from kinegen.files import written_atomically
from kinegen.plug_ins import PlugIns

__all__ = [
    "BUILT_IN",
    "GROUP",
    "WRITERS",
    "Columns",
    "Result",
    "ResultList",
    "Writer",
    "csv_table",
    "plain",
]

Columns: TypeAlias = Mapping[str, Sequence[Any] | npt.NDArray[Any]]
"""A table by column: headings with units."""
Content: TypeAlias = bytes | Iterable[bytes]
"""Of a file: whole, or piece by piece."""
Writer: TypeAlias = Callable[..., Content]
"""Makes a file's content from a result, the file's name and the options of :meth:`Result.save`."""

GROUP = "kinegen.writers"
"""Entry-point group. An entry's name is the class of a result and the suffixes of its files, such
as ``Path.svg.pdf``; what it names is a :data:`Writer`."""

BUILT_IN = {
    "Path.svg.pdf.png": "kinegen.formats.reports.path_report:path_report",
    "Run.mcap": "kinegen.dynamics.simulation.run_files:to_mcap",
    "Path.mcap": "kinegen.formats.motions.mcap_log:to_mcap",
    "Path.gcode": "kinegen.formats.motions.gcode:to_gcode",
    "Path.ssc": "kinegen.formats.motions.servo:to_ssc32",
    "Steering.svg.pdf.png": "kinegen.formats.reports.steering_report:steering_report",
    "JointMap.svg.pdf.png": "kinegen.formats.reports.map_report:map_report",
    "Cloud.svg.pdf.png": "kinegen.formats.reports.result_figure:figure_file",
    "Zone.svg.pdf.png": "kinegen.formats.reports.result_figure:figure_file",
    "Backlash.svg.pdf.png": "kinegen.formats.reports.result_figure:figure_file",
    "Cloud.ply": "kinegen.workspace.export:cloud_points",
    "Zone.ply": "kinegen.workspace.export:zone_points",
    "Backlash.ply": "kinegen.workspace.export:backlash_points",
    "JointMap.ply": "kinegen.workspace.export:map_points",
    "Cloud.glb.stl": "kinegen.workspace.export:surface_of",
    "Zone.glb.stl": "kinegen.workspace.export:surface_of",
    "Boundary.glb.ply.stl": "kinegen.workspace.export:surface_file",
    "PlacedBody.glb.ply.stl": "kinegen.workspace.export:surface_file",
    "TriangleMesh.glb.ply.stl": "kinegen.workspace.export:surface_file",
    "Hull.glb.ply.stl": "kinegen.hull.carving:hull_file",
}
"""Kinegen's own entries, as in pyproject.toml: for a source tree that is not installed."""

WRITERS = PlugIns[Writer]("writer", GROUP, BUILT_IN, callable, "callable")
"""Writers beyond those that every result has: those of Kinegen and of other packages."""

ROWS = 10_000
"""Rows of a table that are written at once."""
LARGE = 10_000_000
"""[bytes] Arrays of more are not compressed: that takes three times as long and saves little."""


class Result:
    """A result with named fields, which :meth:`save` writes to a file."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Its fields as plain data: numbers, texts, lists and mappings [SI, rad]."""
        return {field.name: plain(getattr(self, field.name)) for field in _fields(self)}

    def columns(self) -> Columns:
        """Its table, by column: names with units. Empty for a result that is no table."""
        return {}

    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """Its arrays by name."""
        values = {field.name: getattr(self, field.name) for field in _fields(self)}
        return {name: one for name, one in values.items() if isinstance(one, np.ndarray)}

    def save(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write a file, in the format of its suffix; a file is never left half written.

        Every result has ``.json`` (all fields), those with arrays ``.npz``, tables ``.csv``; some
        have pictures, meshes or programs beside. An error lists the suffixes of this result.

        Args:
            path: The file.
            options: Of the format, such as the views of a picture; an error lists them.
        """
        content = self._content(os.fspath(path), options)
        with written_atomically(path) as file:
            for piece in [content] if isinstance(content, bytes) else content:
                file.write(piece)

    def to_bytes(self, name: str, **options: Any) -> bytes:
        """The content of the file that :meth:`save` would write."""
        content = self._content(name, options)
        return content if isinstance(content, bytes) else b"".join(content)

    def suffixes(self) -> tuple[str, ...]:
        """Suffixes of the files that it can be saved to."""
        return tuple(self._writers())

    def _content(self, name: str, options: Mapping[str, Any]) -> Content:
        suffix = PurePath(name).suffix.lower()
        writers = self._writers()
        if suffix not in writers:
            raise FormatError(
                f"a {type(self).__name__} cannot be saved as '{PurePath(name).name}'; its files "
                f"end in {', '.join(writers)}"
            )
        one = writers[suffix]
        writer = WRITERS.named(one) if isinstance(one, str) else one
        _check_options(writer, options, f"a {type(self).__name__} saved as {suffix}")
        return writer(self, name, **options)

    def _writers(self) -> dict[str, Writer | str]:
        """By suffix a writer or its entry's name: no plug-in is loaded for it."""
        found: dict[str, Writer | str] = {".json": _json}
        if self.arrays():
            found[".npz"] = _npz
        if type(self).columns is not Result.columns:
            found[".csv"] = _csv
        kinds = {kind.__name__ for kind in type(self).__mro__}
        for entry in WRITERS.names():
            kind, *suffixes = entry.split(".")
            if kind in kinds:
                found |= {f".{suffix}": entry for suffix in suffixes}
        return found


One = TypeVar("One", bound=Result)


class ResultList(tuple[One, ...], Result):
    """Several results of one kind, as a tuple: one table, arrays stacked."""

    def __new__(cls, results: Iterable[One] = (), headings: Iterable[str] = ()) -> Self:
        """Keep the results.

        Args:
            results: In their order.
            headings: Of the table where there are none.
        """
        made = super().__new__(cls, results)
        made._headings = tuple(headings)
        return made

    _headings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data, under one key."""
        return {"results": [one.to_dict() for one in self]}

    def columns(self) -> Columns:
        """The rows of all results."""
        tables = [one.columns() for one in self]
        heads = tables[0] if tables else self._headings
        return {head: [cell for table in tables for cell in table[head]] for head in heads}

    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """Those arrays that all results have in one shape, stacked: (count, …)."""
        several = [one.arrays() for one in self]
        names = several[0] if several else {}
        return {
            name: np.stack([arrays[name] for arrays in several])
            for name in names
            if len({arrays[name].shape for arrays in several}) == 1
        }

    def _writers(self) -> dict[str, Writer | str]:
        found = super()._writers()
        if not self.columns():
            del found[".csv"]
        return found


def _check_options(writer: Writer, options: Mapping[str, Any], what: str) -> None:
    allowed = inspect.signature(writer).parameters.values()
    names = [one.name for one in allowed if one.kind is one.KEYWORD_ONLY]
    for wrong in options.keys() - names:
        known = f"options: {', '.join(names)}" if names else "it has none"
        raise UsageError(f"{what} has no option '{wrong}'; {known}")


def _json(result: Result, name: str) -> bytes:
    rows = ",\n".join(
        f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in result.to_dict().items()
    )
    return f"{{\n{rows}\n}}\n".encode()


def _npz(result: Result, name: str) -> bytes:
    arrays = result.arrays()
    is_large = sum(one.nbytes for one in arrays.values()) > LARGE
    with io.BytesIO() as file:
        write = np.savez if is_large else np.savez_compressed
        write(file, allow_pickle=False, **arrays)
        return file.getvalue()


def _csv(result: Result, name: str) -> Iterator[bytes]:
    return csv_table(result.columns())


def plain(value: Any) -> Any:
    """A value as JSON can hold it; numbers that are not finite become None."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, enum.Enum):
        return value.name.lower()
    if isinstance(value, Result):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in _fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return getattr(value, "name", str(value))  # a model, a mechanism


def csv_table(columns: Columns) -> Iterator[bytes]:
    """A table with a line of headings; numbers are written so that reading gives them back."""
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise UsageError(f"the columns of a table have {sorted(lengths)} rows, which differ")
    rows = lengths.pop() if lengths else 0
    yield _lines([list(columns)])
    for first in range(0, rows, ROWS):
        parts = [_cells(column[first : first + ROWS]) for column in columns.values()]
        yield _lines(zip(*parts, strict=True))


def _lines(rows: Iterable[Iterable[Any]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def _cells(column: Sequence[Any] | npt.NDArray[Any]) -> list[Any]:
    """Cells as ``csv`` writes them; empty where a number is not finite."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiubU":
        cells: list[Any] = column.tolist()
        if column.dtype.kind == "f" and not np.isfinite(column).all():
            return [cell if math.isfinite(cell) else None for cell in cells]
        return cells
    return [plain(cell) for cell in column]


def _fields(value: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
