"""Gives every Python process the kernels of ``make sanitize``: that target names this folder."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType


class _Sanitized(MetaPathFinder):
    """Finds the compiled kernels in the folder that KINEGEN_SANITIZED names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "kinegen.kernels._native":
            return None
        (file,) = Path(os.environ["KINEGEN_SANITIZED"]).glob("_native.*")
        return importlib.util.spec_from_file_location(fullname, file)


sys.meta_path.insert(0, _Sanitized())
