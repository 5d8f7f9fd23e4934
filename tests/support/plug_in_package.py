"""A package of somebody else's with plug-ins, installed into a folder for other processes."""

from __future__ import annotations

from pathlib import Path

MODULE = """
from kinegen.dynamics.engines.reduced.engine import ReducedEngine

class SteadyEngine(ReducedEngine):
    name, title, note = "steady", "Steady", "An engine of somebody else's."
"""
ENTRIES = """
[kinegen.engines]
steady = somebody_else:SteadyEngine
"""


def install_plug_ins(folder: Path) -> Path:
    """Install the package; who has the folder in PYTHONPATH finds its plug-ins."""
    (folder / "somebody_else.py").write_text(MODULE, encoding="utf-8")
    info = folder / "somebody_else-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: somebody-else\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    return folder
