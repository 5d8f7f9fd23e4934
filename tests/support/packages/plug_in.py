"""A package of somebody else's with plug-ins, installed into a folder for other processes."""

from __future__ import annotations

from pathlib import Path

MODULE = r"""
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.formats.format import Format
from kinegen.mechanism.load import load_raff

class SteadyEngine(ReducedEngine):
    name, title, note = "steady", "Steady", "An engine of somebody else's."

def read(text, *, file, values, options, opener=None):
    rows = "".join(f"  - {{name: {name}, parent: base}}\n" for name in text.split())
    return load_raff(f"raff: 1\nname: theirs\njoints:\n{rows}")

LIST = Format("list", "Names of joints, in a list", (".list",), read)
"""
ENTRIES = """
[kinegen.engines]
steady = somebody_else:SteadyEngine
[kinegen.formats]
list = somebody_else:LIST
"""


def install_plug_ins(folder: Path) -> Path:
    """Install the package; who has the folder in PYTHONPATH finds its plug-ins."""
    (folder / "somebody_else.py").write_text(MODULE, encoding="utf-8")
    info = folder / "somebody_else-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: somebody-else\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    return folder
