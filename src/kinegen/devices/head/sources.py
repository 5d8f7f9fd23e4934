"""Sources of heads: webcams and films, and packets of any tracker that speaks UDP."""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from kinegen.devices.head.faces import EyeFinder, Picture, opencv
from kinegen.devices.head.pinhole import EYE_DISTANCE, Pinhole
from kinegen.devices.pose_packet import packet_pose
from kinegen.errors import UsageError
from kinegen.spatial.pose import SE3

__all__ = ["Camera", "CameraHeads", "HeadPackets", "Sight", "Webcam", "webcams"]

MOST_CAMERAS = 8
"""Numbers that are tried for a list of cameras."""
MOST_PACKETS = 1000
"""That are read at a time: a flood does not keep the head where it was."""


class Camera(Protocol):
    """Gives one picture after the other."""

    name: str

    def read(self) -> Picture | None:
        """The next picture; None: there are no more."""
        ...

    def close(self) -> None:
        """Release the camera."""
        ...


class Webcam:
    """A camera by its number, or a film by its file."""

    def __init__(self, which: str) -> None:
        cv2 = opencv()
        is_number = which.isdecimal()
        self.name = f"camera {which}" if is_number else which
        with _quiet(cv2):
            self._capture: Any = cv2.VideoCapture(int(which) if is_number else which)
        if not self._capture.isOpened():
            known = ", ".join(webcams()) if is_number else ""
            raise UsageError(
                f"there is no camera {which}; cameras: {known or 'none'}"
                if is_number
                else f"'{which}' is neither the number of a camera nor a readable video file"
            )
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)  # the latest picture, not a queue

    def read(self) -> Picture | None:
        """The next picture."""
        is_there, picture = self._capture.read()
        return picture if is_there else None

    def close(self) -> None:
        """Release the camera."""
        self._capture.release()


@contextlib.contextmanager
def _quiet(cv2: Any) -> Iterator[None]:
    """Without OpenCV's own words about cameras that are not there."""
    logging = cv2.utils.logging
    before = logging.getLogLevel()
    logging.setLogLevel(logging.LOG_LEVEL_SILENT)
    try:
        yield
    finally:
        logging.setLogLevel(before)


def webcams() -> list[str]:
    """Numbers of the cameras that can be opened now."""
    cv2 = opencv()
    found = []
    with _quiet(cv2):
        for number in range(MOST_CAMERAS):
            capture = cv2.VideoCapture(number)
            if capture.isOpened():
                found.append(str(number))
            capture.release()
    return found


@dataclass(frozen=True, slots=True)
class Sight:
    """What a source says of one moment."""

    time: float
    """When the picture or packet was there [s, of time.monotonic]."""
    head: SE3 | None
    """X_TH, or X_RH where the source knows the room; None: no head is found."""


class CameraHeads:
    """Heads in the pictures of a camera."""

    in_room = False
    bad = 0
    """Only packets can be malformed."""

    def __init__(
        self,
        camera: Camera,
        opening: float,
        eye_distance: float = EYE_DISTANCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = camera.name
        self._camera, self._clock = camera, clock
        self._opening, self._eye_distance = opening, eye_distance
        self._find = EyeFinder()

    def read(self) -> Sight | None:
        """What the next picture shows; None at the end of a film."""
        picture = self._camera.read()
        if picture is None:
            return None
        now = self._clock()
        eyes = self._find(picture)
        pinhole = Pinhole(picture.shape[1], picture.shape[0], self._opening)
        return Sight(now, None if eyes is None else pinhole.head(eyes, self._eye_distance))

    def close(self) -> None:
        """Release the camera."""
        self._camera.close()


class HeadPackets:
    """Heads from UDP packets: texts of ``x y z`` [m], or ``x y z roll pitch yaw`` [m, rad].

    Args:
        host: Address to listen on.
        port: 0: any that is free.
        in_room: Whether they are in the room's frame, and not in the tracker's.
    """

    SILENCE = 0.2
    """[s] Without a packet for so long, no head is found."""

    def __init__(self, host: str, port: int, *, in_room: bool = True) -> None:
        self.in_room = in_room
        where = f"cannot listen on {host}:{port}"
        try:
            info = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        except OSError as error:
            raise UsageError(f"{where}: {error.strerror or error}") from None
        self._socket = socket.socket(info[0], socket.SOCK_DGRAM)
        try:
            self._socket.bind(info[4])
        except OSError as error:
            self._socket.close()
            raise UsageError(f"{where}: {error.strerror or error}") from None
        self._socket.setblocking(False)
        self.port = int(self._socket.getsockname()[1])
        self.name = f"packets on port {self.port}"
        self.bad = 0
        """Packets that were no head."""

    def read(self) -> Sight:
        """The latest packet that is there, or the next one; no head after a silence."""
        select.select([self._socket], [], [], self.SILENCE)
        head = None
        for _ in range(MOST_PACKETS):
            try:
                data = self._socket.recv(1024)
            except (BlockingIOError, ConnectionError):
                break
            found = packet_pose(data)
            self.bad += found is None
            head = found or head
        return Sight(time.monotonic(), head)

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()
