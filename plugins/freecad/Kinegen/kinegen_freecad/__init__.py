"""Kinegen in FreeCAD: mechanisms as assemblies that are dragged with their loops closed."""

import os
import sys

# Kinegen as the zip brings it; what is installed in FreeCAD's Python comes first.
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(__file__)), "packages"))
