"""The page and the device of the tests of the headset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.headset.device import IWER, Headset
from tests.browser.studio import HANG, Studio

WINDOW = {"width": 480, "height": 240}


@pytest.fixture(scope="session", autouse=True)
def emulator() -> None:
    """Without the emulator there is no headset."""
    if not IWER.is_file():
        pytest.skip("'npm ci' in web/ installs the emulator")


@pytest.fixture(scope="module")
def page(browser: Any, address: str) -> Iterator[Studio]:
    """One small page with a device, for all tests of a module."""
    context = browser.new_context(viewport=WINDOW)
    context.set_default_timeout(1000 * HANG)
    tab = context.new_page()
    Headset.install(tab)
    studio = Studio(tab, address)
    studio.open("five-bar")
    yield studio
    context.close()


@pytest.fixture
def headset(page: Studio) -> Iterator[Headset]:
    """The device, taken off again and put back after each test; the page may log no error."""
    page.errors.clear()
    made = Headset(page)
    yield made
    made.let_go()
    made.value("(d.primaryInputMode = 'controller', d.hands.right.poseId = 'default', 0)")
    if page.value("window.kinegen.headset.visit !== null"):
        made.leave()
    made.value("(d.position.set(0, 1.6, 0), d.quaternion.set(0, 0, 0, 1), 0)")
    assert page.errors == []
