"""A real Chromium against a real server."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.server import RunningServer
from tests.browser.studio import HANG, Studio
from tests.support.packages.plug_in import install_plug_ins

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
# Panels are painted and put together without it: Chromium does that itself in half the time.
FLAGS = [
    "--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--disable-gpu-rasterization",
    "--disable-gpu-compositing", "--no-sandbox",
]  # fmt: skip
WINDOW = {"width": 1280, "height": 720}

Opener = Callable[..., Studio]


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
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """The server of this test process, with a project folder of its own and plug-ins."""
    folder = tmp_path_factory.mktemp("project")
    packages = str(install_plug_ins(tmp_path_factory.mktemp("packages")))
    with RunningServer(folder, tmp_path_factory.mktemp("state"), packages=packages) as server:
        yield server


@pytest.fixture(scope="session")
def address(server: RunningServer) -> str:
    """Where that server listens."""
    return server.address


@pytest.fixture
def folder(server: RunningServer) -> Path:
    """The project folder of that server."""
    return server.folder


@pytest.fixture
def profile(browser: Any) -> Iterator[Callable[..., Any]]:
    """Makes fresh browser profiles; other options are those of `Browser.new_context`."""
    made = []

    def make(**options: Any) -> Any:
        context = browser.new_context(**{"viewport": WINDOW, **options})
        context.set_default_timeout(1000 * HANG)
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()


@pytest.fixture(scope="session")
def common(browser: Any) -> Iterator[Any]:
    """The profile that tests share, one after the other: what it has loaded once, it has."""
    context = browser.new_context(viewport=WINDOW)
    context.set_default_timeout(1000 * HANG)
    context.new_page()  # the tab of `blank`
    yield context
    context.close()


@pytest.fixture
def context(common: Any) -> Iterator[Any]:
    """A browser profile that remembers nothing of earlier tests."""
    yield common
    common.set_offline(False)
    for page in common.pages[1:]:
        page.evaluate("localStorage.clear()")
        page.close()


@pytest.fixture
def pages(address: str, context: Any) -> Iterator[Opener]:
    """Makes pages, in the common profile or a given one; none of them may log an error."""
    made: list[Studio] = []

    def make(within: Any = None, at: str = address) -> Studio:
        made.append(Studio((within or context).new_page(), at))
        return made[-1]

    yield make
    for page in made:
        assert page.errors == []


@pytest.fixture(scope="session")
def tab(common: Any, address: str) -> Studio:
    """The tab that most tests use, one after the other: a new one takes twice as long to load."""
    return Studio(common.pages[0], address)


@pytest.fixture
def blank(tab: Studio, context: Any) -> Iterator[Studio]:
    """That tab with nothing opened; a test fails when the page logs an error.

    Tests that add scripts or listeners to a tab make one of their own with `pages`.
    """
    tab.errors.clear()
    yield tab
    errors = list(tab.errors)
    context.set_offline(False)
    tab.leave()
    assert errors == []


@pytest.fixture
def studio(blank: Studio) -> Studio:
    """The studio on the five-bar."""
    blank.open("five-bar")
    return blank


@pytest.fixture(scope="module")
def bench(browser: Any, address: str) -> Iterator[Studio]:
    """One page for all tests of a module, small and so fast; it moves on by `load`."""
    context = browser.new_context(viewport={"width": 720, "height": 520})
    context.set_default_timeout(1000 * HANG)
    studio = Studio(context.new_page(), address)
    studio.open("five-bar")
    yield studio
    context.close()
