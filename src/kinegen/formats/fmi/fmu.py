"""The format fmu: what it is called and which options it has; the writer is imported later."""

from __future__ import annotations

from kinegen.formats.format import Format, later

__all__ = ["FORMAT"]

FORMAT = Format(
    "fmu",
    "unit for co-simulation in other programs (FMI 2 or 3), with an engine of its own",
    (".fmu",),
    write=later("kinegen.formats.fmi.writer:write_unit"),
    options={
        "fmi": "version of the standard: 2 (default) or 3",
        "step": "of the engine within each step of the other program [s]; default: 0.001",
        "mode": "of all motors: position, velocity or torque; default: as in the file",
        "integrator": "auto (default), rk4, semi-implicit, implicit or adaptive",
    },
    media_type="application/zip",
)
