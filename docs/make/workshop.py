"""Draws the pictures of the page "Make parts"; needs kinegen[workshop,plot]."""

from __future__ import annotations

from pathlib import Path

import manifold3d
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import kinegen as kg
from kinegen.formats.workshop.sizes import Sizes
from kinegen.formats.workshop.solid.assembly import solid_assembly
from kinegen.formats.workshop.solid.mesh import mesh_of

IMAGES = Path(__file__).parents[1] / "images"
LIGHT = np.array([0.35, -0.55, 0.75])
FINE = 12.0
"""[mm] Triangles are split to this size: painters sort large ones wrongly."""


def draw(axes, name: str, sizes: Sizes, view: tuple[float, float], around: str = "") -> None:
    """Draw the parts of a mechanism, or what is near one of them."""
    assembly = solid_assembly(kg.load(name), sizes=sizes)
    centre = next((p.X_WS.translation for p in assembly.parts if p.name == around), None)
    triangles, colors = [], []
    for part in assembly.parts:
        mesh = mesh_of(part, 10)
        placed = mesh.vertices @ part.X_WS.so3.matrix.T + 1000 * part.X_WS.translation
        faces = mesh.triangles.astype(np.uint64)
        body = manifold3d.Manifold(manifold3d.Mesh64(placed, faces))
        if centre is not None:
            ball = manifold3d.Manifold.sphere(1800 * sizes.width, 64)
            body = body ^ ball.translate((1000 * centre).tolist())
        if body.is_empty():
            continue
        fine = body.refine_to_length(FINE if centre is None else 2 * FINE).to_mesh64()
        found = np.asarray(fine.vert_properties)[:, :3][np.asarray(fine.tri_verts).astype(int)]
        normals = np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
        shade = 0.5 + 0.5 * np.clip(normals @ (LIGHT / np.linalg.norm(LIGHT)), 0, 1)
        rgb = np.array([int(part.color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        triangles.append(found)
        colors.append(shade[:, None] * rgb)
    every, tints = np.concatenate(triangles), np.concatenate(colors)
    axes.add_collection3d(
        Poly3DCollection(every, facecolors=tints, edgecolors=tints, linewidths=0.3)
    )
    low, high = every.min(axis=(0, 1)), every.max(axis=(0, 1))
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(high - low, zoom=1.1)
    axes.view_init(*view)
    axes.set_axis_off()


def main() -> None:
    """Write all pictures."""
    options = {"width": "16mm", "hole": "4mm", "ground": "yes"}
    kg.export(kg.load("four-bar"), IMAGES / "workshop-cut.svg", format="cut", options=options)
    figure = Figure(figsize=(10, 3.6))
    FigureCanvasAgg(figure)
    printed = {"clearance": 0.0003, "spacer": 0.0003}
    flat = Sizes(width=0.02, thickness=0.006, hole=0.005, **printed)
    large = Sizes(width=0.12, thickness=0.05, hole=0.03, **printed)
    joint = Sizes(width=0.15, thickness=0.06, hole=0.03, **printed)
    draw(figure.add_axes((0.0, 0, 0.33, 1), projection="3d"), "five-bar", flat, (45, -75))
    draw(figure.add_axes((0.33, 0, 0.33, 1), projection="3d"), "bricard", large, (22, -65))
    draw(
        figure.add_axes((0.66, 0, 0.33, 1), projection="3d"), "stewart", joint, (20, 30), "cross-U2"
    )
    figure.savefig(IMAGES / "workshop-solids.png", dpi=110)


if __name__ == "__main__":
    main()
