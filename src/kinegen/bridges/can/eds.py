"""EDS: the file that describes a drive to CANopen tools (CiA 306)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from kinegen.bridges.can.objects import Object
from kinegen.bridges.can.table import PDOS, objects
from kinegen.formats.format import Format
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism

__all__ = ["FORMAT", "eds_text"]

RECORD, VARIABLE = 9, 7
MANDATORY = (0x1000, 0x1001, 0x1018)
RATES = (10, 20, 50, 125, 250, 500, 800, 1000)


def eds_text(name: str) -> str:
    """Of the drives of a mechanism, which are all alike; tools put in the id of a node."""
    table = objects()
    indices = list(dict.fromkeys(one.index for one in table))
    lines = [
        "[FileInfo]", f"FileName={name}.eds", "FileVersion=1", "FileRevision=0", "EDSVersion=4.0",
        f"Description=Drives of {name} simulated by Kinegen", "CreatedBy=Kinegen", "",
        "[DeviceInfo]", "VendorName=Kinegen", "VendorNumber=0", "ProductName=Servo drive",
        "ProductNumber=402", "RevisionNumber=1", "OrderCode=simulated",
        *(f"BaudRate_{one}=1" for one in RATES),
        "SimpleBootUpMaster=0", "SimpleBootUpSlave=1", "Granularity=8",
        "DynamicChannelsSupported=0", "GroupMessaging=0", f"NrOfRXPDO={PDOS}",
        f"NrOfTXPDO={PDOS}", "LSS_Supported=0", "",
        "[DummyUsage]", *(f"Dummy{i:04d}=0" for i in range(1, 8)), "",
    ]  # fmt: skip
    optional = [one for one in indices if one not in MANDATORY]
    for title, rows in (
        ("MandatoryObjects", list(MANDATORY)),
        ("OptionalObjects", optional),
        ("ManufacturerObjects", []),
    ):
        lines += [f"[{title}]", f"SupportedObjects={len(rows)}"]
        lines += [f"{i + 1}=0x{one:04X}" for i, one in enumerate(rows)] + [""]
    for index, group in groupby(table, lambda one: one.index):
        members = list(group)
        if not members[0].parent:
            lines += _object(members[0], f"{index:04X}")
            continue
        lines += [f"[{index:04X}]", f"ParameterName={members[0].parent}", f"ObjectType={RECORD}"]
        lines += [f"SubNumber={len(members)}", ""]
        for one in members:
            lines += _object(one, f"{index:04X}sub{one.sub:X}")
    return "\n".join(lines)


def _object(one: Object, section: str) -> list[str]:
    default = f"$NODEID+0x{one.default:X}" if one.is_node else f"{one.default}"
    lines = [
        f"[{section}]", f"ParameterName={one.name}", f"ObjectType={VARIABLE}",
        f"DataType=0x{one.kind.code:04X}", f"AccessType={one.access}", f"DefaultValue={default}",
        f"PDOMapping={int(one.mappable)}",
    ]  # fmt: skip
    if one.low is not None:
        lines.append(f"LowLimit={one.low}")
    if one.high is not None:
        lines.append(f"HighLimit={one.high}")
    return [*lines, ""]


def _write(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> str:
    return eds_text(mechanism.name)


FORMAT = Format(
    "eds",
    "CANopen drives of its motors, for the tools of a CAN bus (kinegen bridge --as cia402)",
    (".eds",),
    write=_write,
)
