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
from kinegen.live.start import open_page

__all__ = ["SharedParameters", "View"]

ANSWER = 60.0
"""[s] Within which a studio answers: large texts take some seconds."""
T = TypeVar("T")


class View(Showing):
    """A program's view of a session, created by :func:`kinegen.show` or :func:`kinegen.connect`.

    All methods may be called from any thread, callbacks included. As a context manager it is closed
    at the end of the block.
    """

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self._requests = Requests(core)
        self._parameters = SharedParameters(core, self._requests)

    @property
    def parameters(self) -> SharedParameters:
        """The mechanism's parameters by name [SI]; setting one changes the text."""
        return self._parameters

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the session. The page stays open, with the program's items and a notice."""
        self._core.close()

    @property
    def text(self) -> str:
        """The RAFF text of the mechanism; setting it changes the mechanism, as one undo step.

        A text with problems raises RaffError; the page shows the problems and keeps the last valid
        mechanism.
        """
        return self._core.shared.text

    @text.setter
    def text(self, text: str) -> None:
        _result(self._requests.set_text(text))

    def undo(self) -> None:
        """Undo the last step of the session, no matter who made it."""
        _result(self._requests.undo())

    def redo(self) -> None:
        """Redo the last step that was undone."""
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
        """Play a motion in the page, where people can pause, scrub and repeat it.

        Args:
            motion: A recording, a simulated run, a path, or configurations (n, nq).
            times: For configurations: the time of each one [s]; None: 60 per second.
            rate: Speed factor.
            loop: Whether to repeat it.
            wait: Whether to wait until the motion has ended or was stopped.
        """
        before = self._core.plays
        _result(self._requests.play(motion_data(self._core.shared, motion, times), rate, loop))
        if wait:
            self._core.wait_until(lambda: self._core.plays > before, None, "the end of the motion")

    def screenshot(self, width: int = 0, height: int = 0) -> bytes:
        """A picture of the page that was used last, as PNG.

        Args:
            width: [px]; 0 for both: the size in the page.
            height: [px]

        Raises:
            RefusedError: No page is open, or the page sends no picture.
        """
        self._core.link.flush()
        return _result(self._requests.screenshot(width, height))

    def wait_for_drag(self, timeout: float | None = None) -> Drag:
        """Wait until a person has dragged the mechanism and released it; returns the final state.

        Raises:
            TimeoutError: The mechanism was not dragged within the timeout [s].
        """
        future = self._core.next_drag("end")
        try:
            return future.result(timeout)
        except TimeoutError:
            future.cancel()
            raise TimeoutError(f"the mechanism was not dragged within {timeout:g} s") from None

    def wait_for_page(self, timeout: float | None = 60.0) -> None:
        """Wait until a page shows the session."""
        self._core.wait_until(lambda: self._core.pages > 0, timeout, "news of a page")

    def open_page(self) -> None:
        """Open the session in the browser."""
        open_page(self._core, self._requests)

    def flush(self) -> None:
        """Wait until everything that was written so far has been sent to the studio."""
        self._core.link.flush()


class SharedParameters(MutableMapping[str, float]):
    """Parameters of the mechanism in a session, by name [SI]."""

    def __init__(self, core: Core, requests: Requests) -> None:
        self._core = core
        self._requests = requests

    def __getitem__(self, name: str) -> float:
        """The current value."""
        values = self._core.shared.parameters
        if name not in values:
            self._requests.set_parameters({name: 0.0})  # which says what was probably meant
        return values[name]

    def __setitem__(self, name: str, value: float | str) -> None:
        """Change one parameter in the text: a number [SI] or a formula."""
        _result(self._requests.set_parameters({name: value}))

    def __delitem__(self, name: str) -> None:
        """An error: parameters are removed in the text."""
        raise TypeError("a parameter is removed from the text: view.text = …")

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.shared.parameters)

    def __len__(self) -> int:
        return len(self._core.shared.parameters)

    def __repr__(self) -> str:
        return repr(self._core.shared.parameters)

    def set(self, values: Mapping[str, float | str]) -> None:
        """Change several parameters at once, as one undo step."""
        _result(self._requests.set_parameters(values))


def _result(future: Future[T]) -> T:
    """The answer of a studio."""
    try:
        return future.result(ANSWER)
    except TimeoutError:
        future.cancel()
        raise LinkError(f"the studio did not answer within {ANSWER:g} s") from None
