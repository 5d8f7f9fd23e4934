"""The workbench's buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import FreeCAD
import FreeCADGui
from PySide import QtGui

from kinegen.errors import KinegenError
from kinegen_freecad import assembly
from kinegen_freecad.drag_tool import DragTool
from kinegen_freecad.sketch import mechanism_from_sketch

__all__ = ["NAMES", "register"]

FILTER = "Mechanisms (*.raff *.urdf *.xacro *.sdf *.xml *.mjcf *.par *.dh *.mdh);;All files (*)"


class _Command:
    """A button."""

    def __init__(
        self, icon: str, text: str, tip: str, run: Callable[[], None], active: Callable[[], bool]
    ) -> None:
        self._icon, self._text, self._tip = icon, text, tip
        self._run, self._active = run, active

    def GetResources(self) -> dict[str, str]:
        return {"MenuText": self._text, "ToolTip": self._tip, "Pixmap": self._icon}

    def IsActive(self) -> bool:
        return self._active()

    def Activated(self) -> None:
        try:
            self._run()
        except (KinegenError, OSError) as error:
            QtGui.QMessageBox.warning(FreeCADGui.getMainWindow(), "Kinegen", str(error))


def _always() -> bool:
    return True


def _selected_sketch() -> Any | None:
    chosen = FreeCADGui.Selection.getSelection()
    return next((one for one in chosen if one.isDerivedFrom("Sketcher::SketchObject")), None)


def _mechanism() -> Any | None:
    """The mechanism that is selected, or the only one of the document."""
    for one in FreeCADGui.Selection.getSelection():
        found = assembly.mechanism_in(one)
        if found is not None:
            return found
    document = FreeCAD.ActiveDocument
    objects = document.Objects if document is not None else []
    found = [one for one in map(assembly.mechanism_in, objects) if one is not None]
    return found[0] if len({one.Name for one in found}) == 1 else None


def _open() -> None:
    path, _ = QtGui.QFileDialog.getOpenFileName(
        FreeCADGui.getMainWindow(), "Open a mechanism", "", FILTER
    )
    if not path:
        return
    if FreeCAD.ActiveDocument is None:
        assembly.open(path)
    else:
        document = FreeCAD.ActiveDocument
        document.openTransaction("Insert mechanism")
        assembly.insert(path, document.Name)
        document.commitTransaction()
    FreeCADGui.SendMsgToActiveView("ViewFit")


def _from_sketch() -> None:
    sketch = _selected_sketch()
    assert sketch is not None  # else the button is grey
    document = sketch.Document
    document.openTransaction("Mechanism from sketch")
    try:
        mechanism_from_sketch(sketch)
    except BaseException:
        document.abortTransaction()
        raise
    document.commitTransaction()


def _save() -> None:
    feature = _mechanism()
    path, _ = QtGui.QFileDialog.getSaveFileName(
        FreeCADGui.getMainWindow(), "Save the mechanism", "", "RAFF (*.raff)"
    )
    if path:
        host = assembly.host_of(feature)
        host.mechanism.save(path if path.endswith(".raff") else f"{path}.raff")


def _drag() -> None:
    DragTool(FreeCADGui.ActiveDocument.ActiveView).start()


_COMMANDS = {
    "Kinegen_Open": _Command(
        "document-open", "Open mechanism…", "Open a RAFF, URDF, SDF or MJCF file as an assembly",
        _open, _always,
    ),
    "Kinegen_Drag": _Command(
        "Std_TransformManip",
        "Drag mechanism",
        "Drag any part with the left mouse button; its loops stay closed. Esc ends it.",
        _drag,
        lambda: _mechanism() is not None,
    ),
    "Kinegen_FromSketch": _Command(
        "Sketcher_NewSketch",
        "Mechanism from sketch",
        "Turn the lines of the selected sketch into bars: lines that meet are hinged, construction "
        "lines and points belong to the ground",
        _from_sketch,
        lambda: _selected_sketch() is not None,
    ),
    "Kinegen_Save": _Command(
        "document-save-as", "Save mechanism…", "Save the mechanism as a RAFF file", _save,
        lambda: _mechanism() is not None,
    ),
}  # fmt: skip
NAMES = list(_COMMANDS)
"""Commands in the order of their buttons."""


def register() -> None:
    """Tell FreeCAD of the commands."""
    for name, command in _COMMANDS.items():
        FreeCADGui.addCommand(name, command)
