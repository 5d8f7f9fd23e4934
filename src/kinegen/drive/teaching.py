"""Teaching: a motion that is recorded while a hand leads the real robot."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from kinegen.drive.robot_drive import Drive
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.motion.recording import Recording

__all__ = ["teach"]


def teach(
    drive: Drive,
    *,
    seconds: float = math.inf,
    until: Callable[[], bool] | None = None,
    name: str = "taught",
) -> Recording:
    """Switch the motors off and record how a hand moves the robot; the motors stay off.

    Args:
        drive: The robot. Hold it, because it sinks without its motors.
        seconds: Duration of the recording [s].
        until: Called in every cycle; True ends the recording. Ctrl-C ends it, too.
        name: Name of the motion.

    Raises:
        UsageError: The servos do not measure positions, or nothing was recorded.
    """
    if not drive.port.measures:
        raise UsageError(
            f"'{drive.kind}' servos do not measure positions: teaching by hand needs them"
        )
    if seconds == math.inf and until is None:
        raise UsageError("specify when the recording ends, by seconds or until")
    drive.let_go()
    times: list[float] = []
    rows: list[Floats] = []
    begin = time.monotonic()
    try:
        # where the robot is at the start is recorded even if the end is asked for at once
        while not rows or (time.monotonic() - begin < seconds and not (until and until())):
            times.append(time.monotonic() - begin if times else 0.0)
            rows.append(drive.q)
            time.sleep(drive.period)
    except KeyboardInterrupt:
        pass
    if not rows:
        raise UsageError("nothing was recorded")
    return Recording.of(drive.model, rows, times, name=name)
