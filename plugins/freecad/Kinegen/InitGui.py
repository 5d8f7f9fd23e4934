"""FreeCAD reads this when its windows open: the workbench and its buttons."""

import FreeCADGui
import kinegen_freecad
from kinegen_packages import missing_packages


class KinegenWorkbench(FreeCADGui.Workbench):
    """Mechanisms: open, drag, make from a sketch."""

    MenuText = "Kinegen"
    ToolTip = "Mechanisms that stay assembled while you drag them"

    def __init__(self) -> None:
        import os

        folder = os.path.dirname(os.path.dirname(kinegen_freecad.__file__))
        self.__class__.Icon = os.path.join(folder, "resources", "kinegen.svg")

    def Initialize(self) -> None:
        """Called when the workbench is first opened."""
        from kinegen_freecad import commands

        commands.register()
        self.appendToolbar("Kinegen", commands.NAMES)
        self.appendMenu("Kinegen", commands.NAMES)

    def GetClassName(self) -> str:
        """The kind of workbench that Python can write."""
        return "Gui::PythonWorkbench"


if missing_packages() is None:
    FreeCADGui.addWorkbench(KinegenWorkbench())
