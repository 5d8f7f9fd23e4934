"""``--body`` on the command line: the set of points as a body, its size, holes and surface."""

from __future__ import annotations

import argparse
from pathlib import PurePath
from typing import Any

from kinegen.cli.output import count, length
from kinegen.kernels import Floats
from kinegen.workspace.bodies.body import Boundary, boundary
from kinegen.workspace.bodies.voxels import Voxels
from kinegen.workspace.clouds.cloud import Cloud
from kinegen.workspace.zones.result import Zone

__all__ = ["add_body", "body_json", "body_of", "is_surface", "print_body"]

SURFACES = (".glb", ".stl")


def add_body(parser: argparse.ArgumentParser) -> None:
    """``--body``."""
    parser.add_argument("--body", action="store_true", help="size, pieces, voids and tunnels")


def body_of(
    options: argparse.Namespace, points: Floats | Voxels | Cloud | Zone, cell: float | None = None
) -> Boundary | None:
    """The body that points (n, axes), a cloud or a zone fill, if asked for, written or not."""
    if not (options.body or is_surface(options.out)):
        return None
    body = boundary(points, cell)
    if is_surface(options.out):
        body.save(options.out)
    return body


def is_surface(file: str | None) -> bool:
    """Whether a file's name asks for the surface of a body."""
    return bool(file) and PurePath(str(file)).suffix.lower() in SURFACES


def body_json(body: Boundary | None) -> dict[str, Any]:
    """A body's numbers, for programs."""
    if body is None:
        return {}
    size = body.measure
    return {
        "body": {
            "size": size.value,
            "size_error": size.error,
            "unit": size.unit,
            "cell": size.cell,
            "pieces": body.pieces,
            "voids": body.voids,
            "tunnels": body.tunnels,
            "triangles": len(body.triangles) if body.vertices.shape[1] == 3 else 0,
        }
    }


def print_body(body: Boundary | None, frame: str) -> None:
    """A body in words."""
    if body is None:
        return
    size = body.measure
    empty = f"{count(body.voids, 'hole')}"
    if size.dimension == 3:
        empty = f"{count(body.voids, 'void')}, {count(body.tunnels, 'tunnel')}"
    print(
        f"'{frame}' fills {size.value:.4g} ± {size.error:.1g} {size.unit} (cells of "
        f"{length(size.cell)}): {count(body.pieces, 'piece')}, {empty}"
    )
