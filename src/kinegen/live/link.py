"""Link: one connection to a session of a studio, kept up by two threads of its own."""

from __future__ import annotations

import contextlib
import itertools
import select
import socket as sockets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from kinegen.errors import LinkError, RefusedError
from kinegen.kernels import Floats
from kinegen.live.address import Address
from kinegen.live.secure import wrapped
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.codec import WireError, decode_keys, encode, keys_of, kinds_of
from kinegen.studio.wire.frames import unpack_pose
from kinegen.studio.wire.limits import GONE, NO_SESSION
from kinegen.studio.wire.typescript import schema_hash
from kinegen.version import __version__

__all__ = ["OPENING", "Link"]

POSES = 1 / 250
"""[s] Poses are sent at most this often, the latest of them; four to a picture."""
FIRST_DELAY, LONGEST_DELAY = 0.1, 2.0
"""[s] Between two attempts to connect again."""
OPENING = 60.0
"""[s] Within which a studio answers: one that begins on a busy machine takes longer than ten. Where
nothing listens at all, that is known at once."""

T = TypeVar("T")
_WELCOME = kinds_of(wire.Welcome)


class _Asked(Generic[T]):
    """A request that waits for its answer."""

    def __init__(self, read: Callable[[object], T]) -> None:
        self.future: Future[T] = Future()
        self._read = read

    def answer(self, result: object) -> None:
        """It was carried out."""
        if self.future.set_running_or_notify_cancel():
            try:
                self.future.set_result(self._read(result))
            except BaseException as error:
                self.future.set_exception(error)

    def refuse(self, error: Exception) -> None:
        """It was not."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)


class Link:
    """A client of a session. All methods may be called from any thread.

    Args:
        address: The studio.
        hello: What it is greeted with first; later the session is continued.
        kinds: The messages that are wanted; others are skipped.
        message: Takes every one of them, in the reader's thread; first a welcome.
        pose: Takes version and q of every pose, in the reader's thread.
        changed: Hears when the state has changed; with the welcome when it is open.
        patience: [s] How long it is tried to connect again after the connection was lost.
        fingerprint: SHA-256 of the certificate, as the studio prints it, for TLS; None: the link's.
    """

    def __init__(
        self,
        address: Address,
        hello: Callable[[str | None, str | None], wire.Hello],
        *,
        kinds: Mapping[str, type[wire.Message]],
        message: Callable[[wire.Message], None],
        pose: Callable[[int, Floats], None],
        changed: Callable[[str], None],
        patience: float = 30.0,
        fingerprint: str | None = None,
    ) -> None:
        self.address = address
        self._hello, self._kinds = hello, kinds
        self._message, self._take_pose, self._changed = message, pose, changed
        self._patience = patience
        self.fingerprint = fingerprint or address.fingerprint
        self.state = "lost"
        """'open'; 'lost': it is tried again; 'closed': for good."""
        self.reason = ""
        """Why it is not open."""
        self.session: str | None = address.session
        self._secret: str | None = None
        self._socket: ClientConnection | None = None
        self._sending = threading.Lock()
        self._pose: bytes | None = None
        self._pose_sent = 0.0
        self._pose_expected = False
        """Whether the writer has been woken for a pose and will look again by itself."""
        self._events: deque[str] = deque()
        self._latest: dict[str, tuple[Callable[[], wire.Message], float]] = {}
        """What to send in its latest form, and how far apart at least [s], by key."""
        self._sent: dict[str, float] = {}
        self._wake = threading.Event()
        self._numbers = itertools.count(1)
        self._asked: dict[int, _Asked[Any]] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._threads: list[threading.Thread] = []

    def open(self) -> None:
        """Connect; LinkError says why it does not work."""
        socket = self._connect()
        self._begin(socket)
        for name, work in (("reader", self._read), ("writer", self._write)):
            thread = threading.Thread(target=work, name=f"kinegen live {name}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """End it; what waits is sent first."""
        if self.state == "open":
            with contextlib.suppress(Exception):
                self.flush(2.0)
        self._closing.set()
        socket = self._socket
        self._end("the view was closed")
        if socket is not None:
            with contextlib.suppress(Exception):
                socket.close()
        self._wake.set()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(timeout=5.0)

    def check(self) -> None:
        """LinkError when it was closed for good."""
        if self.state == "closed":
            raise LinkError(self._words())

    # Sending

    def send_pose(self, frame: bytes) -> None:
        """Send a pose: at once after a pause, else within 4 ms unless a newer one comes."""
        self._pose = frame
        if self._sending.acquire(blocking=False):
            # here, in the caller's thread: a busy program would keep another thread waiting
            try:
                self._flush_pose(time.monotonic())
            finally:
                self._sending.release()
        if self._pose is not None and not self._pose_expected:
            # once per pose that has to wait, not once per write: the writer then knows the time
            self._pose_expected = True
            self._wake.set()

    def put_latest(
        self, key: str, make: Callable[[], wire.Message], *, apart: float = POSES
    ) -> None:
        """Send a message in its latest form: one of the same key that waits is replaced."""
        self.check()
        with self._lock:
            self._latest[key] = (make, apart)
        self._wake.set()

    def put(self, message: wire.Message) -> None:
        """Send a message, after those before it."""
        self.check()
        self._events.append(encode(message))
        self._wake.set()

    def request(
        self, make: Callable[[int], wire.Message], read: Callable[[object], T]
    ) -> Future[T]:
        """Ask the studio: the future holds the result, or raises RefusedError with its words.

        Args:
            make: Makes the request of its number.
            read: What the result means, from JSON; called in the reader's thread.
        """
        asked = _Asked(read)
        number = next(self._numbers)
        with self._lock:
            if self.state != "open":
                asked.refuse(LinkError(self._words()))
                return asked.future
            self._asked[number] = asked
        self.put(make(number))
        return asked.future

    def flush(self, timeout: float = 10.0) -> None:
        """Wait until everything that was put is on its way."""
        end = time.monotonic() + timeout
        while self.state == "open" and (self._latest or self._events or self._pose is not None):
            if time.monotonic() > end:
                raise LinkError(f"{self.address.place} is not receiving messages")
            self._wake.set()
            time.sleep(0.001)

    def _flush_pose(self, now: float) -> None:
        """Send the pose if its time has come and nothing is in its way; the lock is held."""
        socket = self._socket
        if socket is None or self._pose is None or now - self._pose_sent < POSES:
            return
        with contextlib.suppress(ConnectionClosed, OSError, ValueError):
            if not select.select((), (socket.socket,), (), 0)[1]:
                return
            self._send_pose(socket)

    def _send_pose(self, socket: ClientConnection) -> None:
        """Send the pose that waits, if any; the lock is held."""
        frame, self._pose = self._pose, None
        if frame is not None:
            self._pose_sent = time.monotonic()
            socket.send(frame)

    def _write(self) -> None:
        """The writer's thread: what waits, when its time has come."""
        pause: float | None = None
        while not self._closing.is_set() and self.state != "closed":
            self._wake.wait(pause)
            self._wake.clear()
            socket = self._socket
            pause = None
            self._pose_expected = False
            if socket is None:
                continue
            with contextlib.suppress(ConnectionClosed, OSError):  # the reader connects again
                pause = self._flush_all(socket)

    def _flush_all(self, socket: ClientConnection) -> float | None:
        """Send what is due; in how long there is more to do, None for nothing."""
        with self._sending:
            # what is shown comes before the requests that may be about it
            while self._events or self._due():
                for make in self._due(take=True):
                    socket.send(encode(make()))
                if self._events:
                    self._send_pose(socket)
                    socket.send(self._events.popleft())
            now = time.monotonic()
            self._flush_pose(now)
            waits = [self._sent.get(key, 0.0) + apart - now for key, (_, apart) in self._kept()]
            # in this order: a pose that is written meanwhile is seen here or wakes the writer
            self._pose_expected = False
            if self._pose is not None:
                self._pose_expected = True
                waits.append(self._pose_sent + POSES - now)
            return max(0.001, min(waits)) if waits else None

    def _kept(self) -> list[tuple[str, tuple[Callable[[], wire.Message], float]]]:
        with self._lock:
            return list(self._latest.items())

    def _due(self, *, take: bool = False) -> list[Callable[[], wire.Message]]:
        now = time.monotonic()
        found = []
        with self._lock:
            for key, (make, apart) in list(self._latest.items()):
                # a request waits for everything that was shown before it
                if now - self._sent.get(key, 0.0) >= apart or self._events:
                    found.append(make)
                    if take:
                        del self._latest[key]
                        self._sent[key] = now
        return found

    # Reading

    def _read(self) -> None:
        """The reader's thread: whatever comes; connects again when it is lost."""
        while not self._closing.is_set():
            socket = self._socket
            assert socket is not None
            try:
                while True:
                    self._take(socket.recv())
            except ConnectionClosed as error:
                code = error.rcvd.code if error.rcvd else 0
                words = (error.rcvd.reason if error.rcvd else "") or "the connection was lost"
            except OSError as error:
                code, words = 0, str(error)
            except WireError as error:
                # of the same version: a defect, which trying again does not mend
                code, words = GONE, f"the studio sent something that cannot be read: {error}"
            if self._closing.is_set():
                return
            if code in (GONE, NO_SESSION):
                self._end(words)
                return
            if not self._reconnect(words):
                return

    def _take(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            with contextlib.suppress(WireError):  # frames of simulations are for pages
                pose = unpack_pose(frame)
                self._take_pose(pose.version, pose.q)
            return
        match keys := keys_of(frame):
            case {"kind": "done", "request": int(number), "result": result}:
                if (asked := self._answered(number)) is not None:
                    asked.answer(result)
            case {"kind": "refused", "request": int(number), "message": str(words)} if number:
                if (asked := self._answered(number)) is not None:
                    asked.refuse(RefusedError(words))
            case {"kind": str(kind)} if kind in self._kinds:
                self._message(decode_keys(keys, self._kinds))

    def _answered(self, number: int) -> _Asked[Any] | None:
        with self._lock:
            return self._asked.pop(number, None)

    # Connecting

    def _connect(self) -> ClientConnection:
        """A connection that has been welcomed."""
        address = self.address
        try:
            plain = sockets.create_connection((address.host, address.port), timeout=OPENING)
        except OSError as error:
            raise LinkError(
                f"there is no studio at {address.place} ({error.strerror or error}); start one "
                "with 'kinegen studio' and use the link that it prints"
            ) from None
        plain.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_NODELAY, 1)
        plain.settimeout(None)
        raw = wrapped(plain, address, self.fingerprint) if address.secure else plain
        try:
            # entered and not left: the reader's thread ends it
            socket = contextlib.ExitStack().enter_context(
                connect(
                    address.socket, sock=raw, compression=None, max_size=None, max_queue=None,
                    open_timeout=OPENING, proxy=None,
                )
            )  # fmt: skip
        except InvalidStatus as error:
            raw.close()
            words = (
                error.response.body.decode(errors="replace")[:300] if error.response.body else ""
            )
            raise LinkError(f"the studio at {address.place} rejected the link: {words}") from None
        except Exception as error:  # whatever another program answers
            raw.close()
            why = str(error) or type(error).__name__
            raise LinkError(f"{address.place} is not a studio ({why})") from None
        try:
            socket.send(encode(self._hello(self.session, self._secret)))
            keys = keys_of(socket.recv(timeout=OPENING))
            # before anything else: what another version says cannot be relied on
            self._check(keys)
            welcome = decode_keys(keys, _WELCOME)
        except BaseException as error:
            socket.close()
            if isinstance(error, (ConnectionClosed, TimeoutError)):
                raise LinkError(f"the studio at {address.place} did not answer") from None
            raise
        self.session, self._secret = welcome.session, welcome.secret
        self._message(welcome)
        return socket

    def _check(self, welcome: Mapping[str, object]) -> None:
        if welcome.get("kind") == "refused":
            words = str(welcome.get("message"))
            if "'program'" in words:
                words = "it is too old to accept programs in its sessions; update it"
            raise LinkError(f"the studio at {self.address.place} rejected the program: {words}")
        if welcome.get("schema") != schema_hash():
            theirs = welcome.get("version")
            known = f"the studio at {self.address.place} is Kinegen {theirs}"
            if theirs == __version__:
                raise LinkError(
                    f"{known} from other source files than this program; stop it, and use the same "
                    "version for both"
                )
            raise LinkError(
                f"{known} and this program uses {__version__}, whose messages differ; use the same "
                "version for both"
            )

    def _begin(self, socket: ClientConnection) -> None:
        with self._lock:
            self._socket, self.state, self.reason = socket, "open", ""
        self._changed("open")
        self._wake.set()

    def _reconnect(self, words: str) -> bool:
        """Try again for as long as it is worth it; False when it ended."""
        self._drop(words)
        self._changed("lost")
        end, delay = time.monotonic() + self._patience, FIRST_DELAY
        while not self._closing.is_set() and time.monotonic() < end:
            self._closing.wait(delay)
            delay = min(LONGEST_DELAY, 2 * delay)
            try:
                socket = self._connect()
            except LinkError as error:
                words = str(error)
                continue
            if self._closing.is_set():
                socket.close()
                return False
            self._begin(socket)
            return True
        if not self._closing.is_set():
            self._end(words)
        return False

    def _drop(self, words: str) -> None:
        with self._lock:
            self._socket, self.state, self.reason = None, "lost", words
            asked, self._asked = self._asked, {}
            self._events.clear()
        for one in asked.values():
            one.refuse(LinkError(self._words()))

    def _end(self, words: str) -> None:
        self._drop(words)
        self.state = "closed"
        self._wake.set()
        self._changed("closed")

    def _words(self) -> str:
        if self.state == "closed":
            return f"the link to {self.address.place} is closed: {self.reason}"
        return f"the link to {self.address.place} was lost ({self.reason}); it is being retried"
