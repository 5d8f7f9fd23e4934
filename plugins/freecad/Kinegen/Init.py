"""FreeCAD reads this at its start: which files the workbench opens."""

import FreeCAD
import kinegen_freecad  # noqa: F401 - makes Kinegen importable
from kinegen_packages import missing_packages

problem = missing_packages()
if problem is None:
    FreeCAD.addImportType(
        "Kinegen mechanism (*.raff *.urdf *.xacro *.sdf *.mjcf)", "kinegen_freecad.assembly"
    )
else:
    FreeCAD.Console.PrintError(problem + "\n")
