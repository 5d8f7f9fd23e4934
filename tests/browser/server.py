"""A studio server as a process of its own, as `kinegen studio` starts it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit


class RunningServer:
    """Runs while the block lasts; it can be killed and started again where it was."""

    def __init__(self, folder: Path, state: Path, *arguments: str, packages: str = "") -> None:
        self.folder = folder
        self.state = state
        self.address = ""
        self._arguments = arguments
        self._env = {**os.environ, "KINEGEN_STATE": str(state), "PYTHONUNBUFFERED": "1"}
        if packages:
            paths = (packages, os.environ.get("PYTHONPATH"))
            self._env["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> RunningServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._ended()

    def start(self, *more: str) -> None:
        """Start it, at the same port as before if it ran before."""
        port = str(urlsplit(self.address).port or 0)
        self._process = subprocess.Popen(
            [
                sys.executable, "-m", "kinegen", "studio", "--no-browser", "--port", port,
                "--folder", str(self.folder), *self._arguments, *more,
            ],
            env=self._env,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
        )  # fmt: skip
        said = ""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said += line
            found = re.search(r"https?://\S+", line)
            if found:
                self.address = found[0]
                return
        raise AssertionError(f"the server did not start:\n{said}")

    def kill(self) -> None:
        """End it as `kill -9` does: it can do nothing more."""
        assert self._process is not None
        self._process.kill()
        self._ended()

    def _ended(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        self._process.wait(timeout=20)
        self._process.stdout.close()
        self._process = None
