"""Write all generated files below a folder: ``python -m kinegen.studio.wire.tables ROOT``."""

from __future__ import annotations

import sys
from pathlib import Path

from kinegen.studio.wire.tables.files import FILES

__all__: list[str] = []


def main() -> None:
    """Write the files below the folder named on the command line."""
    for file, make in FILES.items():
        (Path(sys.argv[1]) / file).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
