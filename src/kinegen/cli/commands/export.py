"""``kinegen export``: a mechanism in a pose, or a recorded motion, as a file for other programs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    parse_closed,
)
from kinegen.cli.out import check_place, write_out
from kinegen.errors import UsageError, unknown_name
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.motion.recording import Recording

EXAMPLES = [
    "kinegen export stewart page.html      # one page to drag it in, opens anywhere",
    "kinegen export my-arm.raff arm.glb    # 3D model, recorded motions as animations",
    "kinegen export my-arm.raff wave.csv --motion wave",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, pose, motion, file."""
    add_mechanism(parser)
    kinds = ", ".join(_WRITERS)
    parser.add_argument(
        "file", metavar="FILE", help=f"file to write; its suffix chooses the format: {kinds}"
    )
    add_q(parser)
    add_parameters(parser)
    parser.add_argument("--motion", metavar="NAME", help="one of the file's recorded motions")


def run(options: argparse.Namespace) -> int:
    """Write the file and say where it is."""
    file = Path(options.file)
    if file.suffix.lower() not in _WRITERS:
        raise UsageError(
            f"'{file.name}' has no suffix that can be exported; suffixes: {', '.join(_WRITERS)}"
        )
    check_place("FILE", options.file)
    mechanism = load_mechanism(options)
    model = mechanism.compile()
    content = _WRITERS[file.suffix.lower()](mechanism, model, options)
    data = content if isinstance(content, bytes) else content.encode()
    write_out(file, data)
    if options.json:
        print_json({"file": str(file), "bytes": len(data)})
    else:
        print(f"wrote {file} ({len(data) / 1000:.0f} kB)")
    return 0


def _page(mechanism: Mechanism, model: Model, options: argparse.Namespace) -> str:
    from kinegen.studio.jobs.page import export_page

    return export_page(mechanism, parse_closed(model, options.q))


def _picture(mechanism: Mechanism, model: Model, options: argparse.Namespace) -> str:
    from kinegen.formats.drawing.picture import picture

    return picture(model, parse_closed(model, options.q), title=mechanism.title or mechanism.name)


def _gltf(mechanism: Mechanism, model: Model, options: argparse.Namespace) -> str:
    from kinegen.formats.drawing.gltf import export_gltf

    q = parse_closed(model, options.q)
    return export_gltf(mechanism, q, motions=_motions(mechanism, model, options))


def _glb(mechanism: Mechanism, model: Model, options: argparse.Namespace) -> bytes:
    from kinegen.formats.drawing.gltf import export_glb

    q = parse_closed(model, options.q)
    return export_glb(mechanism, q, motions=_motions(mechanism, model, options))


def _table(mechanism: Mechanism, model: Model, options: argparse.Namespace) -> bytes:
    return _recording(mechanism, model, options).to_bytes(options.file)


def _motions(
    mechanism: Mechanism, model: Model, options: argparse.Namespace
) -> list[Recording] | None:
    return [_motion(mechanism, model, options.motion)] if options.motion else None


def _recording(mechanism: Mechanism, model: Model, options: argparse.Namespace) -> Recording:
    """The motion asked for, or the pose as a motion of one row."""
    if options.motion:
        return _motion(mechanism, model, options.motion)
    return Recording.of(model, [0.0], [parse_closed(model, options.q)], name="pose")


def _motion(mechanism: Mechanism, model: Model, name: str) -> Recording:
    rows = {row["name"]: row for row in mechanism.scene.get("motions", [])}
    if name not in rows:
        raise unknown_name("motion", name, f"mechanism '{mechanism.name}'", rows)
    return Recording.from_dict(model, rows[name])


_WRITERS: dict[str, Callable[[Mechanism, Model, argparse.Namespace], str | bytes]] = {
    ".html": _page,
    ".glb": _glb,
    ".gltf": _gltf,
    ".svg": _picture,
    ".csv": _table,
    ".json": _table,
}
