"""The format fmu: what it is called and which options it has; the writer is imported later."""

from __future__ import annotations

from kinegen.formats.format import Format, later

__all__ = ["FORMAT"]

FORMAT = Format(
    "fmu",
    "FMU for co-simulation in other programs (FMI 2 or 3), with Kinegen's engine",
    (".fmu",),
    write=later("kinegen.formats.fmi.writer:write_unit"),
    options={
        "fmi": "version of the standard: 2 (default) or 3",
        "step": "step of the engine [s], within each step of the other program; default: 0.001",
        "mode": "mode of all motors: position, velocity or torque; default: as in the file",
        "objects": "whether bodies can touch the objects of the file: yes (default) or no",
        "floor": "height of a floor perpendicular to gravity [m], or no; default: as in the file",
        "platforms": "all, or some of linux64, win64, darwin64, aarch64-linux: binaries for other "
        "computers take kinegen[platforms]; default: for this computer",
        "integrator": "auto (default), rk4, semi-implicit, implicit or adaptive",
    },
    media_type="application/zip",
)
