"""What crosses between page, studio and processes has types of its own."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
UNTYPED = re.compile(r"(?:dict|Mapping)\[str, Any\]")
LEFT = {
    # questions without classes of their own yet: they go as these are made
    *(f"jobs/{name}.py" for name in (
        "analyses", "answers", "arguments", "body", "cloud", "curves", "path", "path_goal", "zone",
    )),
    "wire/messages/work.py",
    # what only the grammar of RAFF files knows more about
    "wire/model_data.py", "wire/scene_data.py",
}  # fmt: skip


def test_the_studio_has_no_mappings_of_anything() -> None:
    studio = ROOT / "src/kinegen/studio"
    found = {
        path.relative_to(studio).as_posix()
        for path in studio.rglob("*.py")
        if UNTYPED.search(path.read_text(encoding="utf-8"))
    }
    assert found == LEFT, "what is typed by now leaves the list too"
