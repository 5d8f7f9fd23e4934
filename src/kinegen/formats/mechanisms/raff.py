"""RAFF itself as one of the formats, so that anything converts to anything."""

from __future__ import annotations

from collections.abc import Mapping

from kinegen.errors import UsageError
from kinegen.formats.format import Format
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_raff
from kinegen.mechanism.write import write
from kinegen.raff.formula import Formula
from kinegen.raff.opener import Opener

__all__ = ["FORMAT"]


def _read(
    text: str, *, file: str, values: Mapping[str, Formula], options: Mapping[str, str],
    opener: Opener | None = None,
) -> Mechanism:  # fmt: skip
    FORMAT.check_options(options)
    if values:
        raise UsageError(f"{file} is a RAFF file: it contains the values of its parameters")
    return load_raff(text)


def _write(mechanism: Mechanism, *, options: Mapping[str, str]) -> str:
    FORMAT.check_options(options)
    return write(mechanism)


FORMAT = Format("raff", "Robot Arm File Format, Kinegen's own", (".raff",), _read, _write)
