"""Dragging with the mouse in FreeCAD's 3D view."""

from __future__ import annotations

from typing import Any

import FreeCAD
import numpy as np
import numpy.typing as npt
from kinegen_host import Hand

from kinegen_freecad import assembly
from kinegen_freecad.solids import MM

__all__ = ["DragTool", "on_plane"]

Floats = npt.NDArray[np.float64]


class DragTool:
    """Grabs the part under the mouse and moves it in the plane of the screen, until Esc."""

    def __init__(self, view: Any) -> None:
        self.view = view
        self._callback: Any = None
        self._hand: Hand | None = None
        self._feature: Any = None
        self._grabbed: Floats = np.zeros(3)

    def start(self) -> None:
        """Listen to the mouse."""
        self._callback = self.view.addEventCallback("SoEvent", self.handle)
        FreeCAD.Console.PrintMessage("Kinegen: drag any part; Esc ends dragging.\n")

    def stop(self) -> None:
        """Leave the mouse to FreeCAD again."""
        self.release()
        if self._callback is not None:
            self.view.removeEventCallback("SoEvent", self._callback)
            self._callback = None

    def handle(self, event: dict[str, Any]) -> None:
        """One event of the view."""
        kind = event["Type"]
        if kind == "SoKeyboardEvent" and event.get("Key") == "ESCAPE":
            self.stop()
        elif kind == "SoMouseButtonEvent" and event.get("Button") == "BUTTON1":
            if event["State"] == "DOWN":
                self.grab(event["Position"])
            else:
                self.release()
        elif kind == "SoLocation2Event" and self._hand is not None:
            self.move(event["Position"])

    def grab(self, position: tuple[int, int]) -> None:
        """Take hold of what is under the mouse."""
        found = self.view.getObjectInfo(position)
        if not found:
            return
        document = FreeCAD.getDocument(found.get("Document", FreeCAD.ActiveDocument.Name))
        thing = document.getObject(found["Object"])
        feature, link = assembly.mechanism_in(thing), assembly.link_of(thing)
        if feature is None or link is None:
            return
        self._feature = feature
        self._grabbed = np.array([found["x"], found["y"], found["z"]])
        document.openTransaction("Drag mechanism")
        self._hand = Hand(assembly.host_of(feature), link, self._local(self._grabbed))

    def move(self, position: tuple[int, int]) -> None:
        """Bring the grabbed point under the mouse."""
        assert self._hand is not None
        through = np.array(self.view.getPoint(*position))
        ahead = np.array(self.view.getViewDirection())
        if self.view.getCameraType() == "Perspective":
            eye = np.array(self.view.getCameraNode().position.getValue().getValue())
            ray = through - eye
        else:
            ray = ahead
        target = on_plane(through, ray, self._grabbed, ahead)
        if target is not None:
            self._hand.move(self._local(target))
            self._feature.Proxy.place(self._feature)

    def release(self) -> None:
        """Let go; one step of undo goes back to before the drag."""
        if self._hand is not None:
            self._hand = None
            self._feature.Document.commitTransaction()

    def _local(self, point: Floats) -> Floats:
        """A point of the document [mm] in the assembly [m]."""
        group = self._feature.getParentGeoFeatureGroup()
        back = group.getGlobalPlacement().inverse().multVec(FreeCAD.Vector(*point))
        return np.array(back) / MM


def on_plane(origin: Floats, ray: Floats, point: Floats, normal: Floats) -> Floats | None:
    """Where a line from an origin meets the plane through a point; None where it runs along it."""
    slope = float(ray @ normal)
    if abs(slope) < 1e-12 * float(np.linalg.norm(ray) * np.linalg.norm(normal)):
        return None
    return np.asarray(origin + ray * float((point - origin) @ normal) / slope)
