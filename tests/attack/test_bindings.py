"""The border of the compiled kernels: absurd arguments end in a result or an exception.

``make fuzz`` runs the same for longer, and ``make sanitize`` with checks for reads out of bounds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kinegen.kernels import name as backend_name
from tests.support.packaging import ROOT

FUZZER = ROOT / "bench" / "fuzz_bindings.py"
COUNT = 100_000 if os.environ.get("KINEGEN_ATTACK") == "long" else 1_500


@pytest.mark.skipif(backend_name() != "native", reason="the kernels are not compiled")
@pytest.mark.skipif(not FUZZER.is_file(), reason="the sources are not here")
@pytest.mark.skipif(sys.platform == "win32", reason="there is no alarm to interrupt long calls")
def test_absurd_arguments(tmp_path: Path) -> None:
    log = tmp_path / "last-call.txt"
    done = subprocess.run(
        [sys.executable, str(FUZZER), str(COUNT), "7"],
        capture_output=True, text=True, encoding="utf-8", errors="replace", check=False,
        env={**os.environ, "KINEGEN_FUZZ_LOG": str(log)},
    )  # fmt: skip
    last = log.read_text(encoding="utf-8") if log.exists() else ""
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\nlast call: {last}"
