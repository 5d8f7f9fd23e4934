"""Who may use whom: rooms downward only, few packages, kernels on C headers alone."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
KERNELS = sorted((ROOT / "native" / "kernel").rglob("*.hpp"))
THIRD_PARTY = {"numpy", "yaml"}
STUDIO = {"starlette", "uvicorn", "websockets", "orjson", "cryptography", "segno"}
EXTRAS = {
    "bridges/wires/rosbridge.py": {"websockets"},
    "bridges/wires/ros2.py": {"zenoh"},
    "bridges/ros/message_types.py": {"rosbags"},
    "bridges/ros/action_types.py": {"rosbags"},
    "bridges/ros2/graph.py": {"zenoh"},
    "devices/haply.py": {"websockets"},
    "devices/head/faces.py": {"cv2"},
    "drive/sdk.py": {"scservo_sdk", "dynamixel_sdk", "serial"},
    "motion/timing/optimal.py": {"toppra"},
    "motion/timing/smooth.py": {"ruckig"},
    "dynamics/simulation/run_files.py": {"mcap"},
    "kinematics/collisions/divide.py": {"coacd"},
    "dynamics/engines/mujoco/mjcf.py": {"mujoco"},
    "formats/drawing/canvas.py": {"matplotlib"},
    "formats/robots/read/mjcf_reader/mjcf.py": {"mujoco"},
    "formats/robots/read/urdf_reader/xacro_run.py": {"xacro"},
    "formats/workshop/dxf.py": {"ezdxf"},
    "formats/workshop/solid/mesh.py": {"manifold3d"},
    "formats/workshop/step.py": {"build123d"},
    "workspace/runs/layout.py": {"zarr"},
    "world/agents/fmu_runner.py": {"fmpy"},
    "world/agents/fmu_program.py": {"fmpy"},
    "live/notebook.py": {"anywidget", "traitlets"},
    "world/log/mcap_log.py": {"mcap"},
    "world/log/read.py": {"mcap"},
    "world/log/player.py": {"mcap"},
}
"""Modules that import an optional package, and say what to install where it is missing."""
C_HEADERS = {"float.h", "math.h", "stdint.h", "string.h"}
# What would need a C++ library, memory or a system that a page does not have.
NOT_IN_KERNELS = re.compile(
    r"\bstd::|\bthrow\b|\btry\b|\bnew\b|\bmalloc\b|\bstatic\s+(?!constexpr)"
)


def test_rooms_import_downward_only() -> None:
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    command = "from importlinter.cli import lint_imports_command as c; c(['--no-cache'])"
    done = subprocess.run(
        [sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def packages_imported(file: Path) -> list[tuple[int, str]]:
    """Line and package of every import in a Python file."""
    found = []
    nodes: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    for node in nodes:
        if not isinstance(node, ast.expr):  # most nodes are within expressions: no import is
            nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name.partition(".")[0]) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.lineno, (node.module or ".").partition(".")[0]))
    return found


def test_sources_import_few_packages() -> None:
    """NumPy and PyYAML everywhere; the studio's server and optional extras alone need more."""
    everywhere = THIRD_PARTY | sys.stdlib_module_names | {"kinegen", "__future__"}
    refused = []
    for file in SOURCES:
        name = file.relative_to(ROOT / "src" / "kinegen")
        allowed = everywhere | EXTRAS.get(name.as_posix(), set())
        if name.parts[0] in ("studio", "live"):
            allowed |= STUDIO
        if name.parts[0] == "gym":
            allowed |= {"gymnasium"}
        imports = packages_imported(file)
        refused += [f"{name}:{line}: {one}" for line, one in imports if one not in allowed]
    assert refused == []


def test_kernels_are_pure() -> None:
    refused = []
    for file in KERNELS:
        code = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
        headers = set(re.findall(r"#include\s*<([^>]+)>", code)) - C_HEADERS
        refused += [f"{file.name}: <{header}>" for header in headers]
        for header in re.findall(r'#include\s*"([^"]+)"', code):
            if not header.startswith("kernel/") or not (ROOT / "native" / header).is_file():
                refused.append(f"{file.name}: {header} is not a kernel")
        refused += [f"{file.name}: {found}" for found in NOT_IN_KERNELS.findall(code)]
    assert refused == []


def test_the_page_about_the_architecture_names_every_room() -> None:
    page = ROOT / "docs" / "architecture.md"
    if not page.is_file():
        pytest.skip("the documentation is not here")
    # of two tables the second lists the rooms of large packages
    rows = dict(re.findall(r"^\| `([\w/]+)/` \| (.*) \|$", page.read_text("utf-8"), re.MULTILINE))
    package = ROOT / "src" / "kinegen"
    rooms = {
        folder.relative_to(package)
        for folder in {file.parent for file in package.rglob("*.py")}
        if len(folder.relative_to(package).parts) in (1, 2) and folder.name != "client"
    }
    absent = [
        str(room)
        for room in sorted(rooms)
        if room.parts[0] not in rows
        or (
            len(room.parts) == 2
            and room.parts[0] != "kernels"  # test_kernel_rooms.py checks these
            and not re.search(rf"\b{room.parts[1]}\b", rows[room.parts[0]])
        )
    ]
    assert absent == []
