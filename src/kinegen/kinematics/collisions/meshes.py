"""Mesh files as convex parts: by the package coacd where it is installed, else their hulls.

Parts are kept in the user's cache folder under the content of the file: dividing a mesh takes
seconds, and a file is divided once.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path

import numpy as np

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.curves.stl import stl_mesh
from kinegen.errors import FormatError, UsageError
from kinegen.files import cache_folder
from kinegen.kernels import Floats
from kinegen.kinematics.collisions import divide
from kinegen.kinematics.collisions.hull import Hull, convex_hull
from kinegen.mechanism.shapes.shapes import MeshRef

__all__ = ["convex_parts", "mesh_parts", "report_dividing"]

_VERSION = 2
"""Of the files in the cache."""
PERIOD = 0.5
"""[s] Between two reports of how long a mesh is being divided."""
_REPORT: ContextVar[Callable[[str], object] | None] = ContextVar("report", default=None)


def mesh_parts(shape: MeshRef, read: Callable[[str], bytes]) -> tuple[list[Hull], str]:
    """Convex parts of a mesh file, scaled, and a remark for the user, if any.

    Raises:
        KinegenError: When the file cannot be read.
    """
    mesh = read_mesh(shape.file, read(shape.file))
    scale = np.array(shape.scale)
    hull = convex_hull(mesh.vertices * scale)
    if _is_convex(mesh, scale, hull):
        return [hull], ""
    if not has_coacd():
        return [hull], (
            f"contacts of mesh '{shape.file}' are those of its convex hull; "
            "pip install 'kinegen[contacts]' to divide it into convex parts"
        )
    return [convex_hull(part * scale) for part in convex_parts(mesh, f"mesh '{shape.file}'")], ""


def read_mesh(name: str, content: bytes) -> TriangleMesh:
    """A mesh file's triangles; STL and OBJ."""
    suffix = name.lower().rpartition(".")[2]
    if suffix == "stl":
        return stl_mesh(content, name)
    if suffix == "obj":
        return _obj_mesh(content, name)
    raise UsageError(f"'{name}' is not an STL or OBJ file: other meshes cannot be touched")


def convex_parts(mesh: TriangleMesh, name: str = "a mesh") -> list[Floats]:
    """Corners of convex parts that together are about the mesh, by coacd; from the cache if known.

    A large mesh takes a minute: lines on standard error, or whoever :func:`report_dividing` names,
    say what is being done and for how long. An interrupt ends it.

    Raises:
        FormatError: coacd failed.
    """
    key = hashlib.sha256(f"{_VERSION} {divide.CONCAVITY} {divide.MOST_PARTS}".encode())
    key.update(np.ascontiguousarray(mesh.vertices, "<f8").tobytes())
    key.update(np.ascontiguousarray(mesh.faces, "<i4").tobytes())
    file = cache_folder("convex-parts") / f"{key.hexdigest()[:32]}.npz"
    try:
        with np.load(io.BytesIO(file.read_bytes())) as kept:
            return [kept[part] for part in kept.files]
    except (OSError, ValueError, zipfile.BadZipFile):
        pass
    began = time.monotonic()
    doing = f"dividing {name}, {len(mesh.faces)} triangles, into convex parts"
    report = _REPORT.get()
    if report is None:
        sys.stderr.write(f"{doing} …\n")
    parts = _divide(mesh, name, lambda seconds: report and report(f"{doing}, {seconds:.0f} s"))
    if report is None:
        sys.stderr.write(f"{name}: {len(parts)} convex parts, {time.monotonic() - began:.1f} s\n")
    _keep(file, parts)
    return parts


@contextlib.contextmanager
def report_dividing(report: Callable[[str], object]) -> Iterator[None]:
    """Let somebody else than standard error hear what is being divided, again and again."""
    token = _REPORT.set(report)
    try:
        yield
    finally:
        _REPORT.reset(token)


def _divide(
    mesh: TriangleMesh, name: str, progress: Callable[[float], object] = lambda seconds: None
) -> list[Floats]:
    """Run coacd in a process of its own; ``progress`` hears how long it has taken [s]."""
    with tempfile.TemporaryDirectory() as folder:
        given, made, said = (Path(folder) / file for file in ("mesh.npz", "parts.npz", "said.txt"))
        np.savez(given, vertices=mesh.vertices, faces=mesh.faces)
        program = [sys.executable, "-m", divide.__name__, str(given), str(made)]
        with said.open("wb") as errors:
            # its input stays open: the child ends with it
            child = subprocess.Popen(
                program, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors
            )
            try:
                code = _awaited(child, progress)
            finally:
                child.kill()
                child.wait()
                if child.stdin is not None:
                    child.stdin.close()
        if code != 0 or not made.exists():
            lines = said.read_text("utf-8", "replace").strip().splitlines()
            raise FormatError(
                f"{name} could not be divided into convex parts: {(lines or ['no message'])[-1]}"
            )
        with np.load(made) as parts:
            return [parts[part] for part in parts.files]


def _awaited(child: subprocess.Popen[bytes], progress: Callable[[float], object]) -> int:
    """The exit code of a process; meanwhile somebody hears how long it has taken."""
    began = time.monotonic()
    while True:
        progress(time.monotonic() - began)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.wait(PERIOD)


@functools.cache
def has_coacd() -> bool:
    """Whether meshes can be divided."""
    from importlib.util import find_spec

    return find_spec("coacd") is not None


def _keep(file: Path, parts: list[Floats]) -> None:
    """Write a file of the cache as a whole; where that is not possible, nothing is kept."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".npz", delete=False) as out:
            np.savez(out, *parts)
        os.replace(out.name, file)
    except OSError:
        pass


def _is_convex(mesh: TriangleMesh, scale: Floats, hull: Hull) -> bool:
    """Whether a mesh's triangles lie on its hull, within a thousandth of its size."""
    middles = mesh.triangles.mean(axis=1) * scale
    least = 1e-3 * float(np.ptp(hull.corners, axis=0).max())
    over = middles @ hull.planes[:, :3].T - hull.planes[:, 3]
    return bool((over.max(axis=1) > -least).all())


def _obj_mesh(content: bytes, name: str) -> TriangleMesh:
    """Vertices and faces of a Wavefront OBJ file; faces of many corners as fans."""
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for n, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        words = line.split()
        try:
            if words[:1] == ["v"]:
                vertices.append([float(word) for word in words[1:4]])
            elif words[:1] == ["f"]:
                ring = [int(word.partition("/")[0]) for word in words[1:]]
                ring = [i - 1 if i > 0 else len(vertices) + i for i in ring]
                faces += [(ring[0], ring[k], ring[k + 1]) for k in range(1, len(ring) - 1)]
        except ValueError:
            raise FormatError(
                f"{name}:{n}: '{line.strip()[:60]}' is not a line of numbers"
            ) from None
    if not faces:
        raise FormatError(f"{name}: no faces: this is not an OBJ file, or it is empty")
    try:
        return TriangleMesh(np.array(vertices), np.array(faces, dtype=np.int32))
    except (UsageError, ValueError) as error:
        raise FormatError(f"{name}: {error}") from None
