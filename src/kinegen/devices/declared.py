"""Force devices as a file declares them: which device, what it holds, how, and at which scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinegen.devices.link import HapticLink, Transport
from kinegen.devices.nearness import FIRM
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.dynamics.touch.touch import Touch
from kinegen.errors import UsageError, did_you_mean
from kinegen.kinematics.positions import pose
from kinegen.mechanism.any_model import AnyModel, mechanism_of, model_of
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.sections.device import FORCE_DEVICES

__all__ = ["FAR", "DeclaredDevice", "declared_devices", "device_named"]

FAR = (0.0, 0.0, -1e3)
"""Where a pushing finger is before the hand has spoken [m]."""


@dataclass(frozen=True, slots=True)
class DeclaredDevice:
    """A force device of a file, and how it acts on a simulation."""

    name: str = "hand"
    """Its name in the file."""
    device: str = "hand"
    """Its name among the registered devices."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of that device."""
    moves: str | None = None
    """The frame or link that the hand holds; None: the last one."""
    is_push: bool = False
    """Whether the hand pushes whatever it touches."""
    has_pose: bool = False
    """Whether the hand also turns what it holds."""
    stiffness: float | None = None
    """[N/m]; None: one that suits the part."""
    scale: float = 1.0
    """Scale: length in the world per length of the device."""

    def touch(self, simulation: Simulation) -> Touch:
        """The hand on a simulation, not yet moved."""
        firm: dict[str, Any] = {} if self.stiffness is None else {"stiffness": self.stiffness}
        if self.is_push:
            return simulation.push(tip=FAR, **firm)
        model = simulation.model
        site = self.moves or model.site_names[-1]
        if site not in model.site_names:
            known = model.site_names[1:]
            raise UsageError(
                f"device '{self.name}' moves '{site}', which has no pose"
                f"{did_you_mean(site, known) or ';'} frames and links: "
                f"{', '.join(known[:12])}{', …' if len(known) > 12 else ''}"
            )
        here = pose(model, simulation.engine.q, site)
        return simulation.pull(site, target=here if self.has_pose else None, **firm)

    def link(
        self,
        simulation: Simulation,
        touch: Touch,
        transport: Transport,
        *,
        origin: np.ndarray[Any, Any] | None = None,
        singular: float = FIRM,
    ) -> HapticLink:
        """The mechanism's end of the link; the middle of the device's space is at the held point.

        Args:
            simulation: The running simulation.
            touch: The hand on the mechanism.
            transport: Receives and sends the packets.
            origin: Where the middle of the device's space is [m]; None: at the held point, or at
                the frame that a device that pushes is declared to move.
            singular: Factor on the stiffness of a pull at a singular pose.
        """
        q, v = simulation.engine.q, simulation.engine.v
        if origin is None and self.is_push and self.moves is not None:
            origin = pose(simulation.model, q, self.moves).translation
        elif origin is None:
            origin = touch.grip.state(q, v).place
        return HapticLink(
            simulation, touch, transport, origin=np.asarray(origin).tolist(), scale=self.scale,
            singular=singular,
        )  # fmt: skip


def declared_devices(model: AnyModel) -> list[DeclaredDevice]:
    """The force devices that a file declares, in its order."""
    rows: list[Mapping[str, Any]] = mechanism_of(model).scene.get("devices", [])
    force = [row for row in rows if row["type"] in FORCE_DEVICES]
    if not force:
        return []
    values = dict(model_of(model).parameters)

    def number(value: Any) -> float:
        return float(value.evaluate(values) if isinstance(value, Formula) else value)

    found = []
    for row in force:
        kind, port, moves = row["type"], row.get("port"), row.get("moves")
        options: dict[str, Any] = {}
        if port and kind != "haptic":
            options = {"listen" if kind == "udp" else "service": port}
        stiffness = row.get("stiffness")
        found.append(
            DeclaredDevice(
                name=row["name"],
                device=str(port) if kind == "haptic" else kind,
                options=options,
                moves=moves if isinstance(moves, str) or not moves else moves[0],
                is_push=row.get("touch") == "push",
                has_pose=row.get("holds") == "pose",
                stiffness=None if stiffness is None else number(stiffness),
                scale=number(row.get("scale", 1.0)),
            )
        )
    return found


def device_named(model: AnyModel, name: str | None = None) -> DeclaredDevice | None:
    """The declared force device of a name, or the only one; None if the file has none.

    Args:
        model: Of the file.
        name: As the file calls it; None: the only one, UsageError if there are several.
    """
    found = declared_devices(model)
    if name is not None:
        return next((one for one in found if one.name == name), None)
    if len(found) > 1:
        names = ", ".join(one.name for one in found)
        raise UsageError(f"the file declares several force devices; choose one of: {names}")
    return found[0] if found else None
