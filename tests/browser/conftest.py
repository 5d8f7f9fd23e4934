"""A real Chromium against a real server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.studio import Studio

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

BROWSER = next(
    filter(
        None,
        (
            shutil.which(name)
            for name in (
                os.environ.get("KINEGEN_BROWSER", ""), "chromium", "chromium-browser",
                "google-chrome",
            )
            if name
        ),
    ),
    None,
)  # fmt: skip
# Mesa's renderer: twice as fast as Chromium's own, and it draws lines that cross the near plane.
FLAGS = ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--no-sandbox"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium per test process."""
    if BROWSER is None:
        pytest.skip("no Chromium here: 'sudo apt-get install chromium', or set KINEGEN_BROWSER")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a server of this test process listens."""
    folder = tmp_path_factory.mktemp("project")
    state = tmp_path_factory.mktemp("state")
    with RunningServer(folder, state) as address:
        yield address


class RunningServer:
    """A studio server as a process of its own, as `kinegen studio` starts it."""

    def __init__(self, folder: Path, state: Path, *arguments: str) -> None:
        self._command = [
            sys.executable, "-m", "kinegen", "studio", "--no-browser", "--port", "0",
            "--folder", str(folder), *arguments,
        ]  # fmt: skip
        self._environment = {**os.environ, "KINEGEN_STATE": str(state), "PYTHONUNBUFFERED": "1"}

    def __enter__(self) -> str:
        self.process = subprocess.Popen(
            self._command, env=self._environment, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, encoding="utf-8",
        )  # fmt: skip
        said = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            said += line
            found = re.search(r"https?://[\w.:\[\]-]+/?", line)
            if found:
                return found[0].rstrip("/")
        raise AssertionError(f"the server did not start:\n{said}")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    """A fresh browser profile."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    context.set_default_timeout(30_000)
    yield context
    context.close()


@pytest.fixture
def studio(context: Any, address: str) -> Iterator[Studio]:
    """The studio on the five-bar; a test fails when the page logs an error."""
    studio = Studio(context.new_page(), address)
    studio.open("five-bar")
    yield studio
    assert studio.errors == []
