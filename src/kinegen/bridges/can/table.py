"""Table: all objects of a simulated drive, by CiA 301 (communication) and CiA 402 (drives)."""

from __future__ import annotations

from kinegen.bridges.can.objects import I8, I16, I32, TEXT, U8, U16, U32, Kind, Object

__all__ = ["HOMING", "MODES", "PDOS", "objects"]

PDOS = 4
"""Of each direction."""
INVALID = 1 << 31
"""Bit of a COB-ID that switches a PDO off."""
MODES = (1, 3, 4, 6, 8, 9, 10)
"""Profile position, velocity and torque, homing, cyclic position, velocity and torque."""
HOMING = (-4, -3, 17, 18, 35, 37)
"""Stop or limit at either end (17, -3: lower), or here (35, 37)."""
_RECEIVED = ((0x60400010, 0x60600008), (0x607A0020, 0x60810020), (0x60FF0020,), (0x60710010,))
_SENT = ((0x60410010, 0x60610008), (0x60640020, 0x606C0020), (0x60770010, 0x60F40020), ())
EVENT, SYNC = 255, 1
"""Transmission types."""
TIMER = 50
"""Of PDOs that are sent on events [ms]."""


def objects() -> list[Object]:
    """What every drive has; live values and limits come from its servo."""
    found = [
        Object(0x1000, 0, "Device type", U32, 0x00020192, "ro"),
        Object(0x1001, 0, "Error register", U8, 0, "ro", mappable=True),
        Object(0x1005, 0, "COB-ID SYNC message", U32, 0x80),
        Object(0x1006, 0, "Communication cycle period", U32),
        Object(0x1008, 0, "Manufacturer device name", TEXT, "Kinegen servo drive", "const"),
        Object(0x1009, 0, "Manufacturer hardware version", TEXT, "simulated", "const"),
        Object(0x100A, 0, "Manufacturer software version", TEXT, "1", "const"),
        *_group(0x1010, "Store parameters", (("Save all parameters", U32, 1, "rw"),)),
        *_group(0x1011, "Restore default parameters",
                (("Restore all default parameters", U32, 1, "rw"),)),
        Object(0x1014, 0, "COB-ID EMCY", U32, 0x80, "ro", is_node=True),
        Object(0x1017, 0, "Producer heartbeat time", U16, 1000),
        *_group(0x1018, "Identity object", (
            ("Vendor-ID", U32, 0, "ro"), ("Product code", U32, 402, "ro"),
            ("Revision number", U32, 1, "ro"), ("Serial number", U32, 0, "ro"),
        )),
    ]  # fmt: skip
    for i in range(PDOS):
        found += _pdo(0x1400 + i, 0x1600 + i, 0x200 + 0x100 * i, _RECEIVED[i], "RPDO", EVENT)
    for i in range(PDOS):
        kind = EVENT if i == 0 else SYNC
        found += _pdo(0x1800 + i, 0x1A00 + i, 0x180 + 0x100 * i, _SENT[i], "TPDO", kind)
    return found + _drive()


def _group(
    index: int, name: str, rows: tuple[tuple[str, Kind, int, str], ...], *, mappable: bool = False
) -> list[Object]:
    """A record or array with its count."""
    made = [Object(index, 0, "Highest sub-index supported", U8, len(rows), "ro", parent=name)]
    for i, (word, kind, value, access) in enumerate(rows):
        made.append(Object(index, i + 1, word, kind, value, access, mappable, name))
    return made


def _pdo(
    settings: int, mapping: int, cob: int, mapped: tuple[int, ...], word: str, kind: int
) -> list[Object]:
    number = (settings & 0xF) + 1
    name = f"{word} {number} communication parameter"
    cob |= 0 if number <= (3 if word == "RPDO" else 2) else INVALID
    timer = TIMER if kind == EVENT and word == "TPDO" else 0
    rows = (
        ("COB-ID", U32, cob), ("Transmission type", U8, kind), ("Inhibit time", U16, 0),
        ("Reserved", U8, 0), ("Event timer", U16, timer),
    )  # fmt: skip
    made = [Object(settings, 0, "Highest sub-index supported", U8, 5, "ro", parent=name)]
    for i, (title, size, value) in enumerate(rows):
        made.append(Object(settings, i + 1, title, size, value, parent=name, is_node=i == 0))
    name = f"{word} {number} mapping parameter"
    made.append(
        Object(mapping, 0, "Number of mapped objects", U8, len(mapped), parent=name, high=8)
    )
    for i in range(8):
        value = mapped[i] if i < len(mapped) else 0
        made.append(Object(mapping, i + 1, f"Mapped object {i + 1}", U32, value, parent=name))
    return made


def _drive() -> list[Object]:
    supported = sum(1 << mode - 1 for mode in MODES)

    def shown(index: int, name: str, kind: Kind, default: int = 0) -> Object:
        return Object(index, 0, name, kind, default, "ro", mappable=True)

    def asked(
        index: int, name: str, kind: Kind, default: int = 0, *,
        low: int | None = None, high: int | None = None,
    ) -> Object:  # fmt: skip
        return Object(index, 0, name, kind, default, "rw", mappable=True, low=low, high=high)

    return [
        shown(0x603F, "Error code", U16),
        asked(0x6040, "Controlword", U16),
        shown(0x6041, "Statusword", U16),
        asked(0x605A, "Quick stop option code", I16, 2, low=0, high=6),
        asked(0x6060, "Modes of operation", I8),
        shown(0x6061, "Modes of operation display", I8),
        shown(0x6062, "Position demand value", I32),
        shown(0x6064, "Position actual value", I32),
        asked(0x6065, "Following error window", U32, 0xFFFFFFFF),
        asked(0x6067, "Position window", U32, 200),
        shown(0x606B, "Velocity demand value", I32),
        shown(0x606C, "Velocity actual value", I32),
        asked(0x606D, "Velocity window", U16, 2000),
        asked(0x606F, "Velocity threshold", U16, 500),
        asked(0x6071, "Target torque", I16),
        asked(0x6072, "Max torque", U16, 1000, high=1000),
        shown(0x6075, "Motor rated current", U32),
        shown(0x6076, "Motor rated torque", U32),
        shown(0x6077, "Torque actual value", I16),
        shown(0x6078, "Current actual value", I16),
        shown(0x6079, "DC link circuit voltage", U32),
        asked(0x607A, "Target position", I32),
        asked(0x607C, "Home offset", I32),
        *_group(0x607D, "Software position limit", (
            ("Min position limit", I32, 0, "rw"), ("Max position limit", I32, 0, "rw"),
        ), mappable=True),
        asked(0x607F, "Max profile velocity", U32, 0xFFFFFFFF),
        asked(0x6081, "Profile velocity", U32, 65536, low=1),
        asked(0x6083, "Profile acceleration", U32, 655360, low=1),
        asked(0x6084, "Profile deceleration", U32, 655360, low=1),
        asked(0x6085, "Quick stop deceleration", U32, 6553600, low=1),
        asked(0x6086, "Motion profile type", I16, 0, low=0, high=0),
        asked(0x6098, "Homing method", I8, 37),
        *_group(0x6099, "Homing speeds", (
            ("Speed during search for switch", U32, 16384, "rw"),
            ("Speed during search for zero", U32, 4096, "rw"),
        ), mappable=True),
        asked(0x609A, "Homing acceleration", U32, 655360, low=1),
        *_group(0x60C2, "Interpolation time period", (
            ("Interpolation time period value", U8, 10, "rw"),
            ("Interpolation time index", I8, -3, "rw"),
        )),
        shown(0x60F4, "Following error actual value", I32),
        asked(0x60FF, "Target velocity", I32),
        shown(0x6502, "Supported drive modes", U32, supported),
    ]  # fmt: skip
