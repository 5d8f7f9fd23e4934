"""Results as files for download."""

from __future__ import annotations

from typing import Any

from kinegen.file_names import portable
from kinegen.results import Result
from kinegen.studio.jobs.processes.protocol import MadeFile

__all__ = ["result_file"]

_TYPES = {
    "csv": "text/csv; charset=utf-8", "json": "application/json",
    "gcode": "text/plain; charset=utf-8", "ssc": "text/plain; charset=utf-8",
    "svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png",
    "glb": "model/gltf-binary",
}  # fmt: skip


def result_file(result: Result, stem: str, kind: str, **options: Any) -> MadeFile:
    """What ``result.save`` would write, by the suffix ``kind``."""
    name = portable(f"{stem}.{kind}")
    media_type = _TYPES.get(kind, "application/octet-stream")
    return MadeFile(name, media_type, result.to_bytes(name, **options))
