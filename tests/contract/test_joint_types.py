"""Joint types are known in one table: what others know is generated, or asked of it."""

from __future__ import annotations

import re
from pathlib import Path

from kinegen.joint_types import JointType

ROOT = Path(__file__).parents[2]
NAMING = {
    "joint_types.py": "the table",
    "mechanism/shapes/joint.py": "how each looks",
    "mechanism/build.py": "makes fixed joints",
    "mechanism/build_rows.py": "how the point of a guide turns",
    "mechanism/couplings/guides.py": "makes the joints that a guide stands for",
    "dynamics/contact/objects.py": "makes free joints",
    "raff/sections/joint.py": "the default, and the keys of a free joint",
    "formats/mechanisms/dh_rows.py": "the types that the format has",
    "formats/mechanisms/par_frames.py": "the types that the format has",
    "formats/mechanisms/symoro.py": "makes fixed and free joints",
    "dynamics/tree/cut_couplings.py": "welds the joints that close loops to parts of links",
    "mechanism/compiling/compile.py": "what stands for a coupling has no variables",
}
"""Modules that may name a joint type, and why; all others ask for its traits."""
PAGE = {"shapes/joint.ts": "how each looks", "kernel/joint-types.ts": "the table"}
"""Files of the page that may."""
WORDS = "|".join(kind.value for kind in JointType)
COMPARED = re.compile(rf"type\w* [!=]== \"({WORDS})\"|Set\(\[\"({WORDS})\"")


def test_only_few_modules_name_a_joint_type() -> None:
    home = ROOT / "src" / "kinegen"
    found = {
        file.relative_to(home).as_posix()
        for file in home.rglob("*.py")
        if re.search(r"\bJointType\.[A-Z]", file.read_text(encoding="utf-8"))
    }
    assert found == NAMING.keys(), "ask JointType.info for a trait instead"


def test_the_page_asks_for_traits() -> None:
    home = ROOT / "web" / "src"
    files = [file for end in ("*.ts", "*.svelte") for file in home.rglob(end)]
    found = {
        file.relative_to(home).as_posix()
        for file in files
        if COMPARED.search(file.read_text(encoding="utf-8"))
    }
    assert found <= PAGE.keys(), "ask traitsOf(type) of kernel/joint-types.ts instead"
