"""Core: what both forms of a view are made of: the link, the session, items and listeners."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import secrets
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from kinegen.errors import LinkError, UsageError
from kinegen.kernels import Floats
from kinegen.live.address import Address
from kinegen.live.callbacks import Callback, Callbacks
from kinegen.live.link import OPENING, Link
from kinegen.live.shared import GivenPose, Shared
from kinegen.spatial.pose import SE3
from kinegen.studio.session.people import checked_pose
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.codec import WireError, kinds_of
from kinegen.studio.wire.frames import pack_pose
from kinegen.studio.wire.message import Pose
from kinegen.studio.wire.typescript import schema_hash

__all__ = ["Core", "Drag", "Edit", "program_name"]

_LOG = logging.getLogger("kinegen.live")
T = TypeVar("T")
_TAKEN = kinds_of(
    wire.Welcome, wire.Snapshot, wire.Watchers, wire.Hand, wire.ItemInput, wire.Simulation,
    wire.Played, wire.Refused, wire.Notice,
)  # fmt: skip
"""The messages that a program wants."""
MOST_ITEMS = 2000
"""Of one program, as the studio allows."""


@dataclass(frozen=True, slots=True)
class Drag:
    """A moment of a drag: a person moves the mechanism in a page."""

    phase: Literal["start", "move", "end"]
    q: Floats = field(repr=False)
    """Configuration at that moment, (nq,)."""
    frames: tuple[str, ...]
    """Frames and links that are held; none for a slider or a device."""

    @property
    def frame(self) -> str | None:
        """The first of them."""
        return self.frames[0] if self.frames else None


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of the mechanism by another program or person."""

    text: str = field(repr=False)
    """The RAFF text as it is now."""
    version: int
    problems: tuple[str, ...]
    """What is wrong with it, if anything."""


def program_name() -> str:
    """What a program is called where it gives no name: its file, or the notebook."""
    main = sys.modules.get("__main__")
    file = getattr(main, "__file__", None) or sys.argv[0]
    if "ipykernel" in sys.modules and "ipykernel" in str(file):
        return "notebook"
    return Path(file).name[:200] if file and file != "-c" else "Python"


class Core:
    """A program in a session. All methods may be called from any thread.

    Args:
        address: The studio.
        name: What the page calls the program.
        session: The session to join; None: the one that was used last.
        begins: Whether a session of its own is wanted.
        folder: Where the files are that the text includes.
        patience: [s] How long a lost connection is tried again.
        fingerprint: Of the studio's certificate.
        loop: Where coroutine functions run that listen.
    """

    def __init__(
        self,
        address: Address,
        *,
        name: str | None = None,
        session: str | None = None,
        begins: bool = False,
        folder: str | os.PathLike[str] | None = None,
        patience: float = 30.0,
        fingerprint: str | None = None,
        loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self.name = name or program_name()
        self._hello = wire.ProgramHello(self.name[:200], secrets.token_urlsafe(12))
        self.shared = Shared(folder)
        self.callbacks = Callbacks(f"kinegen callbacks of {self.name}", loop)
        self.welcome: wire.Welcome
        self.pages = -1
        """Pages that are open in the session; -1: not known yet."""
        self.hand: tuple[str, ...] | None = None
        """What a person holds now; None where nobody moves it."""
        self._after_hand: Floats | None = None
        """What was written while a person held it."""
        self._simulation = "off"
        self._items: dict[str, Callable[[], wire.Item]] = {}
        self._inputs: dict[str, weakref.WeakMethod[Callable[[Any], None]]] = {}
        self._names = itertools.count(1)
        self._listeners: dict[str, list[Callback]] = {"drag": [], "edit": []}
        self._news = threading.Condition()
        self._drags: list[tuple[str, Future[Drag]]] = []
        self._sequence = itertools.count(1)
        self._endings: list[Callable[[], None]] = []
        self._plays = 0
        self._opened = begins
        self.link = Link(
            address,
            self._greeting,
            kinds=_TAKEN,
            message=self._take,
            pose=self._take_pose,
            changed=self._link_changed,
            patience=patience,
            fingerprint=fingerprint,
        )
        if session is not None:
            self.link.session = session
        self.link.open()
        self.wait_until(
            lambda: self.shared.version > 0 and self.pages >= 0, OPENING, "the mechanism"
        )

    def _greeting(self, session: str | None, secret: str | None) -> wire.Hello:
        begins = "" if self._opened and session is None else None
        return wire.Hello(schema_hash(), session, secret, open=begins, program=self._hello)

    def on_close(self, function: Callable[[], None]) -> None:
        """Have something done when the view is closed."""
        self._endings.append(function)

    def close(self) -> None:
        """Leave the session; the studio and its pages stay, with what the program showed."""
        self.callbacks.close()
        while self._endings:
            self._endings.pop()()
        self.link.close()
        with self._news:
            self._news.notify_all()

    # Waiting

    def wait_until(self, test: Callable[[], bool], timeout: float | None, what: str) -> None:
        """Wait until something is so, looked at after every message."""
        with self._news:
            if not self._news.wait_for(lambda: test() or self.link.state == "closed", timeout):
                raise LinkError(f"{self.link.address.place} did not send {what} in {timeout:g} s")
        if not test():
            self.link.check()

    def ask(self, make: Callable[[int], wire.Message], read: Callable[[object], T]) -> Future[T]:
        """Ask the studio; ``read`` gets the result as JSON."""
        self.writable()
        return self.link.request(make, read)

    @property
    def page(self) -> str:
        """The link to the session, for browsers and other programs."""
        return self.link.address.to_session(str(self.link.session), self.welcome.secret)

    # Poses

    @property
    def is_read_only(self) -> bool:
        """Whether the link only lets it watch."""
        return self.welcome.read_only

    def writable(self) -> None:
        """UsageError where the program may only watch."""
        if self.is_read_only:
            raise UsageError("this link is view-only; use the link that 'kinegen studio' prints")

    def write(self, given: GivenPose) -> None:
        """Move the mechanism."""
        self.link.check()
        self.writable()
        if self._simulation in ("starting", "running"):
            raise UsageError(
                "a simulation is running in the page, which moves the mechanism; stop it to set q"
            )
        q = self.shared.closed(given)
        # one's own writes can be read at once, unless a hand has the mechanism
        if self.hand is None:
            self.shared.show(q)
        else:
            self._after_hand = q
        self.link.send_pose(pack_pose(next(self._sequence), self.shared.version, q))

    # The viewer of a wall

    def head(self, head: SE3 | None, source: str) -> None:
        """Put the viewer's head of the session's wall somewhere in its room; None: release it."""
        self.link.check()
        self.writable()
        if self.shared.wall is None:
            raise UsageError(
                f"'{self.shared.name}' has no wall of screens; set one up in View › Wall… of the "
                "page, or as the section 'wall' of its file"
            )
        pose: Pose | None = None
        if head is not None:
            w, x, y, z, px, py, pz = map(float, head.pose)
            try:
                pose = checked_pose((w, x, y, z, px, py, pz), "head")
            except WireError as error:
                raise UsageError(str(error)) from None
        self.link.put_latest("head", lambda: wire.HeadPose(pose, source[:40]))

    # Items

    def new_name(self, kind: str) -> str:
        """A name for an item that is given none."""
        return f"{kind}-{next(self._names)}"

    def show(self, name: str, make: Callable[[], wire.Item], *, apart: float | None = None) -> None:
        """Show an item, or what has become of it."""
        self.writable()
        self.link.check()
        if name not in self._items and len(self._items) >= MOST_ITEMS:
            raise UsageError(f"a program shows at most {MOST_ITEMS} items; remove some")
        self._items[name] = make
        self._put(name, apart)

    def _put(self, name: str, apart: float | None = None) -> None:
        make = self._items[name]
        more = {} if apart is None else {"apart": apart}
        self.link.put_latest(f"item/{name}", lambda: wire.ShowItem(name, make()), **more)

    def hide(self, name: str) -> None:
        """Show an item no longer."""
        if self._items.pop(name, None) is not None and self.link.state != "closed":
            self.link.put_latest(f"item/{name}", lambda: wire.HideItem(name))
        self._inputs.pop(name, None)

    def shows(self, name: str) -> bool:
        """Whether an item of that name is shown."""
        return name in self._items

    def drawn(self) -> list[wire.ItemShown]:
        """What it shows, for pages without a connection."""
        return [wire.ItemShown(0, name, make()) for name, make in list(self._items.items())]

    def listen(self, name: str, method: Callable[[Any], None]) -> None:
        """Have a control's method called when somebody uses it."""
        self._inputs[name] = weakref.WeakMethod(method)

    @property
    def item_names(self) -> list[str]:
        """Of what it shows."""
        return list(self._items)

    # Listeners

    def on(self, what: str, function: Callback) -> Callback:
        """Have a function called whenever something happens; the function itself."""
        self._listeners[what].append(self.callbacks.check(function))
        return function

    def next_drag(self, phase: str) -> Future[Drag]:
        """The next drag that begins, moves or ends."""
        future: Future[Drag] = Future()
        with self._news:
            self._drags.append((phase, future))
        return future

    # What comes: all in the reader's thread

    def _take(self, message: wire.Message) -> None:
        match message:
            case wire.Welcome():
                self.welcome = message
                # a hand that let go while the connection was lost is not reported
                self.hand = None
            case wire.Snapshot():
                is_other = self.shared.take_snapshot(message)
                if is_other and message.author != self.welcome.client:
                    problems = tuple(map(str, self.shared.problems))
                    edit = Edit(self.shared.text, self.shared.version, problems)
                    for function in self._listeners["edit"]:
                        self.callbacks.call(function, edit)
            case wire.Watchers(count=count):
                self.pages = count
            case wire.Hand(active=active, sites=sites):
                self._take_hand(active, tuple(sites))
            case wire.ItemInput(item=item, value=value):
                reference = self._inputs.get(item)
                method = reference() if reference is not None else None
                if method is not None:
                    method(value)
            case wire.Simulation(phase=phase):
                self._simulation = phase
            case wire.Played():
                self._plays += 1
            case wire.Refused(message=words):
                _LOG.error("the studio rejected what the program sent: %s", words)
            case wire.Notice(level=level, message=words) if level != "info":
                _LOG.warning("%s", words)
        with self._news:
            self._news.notify_all()

    def _take_pose(self, version: int, q: Floats) -> None:
        if self.shared.take_pose(version, q) and self.hand is not None:
            self._dragged("move", self.hand)
        with self._news:
            self._news.notify_all()

    def _take_hand(self, active: bool, frames: tuple[str, ...]) -> None:
        before, self.hand = self.hand, frames if active else None
        if active:
            self._dragged("start" if before is None else "move", frames)
        elif before is not None:
            self._dragged("end", before)
            written, self._after_hand = self._after_hand, None
            if written is not None:
                self.shared.show(written)

    def _dragged(self, phase: Literal["start", "move", "end"], frames: tuple[str, ...]) -> None:
        drag = Drag(phase, self.shared.q, frames)
        for function in self._listeners["drag"]:
            self.callbacks.call(function, drag, key="move" if phase == "move" else None)
        with self._news:
            due = [one for one in self._drags if one[0] == phase]
            self._drags = [one for one in self._drags if one[0] != phase]
        for _, future in due:
            if future.set_running_or_notify_cancel():
                future.set_result(drag)

    def _link_changed(self, state: str) -> None:
        if state == "open":
            for name in list(self._items):
                self._put(name)
        elif state == "closed":
            with self._news:
                drags, self._drags = self._drags, []
            for _, future in drags:
                if future.set_running_or_notify_cancel():
                    future.set_exception(LinkError(f"the link is closed: {self.link.reason}"))
        with self._news:
            self._news.notify_all()

    @property
    def plays(self) -> int:
        """How many motions have been played to their end."""
        return self._plays
