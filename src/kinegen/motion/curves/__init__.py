"""Curves: the ways through space that a frame can follow."""

from kinegen.motion.curves.bezier import bezier
from kinegen.motion.curves.curve import Curve, CurvePoints
from kinegen.motion.curves.ellipse import (
    circle,
    ellipse,
    ellipse_by_corners,
    ellipse_by_foci,
    ellipse_in_plane,
)
from kinegen.motion.curves.formula_curve import formula_curve
from kinegen.motion.curves.mesh_seam import TriangleMesh, mesh_seams
from kinegen.motion.curves.polyline import polyline
from kinegen.motion.curves.seam import pipe_lines, pipe_seam, seams
from kinegen.motion.curves.segment import segment
from kinegen.motion.curves.shape_mesh import shape_mesh
from kinegen.motion.curves.solids import Cylinder, Plane, Sphere
from kinegen.motion.curves.spline import spline
from kinegen.motion.curves.surface import SURFACES, Surface, surface
from kinegen.motion.curves.volume import VOLUMES, Volume, volume

__all__ = [
    "SURFACES",
    "VOLUMES",
    "Curve",
    "CurvePoints",
    "Cylinder",
    "Plane",
    "Sphere",
    "Surface",
    "TriangleMesh",
    "Volume",
    "bezier",
    "circle",
    "ellipse",
    "ellipse_by_corners",
    "ellipse_by_foci",
    "ellipse_in_plane",
    "formula_curve",
    "mesh_seams",
    "pipe_lines",
    "pipe_seam",
    "polyline",
    "seams",
    "segment",
    "shape_mesh",
    "spline",
    "surface",
    "volume",
]
