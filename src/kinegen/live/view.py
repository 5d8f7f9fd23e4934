"""View: a program's hold on a session; its methods wait until the studio has answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from concurrent.futures import Future, TimeoutError
from typing import Any, TypeVar

import numpy.typing as npt

from kinegen.errors import LinkError
from kinegen.live.core import Core, Drag
from kinegen.live.motions import motion_data
from kinegen.live.requests import Requests
from kinegen.live.showing import Showing
from kinegen.live.start import page_link
from kinegen.studio.server.serve import open_browser

__all__ = ["SharedParameters", "View"]

ANSWER = 60.0
"""[s] Within which a studio answers: large texts take some seconds."""
T = TypeVar("T")


class View(Showing):
    """A program's view of a session, as :func:`kinegen.show` and :func:`kinegen.connect` give it.

    All methods may be called from any thread, callbacks included. As a context manager it is closed
    at the end of the block.
    """

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self._requests = Requests(core)
        self.parameters = SharedParameters(core, self._requests)
        """The mechanism's parameters by name [SI]; setting one changes the text."""

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the session. The page stays open, with what the program showed and a notice."""
        self._core.close()

    @property
    def text(self) -> str:
        """The RAFF text of the mechanism; setting it changes the mechanism, as one step of undo.

        A text with problems raises RaffError; the page shows the problems, and keeps the last
        mechanism that could be read.
        """
        return self._core.shared.text

    @text.setter
    def text(self, text: str) -> None:
        _result(self._requests.set_text(text))

    def undo(self) -> None:
        """Take back the last step of the session, whoever made it."""
        _result(self._requests.undo())

    def redo(self) -> None:
        """Do again what was taken back."""
        _result(self._requests.redo())

    def save(self, file: str) -> None:
        """Write the text to a file of the studio's project folder."""
        _result(self._requests.save(file))

    def play(
        self,
        motion: Any,
        *,
        times: npt.ArrayLike | None = None,
        rate: float = 1.0,
        loop: bool = False,
        wait: bool = False,
    ) -> None:
        """Play a motion in the page, where people can stop it, look at any moment and repeat it.

        Args:
            motion: A recording, a simulated run, a path, or configurations (n, nq).
            times: For configurations: when each is passed [s]; None: 60 a second.
            rate: Times its own speed.
            loop: Whether it begins again at its end.
            wait: Whether to wait until it has been played or was stopped.
        """
        before = self._core.plays
        _result(self._requests.play(motion_data(self._core.shared, motion, times), rate, loop))
        if wait:
            self._core.wait_until(lambda: self._core.plays > before, None, "the end of the motion")

    def screenshot(self, width: int = 0, height: int = 0) -> bytes:
        """A picture of the view of the page that was used last, as PNG.

        Args:
            width: [px]; 0 for both: as the page shows it.
            height: [px]

        Raises:
            RefusedError: No page is open, or it sends no picture.
        """
        self._core.link.flush()
        return _result(self._requests.screenshot(width, height))

    def wait_for_drag(self, timeout: float | None = None) -> Drag:
        """Wait until a person has dragged the mechanism and let go; where it is then.

        Raises:
            TimeoutError: Nobody did within the time [s].
        """
        future = self._core.next_drag("end")
        try:
            return future.result(timeout)
        except TimeoutError:
            future.cancel()
            raise TimeoutError(f"nobody dragged the mechanism within {timeout:g} s") from None

    def wait_for_page(self, timeout: float | None = 60.0) -> None:
        """Wait until a page shows the session."""
        self._core.wait_until(lambda: self._core.pages > 0, timeout, "news of a page")

    def open_page(self) -> None:
        """Open the session in the browser."""
        open_browser(page_link(self._core, self._requests))

    def flush(self) -> None:
        """Wait until everything that was written so far is on its way to the studio."""
        self._core.link.flush()


class SharedParameters(MutableMapping[str, float]):
    """Parameters of the mechanism in a session, by name [SI]."""

    def __init__(self, core: Core, requests: Requests) -> None:
        self._core = core
        self._requests = requests

    def __getitem__(self, name: str) -> float:
        """The value as it is now."""
        values = self._core.shared.parameters
        if name not in values:
            self._requests.set_parameters({name: 0.0})  # which says what was probably meant
        return values[name]

    def __setitem__(self, name: str, value: float | str) -> None:
        """Change one in the text: a number [SI] or a formula."""
        _result(self._requests.set_parameters({name: value}))

    def __delitem__(self, name: str) -> None:
        """Parameters are removed in the text."""
        raise TypeError("a parameter is removed from the text: view.text = …")

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.shared.parameters)

    def __len__(self) -> int:
        return len(self._core.shared.parameters)

    def __repr__(self) -> str:
        return repr(self._core.shared.parameters)

    def set(self, values: Mapping[str, float | str]) -> None:
        """Change several at once, as one step of undo."""
        _result(self._requests.set_parameters(values))


def _result(future: Future[T]) -> T:
    """The answer of a studio."""
    try:
        return future.result(ANSWER)
    except TimeoutError:
        future.cancel()
        raise LinkError(f"the studio did not answer within {ANSWER:g} s") from None
