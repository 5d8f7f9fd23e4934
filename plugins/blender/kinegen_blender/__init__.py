"""Kinegen in Blender: mechanisms that stay assembled while a handle moves, and their motions."""

from __future__ import annotations

import os
import sys

bl_info = {
    "name": "Kinegen mechanisms",
    "description": "Import mechanisms; loops stay closed while you move a handle",
    "author": "Kinegen developers",
    "version": (0, 1, 0),
    "blender": (3, 3, 0),
    "location": "File > Import > Mechanism; sidebar of the 3D view",
    "category": "Import-Export",
}

# Kinegen as the zip brings it; what is installed in Blender's Python comes first.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "packages"))


def register() -> None:
    """Called by Blender when the add-on is switched on."""
    from kinegen_packages import missing_packages

    problem = missing_packages()
    if problem is not None:
        raise RuntimeError(problem)
    from . import operators, solving

    operators.register()
    solving.register()


def unregister() -> None:
    """Called by Blender when the add-on is switched off."""
    from . import operators, solving

    solving.unregister()
    operators.unregister()
