from __future__ import annotations

import subprocess
import sys


def test_without_gymnasium_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import kinegen.gym"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode and "pip install 'kinegen[gym]'" in done.stderr.splitlines()[-1]
