"""Results of computations: what they have in common, and how they are written to files."""

from __future__ import annotations

import dataclasses
import enum
import io
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import FormatError
from kinegen.files import write_atomically
from kinegen.plug_ins import PlugIns

__all__ = ["WRITERS", "Result", "Writer", "csv_table", "plain"]


@dataclass(frozen=True, slots=True)
class Writer:
    """A way to write one kind of result: a picture, a mesh, a program of a robot."""

    result: str
    """Name of the result's class."""
    suffixes: tuple[str, ...]
    """Of the files, such as ``.svg``."""
    to_bytes: Callable[[Any, str], bytes]
    """The content of a file from the result and the file's name."""


WRITERS = PlugIns[Writer](
    "writer", "kinegen.writers", {}, lambda one: isinstance(one, Writer), "a Writer"
)
"""Writers beyond those that every result has: those of Kinegen and of other packages."""


class Result:
    """A result with named fields, which :meth:`save` writes to a file."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Its fields as plain data: numbers, texts, lists and mappings [SI, rad]."""
        return {field.name: plain(getattr(self, field.name)) for field in _fields(self)}

    def columns(self) -> Mapping[str, Sequence[Any] | npt.NDArray[Any]]:
        """Its table, by column: names with units. Empty for a result that is no table."""
        return {}

    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """Its arrays by name."""
        values = {field.name: getattr(self, field.name) for field in _fields(self)}
        return {name: one for name, one in values.items() if isinstance(one, np.ndarray)}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, in the format of its suffix; a file is never left half written.

        Every result has ``.json`` (all fields), those with arrays ``.npz``, tables ``.csv``; some
        have pictures, meshes or programs beside. An error lists the suffixes of this result.
        """
        write_atomically(path, self._content(os.fspath(path)))

    def suffixes(self) -> tuple[str, ...]:
        """Suffixes of the files that it can be saved to."""
        return tuple(self._writers())

    def _content(self, name: str) -> bytes:
        suffix = PurePath(name).suffix.lower()
        writers = self._writers()
        if suffix not in writers:
            raise FormatError(
                f"a {type(self).__name__} cannot be saved as '{PurePath(name).name}'; its files "
                f"end in {', '.join(writers)}"
            )
        return writers[suffix](name)

    def _writers(self) -> dict[str, Callable[[str], bytes]]:
        """How to make the content of a file, by suffix."""
        found: dict[str, Callable[[str], bytes]] = {
            ".json": lambda _: f"{json.dumps(self.to_dict(), indent=2)}\n".encode()
        }
        if self.arrays():
            found[".npz"] = lambda _: _npz(self.arrays())
        if self.columns():
            found[".csv"] = lambda _: csv_table(self.columns()).encode()
        kinds = {kind.__name__ for kind in type(self).__mro__}
        for writer in WRITERS.all().values():
            if writer.result in kinds:
                for suffix in writer.suffixes:
                    found[suffix] = _bound(writer, self)
        return found


def _bound(writer: Writer, result: Result) -> Callable[[str], bytes]:
    return lambda name: writer.to_bytes(result, name)


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


def csv_table(columns: Mapping[str, Sequence[Any] | npt.NDArray[Any]]) -> str:
    """A table with a line of headings; numbers are written so that reading gives them back."""
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(map(_cell, columns)), *(",".join(map(_cell, row)) for row in rows)]
    return "\n".join(lines) + "\n"


def _cell(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    if isinstance(value, enum.Enum):
        value = value.name.lower()
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n\r') else text


def _npz(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    with io.BytesIO() as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
        return file.getvalue()


def _fields(value: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
