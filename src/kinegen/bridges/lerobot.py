"""LeRobot's calibration of an arm on Feetech's bus, as lerobot-calibrate would find it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from kinegen.bridges.servos.table import servo_table
from kinegen.bridges.servos.wiring import Shaft, shafts_of
from kinegen.bridges.wires.feetech import STS3215, FeetechBus
from kinegen.errors import FormatError, UsageError
from kinegen.formats.format import Format
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism

__all__ = ["FORMAT", "calibration"]

MOST = next(one.initial for one in STS3215.TABLE if one.name == "greatest_position")


def calibration(mechanism: Mechanism) -> dict[str, dict[str, int]]:
    """Ids and ranges of all servos by the names of their joints, in steps of the encoder."""
    model = mechanism.compile()
    table = servo_table(mechanism, model)
    rows = {}
    for one in shafts_of(mechanism, model, table, FeetechBus.MAKER):
        low, high = _range(one)
        rows[one.data.name] = {
            "id": one.id, "drive_mode": 0, "homing_offset": 0, "range_min": low, "range_max": high,
        }  # fmt: skip
    return rows


def _range(shaft: Shaft) -> tuple[int, int]:
    """As the servo's own registers have it."""
    low, high = shaft.limits
    least = max(math.ceil(shaft.to_ticks(low) - 0.5), 0) if math.isfinite(low) else 0
    most = min(math.floor(shaft.to_ticks(high) + 0.5), MOST) if math.isfinite(high) else MOST
    return least, most


def _write(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> str:
    try:
        return json.dumps(calibration(mechanism), indent=4) + "\n"
    except UsageError as error:  # no motors
        raise FormatError(str(error)) from None


FORMAT = Format(
    "lerobot",
    "LeRobot's calibration of an arm with Feetech servos (kinegen bridge --as feetech)",
    (".json",),
    write=_write,
)
