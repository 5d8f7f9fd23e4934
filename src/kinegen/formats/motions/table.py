"""Tables of joint values: a pose, or a recorded motion row by row."""

from __future__ import annotations

from collections.abc import Mapping

from kinegen.formats.export import export_pose
from kinegen.formats.format import Format, Writer
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.motion.recording import Recording

__all__ = ["CSV", "JSON"]


def _writer(suffix: str) -> Writer:
    def write(
        mechanism: Mechanism,
        *,
        options: Mapping[str, str],
        file: str = "",
        q: Floats | None = None,
        motion: str | None = None,
    ) -> bytes:
        model = mechanism.compile()
        found = [row for row in mechanism.scene.get("motions", []) if row["name"] == motion]
        if found:
            return Recording.from_dict(model, found[0]).to_bytes(f"motion{suffix}")
        pose = export_pose(model) if q is None else q
        return Recording.of(model, [pose], [0.0], name="pose").to_bytes(f"pose{suffix}")

    return write


CSV = Format(
    "csv",
    "table of the joint values of the pose or a recorded motion",
    (".csv",),
    write=_writer(".csv"),
    has_motions=True,
    media_type="text/csv; charset=utf-8",
)
JSON = Format(
    "json",
    "joint values of the pose or a recorded motion",
    (".json",),
    write=_writer(".json"),
    has_motions=True,
    media_type="application/json",
)
