"""One studio for all tests of programs in sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import kinegen as kg
from tests.support.live import FakePage, StudioThread

Pair = tuple[FakePage, kg.live.View]


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioThread]:
    with StudioThread(tmp_path_factory.mktemp("live")) as served:
        yield served


@pytest.fixture
def views() -> Iterator[Callable[[kg.live.View], kg.live.View]]:
    """Closes the views that it is given."""
    made: list[kg.live.View] = []

    def keep(view: kg.live.View) -> kg.live.View:
        made.append(view)
        return view

    yield keep
    for view in made:
        view.close()


@pytest.fixture
def pair(served: StudioThread) -> Iterator[Pair]:
    """A page in a session of its own, and a program in it."""
    page = served.page(open="four-bar")
    with kg.connect(served.link, session=page.session, name="test.py") as view:
        yield page, view
    page.leave()
