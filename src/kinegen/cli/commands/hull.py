"""``kinegen hull``: a coloured body, carved from pictures of several cameras."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_parameters,
    add_q,
    load_mechanism,
    numbers_of,
    parse_closed,
)
from kinegen.cli.out import check_place
from kinegen.cli.progress import PATIENCE, PatientLine, share
from kinegen.errors import UsageError
from kinegen.hull.camera_file import read_cameras
from kinegen.hull.carving import Hull, carve
from kinegen.hull.folders import PictureFolders
from kinegen.hull.source import Frame, ImageSource
from kinegen.hull.virtual import VirtualCameras
from kinegen.kernels import Floats

EXAMPLES = [
    "kinegen hull cameras.yaml --out body.ply",
    "kinegen hull cameras.yaml --all --resolution 96 --out body.glb   # body-NAME.glb per frame",
    "kinegen hull puma560 --cameras 12 --out arm.glb   # virtual cameras around a mechanism",
]
CAMERA_FILES = (".yaml", ".yml", ".json")


class FrameLine(PatientLine):
    """Frames done, shown only when the work takes a while."""

    def __call__(self, done: int, total: int) -> None:
        """Report frames done and frames in all."""
        self.done, self.total = done, total
        if time.perf_counter() - self.begin > PATIENCE:
            self._show(f"{done:,} of {total:,} frames carved ({share(done, total)})")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Cameras, frames, resolution, file."""
    parser.add_argument(
        "mechanism",
        metavar="SOURCE",
        help="a camera file (.yaml, .json), or a mechanism: a file or library name, around which "
        "virtual cameras are placed",
    )
    add_q(parser)
    add_parameters(parser)
    parser.add_argument(
        "--out", metavar="FILE", help="the .ply, .glb, .stl or .npz file to write; default: none"
    )
    parser.add_argument(
        "--resolution", type=int, default=64, metavar="N",
        help="voxels along the longest edge of the box; default: 64",
    )  # fmt: skip
    parser.add_argument(
        "--smoothing", type=int, default=2, metavar="N", help="rounds of smoothing; default: 2"
    )
    parser.add_argument(
        "--all", action="store_true", help="carve all frames of a camera file, not only the first"
    )
    parser.add_argument(
        "--cameras", type=int, metavar="N", help="virtual cameras around a mechanism; default: 8"
    )
    parser.add_argument(
        "--distance", metavar="LENGTH",
        help="distance of virtual cameras from its centre; default: far enough to see all of it",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Carve, write, and report volume and rate."""
    if options.out is not None:
        check_place("--out", options.out)
    with ExitStack() as stack:
        source, box, frames, total = _source(options, stack)
        rows, line, spent = [], FrameLine(), 0.0
        for index, frame in enumerate(frames):
            line(index, total)
            begin = time.perf_counter()
            hull = carve(
                source.cameras, frame.silhouettes, box, options.resolution,
                pictures=frame.pictures, smoothing=options.smoothing,
            )  # fmt: skip
            spent += time.perf_counter() - begin
            rows.append(_row(frame, hull, _write(options, frame, hull)))
        line.end()
    if options.json:
        print_json({"frames": rows, "rate": len(rows) / spent})
        return 0
    for row in rows:
        where = f", wrote {row['file']}" if row["file"] else ""
        print(
            f"{row['frame']}: {1000 * row['volume']:.4g} litres, {row['triangles']:,} "
            f"triangles{where}"
        )
        if row["touches_box"]:
            print("  the body reaches the edge of the box, which may cut it: enlarge the box")
    print(f"carved at {len(rows) / spent:.3g} Hz, {len(source.cameras)} cameras")
    return 0


def _source(
    options: argparse.Namespace, stack: ExitStack
) -> tuple[ImageSource, Floats, Iterator[Frame], int]:
    """Where pictures come from, the box, the frames to carve and their number."""
    if Path(options.mechanism).suffix.lower() in CAMERA_FILES:
        for option in ("cameras", "distance", "q"):
            if getattr(options, option) is not None:
                raise UsageError(f"--{option} is for mechanisms: a camera file has its own cameras")
        file = read_cameras(options.mechanism)
        folders = PictureFolders(file)
        frames = folders.frames() if options.all else iter([folders.frame(0)])
        return folders, file.box, frames, len(folders) if options.all else 1
    if options.all:
        raise UsageError("--all is for camera files: a mechanism has one pose here")
    mechanism = load_mechanism(options)
    model = mechanism.compile()
    distance = None
    if options.distance is not None:
        (distance,) = numbers_of("--distance", options.distance, ["length"])
    virtual = stack.enter_context(
        VirtualCameras(
            model, [parse_closed(model, options.q)],
            count=8 if options.cameras is None else options.cameras, distance=distance,
        )
    )  # fmt: skip
    return virtual, virtual.box, virtual.frames(), 1


def _write(options: argparse.Namespace, frame: Frame, hull: Hull) -> str | None:
    if options.out is None:
        return None
    file = Path(options.out)
    if options.all:
        file = file.with_name(f"{file.stem}-{frame.name}{file.suffix}")
    hull.save(file)
    return str(file)


def _row(frame: Frame, hull: Hull, file: str | None) -> dict[str, Any]:
    return {
        "frame": frame.name,
        "volume": hull.volume,
        "vertices": len(hull.vertices),
        "triangles": len(hull.triangles),
        "touches_box": hull.touches_box,
        "file": file,
    }
