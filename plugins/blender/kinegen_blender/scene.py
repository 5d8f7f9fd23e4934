"""A mechanism as objects of Blender: an empty for the whole, an object per link, handles.

The whole is an empty that keeps the RAFF text and the pose as custom properties, so that a saved
scene needs nothing else. Links and handles are its children; they say by custom properties what
they stand for.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import numpy.typing as npt
from kinegen_host import Hand, Host, Look
from mathutils import Matrix

from kinegen.formats.drawing.gltf_mesh import triangles_of
from kinegen.mechanism.shapes.shapes import MeshRef

__all__ = [
    "HANDLE",
    "LINK",
    "POINT",
    "ROOT",
    "add_handle",
    "add_mechanism",
    "follow_handle",
    "handles_of",
    "host_of",
    "keyframe_motion",
    "place",
    "root_of",
]

ROOT, FOLDER, POSE, LINK = "kinegen_text", "kinegen_folder", "kinegen_q", "kinegen_link"
HANDLE, POINT = "kinegen_handle", "kinegen_point"
SMALL = 0.06
"""Size of a handle, as a share of the mechanism's size."""

_hosts: dict[str, tuple[str, Host]] = {}
"""Compiled mechanisms by the name of their empty, with the text they were made from."""


def add_mechanism(host: Host) -> Any:
    """Add a mechanism to the scene; the empty that stands for it."""
    name = host.mechanism.title or host.mechanism.name
    collection = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(collection)
    root = bpy.data.objects.new(name, None)
    root.empty_display_type, root.empty_display_size = "PLAIN_AXES", SMALL * _size(host)
    collection.objects.link(root)
    root[ROOT], root[FOLDER], root[POSE] = host.text(), host.folder, host.q.tolist()
    _hosts[root.name] = (root[ROOT], host)
    for link, looks in zip(host.link_names, host.looks(), strict=True):
        made = bpy.data.objects.new(link, _mesh(link, looks))
        made.rotation_mode = "QUATERNION"
        made.parent, made[LINK] = root, link
        collection.objects.link(made)
        for look in looks:
            if isinstance(look.shape, MeshRef):
                _add_mesh_file(host, look, made, collection)
    for frame in host.mechanism.frames:
        add_handle(root, frame)
    place(root, host)
    return root


def add_handle(root: Any, name: str, point_W: npt.ArrayLike | None = None) -> Any:
    """Add an empty that moves a frame or a point of a link.

    Args:
        root: The empty of the mechanism.
        name: The frame or link.
        point_W: The point, in the mechanism's world [m]; the frame's origin when not given.
    """
    host = host_of(root)
    X_WF = _pose(host, name)
    at = X_WF[:3, 3] if point_W is None else np.asarray(point_W, dtype=float)
    point = X_WF[:3, :3].T @ (at - X_WF[:3, 3])
    made = bpy.data.objects.new(f"handle {name}", None)
    made.empty_display_type, made.empty_display_size = "SPHERE", SMALL * _size(host)
    made.parent, made[HANDLE], made[POINT] = root, name, point.tolist()
    root.users_collection[0].objects.link(made)
    made.location = at
    return made


def root_of(thing: Any) -> Any | None:
    """The empty of the mechanism that an object belongs to."""
    while thing is not None and ROOT not in thing:
        thing = thing.parent
    return thing


def host_of(root: Any) -> Host:
    """The mechanism of an empty, compiled again when its text has changed or was just opened."""
    text, host = _hosts.get(root.name, ("", None))
    if host is None or text != root[ROOT]:
        host = Host.of_text(root[ROOT], root[FOLDER])
        _hosts[root.name] = (root[ROOT], host)
    kept = np.array(root[POSE])
    if kept.shape == host.q.shape:
        host.q = kept
    return host


def handles_of(root: Any) -> list[Any]:
    """The handles of a mechanism."""
    return [one for one in root.children if HANDLE in one]


def place(root: Any, host: Host, moved: Any | None = None) -> None:
    """Put every object where its link is; all handles but the moved one follow their points."""
    root[POSE] = host.q.tolist()
    poses = dict(zip(host.link_names, host.link_poses(), strict=True))
    for one in root.children:
        if LINK in one:
            one.matrix_local = Matrix(poses[one[LINK]].tolist())
        elif HANDLE in one and one != moved and not _is_animated(one):
            X_WF = _pose(host, one[HANDLE])
            one.location = X_WF[:3, :3] @ np.array(one[POINT]) + X_WF[:3, 3]


def follow_handle(handle: Any) -> bool:
    """Move the mechanism so that a handle's point is where the handle is; whether it got there."""
    root = handle.parent
    host = host_of(root)
    X_WF = _pose(host, handle[HANDLE])
    now = X_WF[:3, :3] @ np.array(handle[POINT]) + X_WF[:3, 3]
    target = np.array(handle.location)
    reached = True
    if np.linalg.norm(target - now) > 1e-7 * _size(host):  # what Blender's single precision keeps
        reached = Hand(host, handle[HANDLE], now).move(target)
    place(root, host, moved=handle)
    return reached


def keyframe_motion(root: Any, motion: Any, *, first: int = 1) -> int:
    """A recorded motion as keyframes of all links, one per frame of the scene; the last frame."""
    host = host_of(root)
    scene = bpy.context.scene
    rate = scene.render.fps / scene.render.fps_base
    count: int = round(motion.duration * rate) + 1
    links = [one for one in root.children if LINK in one]
    numbers = [host.link_names.index(one[LINK]) for one in links]
    start = float(motion.times[0])
    for step in range(count):
        host.q = motion.at(start + step / rate, host.q)
        poses = host.link_poses()
        for one, number in zip(links, numbers, strict=True):
            location, rotation, _ = Matrix(poses[number].tolist()).decompose()
            if step and one.rotation_quaternion.dot(rotation) < 0:
                rotation.negate()  # one rotation, on the side of the frame before
            one.location, one.rotation_quaternion = location, rotation
            one.keyframe_insert("location", frame=first + step)
            one.keyframe_insert("rotation_quaternion", frame=first + step)
    place(root, host)
    last = first + count - 1
    scene.frame_end = max(scene.frame_end, last)
    return last


def _is_animated(one: Any) -> bool:
    return one.animation_data is not None and one.animation_data.action is not None


def _pose(host: Host, name: str) -> npt.NDArray[np.float64]:
    import kinegen as kg

    return kg.pose(host.model, host.q, name).matrix


def _size(host: Host) -> float:
    return float(host.model.size)


def _mesh(name: str, looks: list[Look]) -> Any | None:
    """The primitives of a link as one mesh, a material per colour."""
    mesh = bpy.data.meshes.new(name)
    points: list[list[float]] = []
    faces: list[list[int]] = []
    paint: list[int] = []
    for look in looks:
        triangles = triangles_of(look.shape)
        if triangles is None:
            continue
        vertices, _, corners = triangles
        material = _material(look.color)
        if material.name not in mesh.materials:
            mesh.materials.append(material)
        slot = list(mesh.materials).index(material)
        faces += (corners.astype(int) + len(points)).tolist()
        points += vertices.astype(float).tolist()
        paint += [slot] * len(corners)
    mesh.from_pydata(points, [], faces)
    mesh.polygons.foreach_set("material_index", paint)
    mesh.update()
    return mesh


def _material(color: tuple[float, float, float]) -> Any:
    """A material of a colour, made once."""
    name = "kinegen #" + "".join(f"{round(255 * part):02x}" for part in color)
    found = bpy.data.materials.get(name)
    if found is None:
        found = bpy.data.materials.new(name)
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
        found.diffuse_color = (*linear, 1.0)
        found.use_nodes = True
        shader = found.node_tree.nodes.get("Principled BSDF")
        shader.inputs["Base Color"].default_value = (*linear, 1.0)
    return found


_IMPORTERS = {
    ".stl": ("wm.stl_import", "import_mesh.stl"),
    ".obj": ("wm.obj_import",),
    ".ply": ("wm.ply_import", "import_mesh.ply"),
    ".dae": ("wm.collada_import",),
    ".glb": ("import_scene.gltf",),
    ".gltf": ("import_scene.gltf",),
}
"""Blender's own importers by suffix, newer names first."""
_AS_WRITTEN = {
    "wm.stl_import": {"forward_axis": "Y", "up_axis": "Z"},
    "wm.obj_import": {"forward_axis": "Y", "up_axis": "Z"},
    "wm.ply_import": {"forward_axis": "Y", "up_axis": "Z"},
}
"""Options that keep a file's axes as they are."""


def _add_mesh_file(host: Host, look: Look, link: Any, collection: Any) -> None:
    """A mesh file on a link, by Blender's own importer."""
    assert isinstance(look.shape, MeshRef)
    path = host.mesh_path(look.shape.file)
    if path is None:
        print(f"Kinegen: mesh '{look.shape.file}' is missing")
        return
    suffix = "." + path.rsplit(".", 1)[-1].lower()
    before = set(bpy.data.objects)
    for name in _IMPORTERS.get(suffix, ()):
        room, operator = name.split(".")
        found = getattr(getattr(bpy.ops, room), operator)
        try:
            found(filepath=path, **_AS_WRITTEN.get(name, {}))
        except AttributeError:  # this Blender has another one
            continue
        break
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = look.shape.rotation, look.shape.translation
    X[:3, :3] = X[:3, :3] @ np.diag(look.shape.scale)
    for made in set(bpy.data.objects) - before:
        for other in list(made.users_collection):
            other.objects.unlink(made)
        collection.objects.link(made)
        if made.parent is None:
            made.matrix_local = Matrix(X.tolist()) @ made.matrix_local
            made.parent = link
    if not set(bpy.data.objects) - before:
        print(f"Kinegen: Blender cannot read mesh '{look.shape.file}'")
