"""Runs inside Blender: uses the add-on as its menus do, and reports what it saw as JSON."""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any

import bpy
import numpy as np


def run(folder: str) -> dict[str, Any]:
    """All steps; what was seen, by name."""
    seen: dict[str, Any] = {}
    bpy.ops.preferences.addon_install(filepath=os.path.join(folder, "kinegen-blender.zip"))
    bpy.ops.preferences.addon_enable(module="kinegen_blender")
    from kinegen_blender import scene

    bpy.ops.kinegen.import_mechanism(filepath=os.path.join(folder, "five-bar.raff"))
    root = bpy.context.view_layer.objects.active
    host = scene.host_of(root)
    seen["links"] = sorted(one[scene.LINK] for one in root.children if scene.LINK in one)
    seen["faces"] = sum(len(one.data.polygons) for one in root.children if one.data)

    # a handle that moves takes the mechanism along
    (handle,) = scene.handles_of(root)
    q = host.q.copy()
    handle.location = np.array(handle.location) + [0.01, -0.025, 0.0]
    bpy.context.view_layer.update()
    host = scene.host_of(root)
    seen["moved"], seen["gap"] = float(np.abs(host.q - q).max()), host.gap
    seen["off"] = float(np.linalg.norm(place_of(host, "handle") - np.array(handle.location)))
    seen["placed"] = placed_off(scene, root, host)
    handle.location = [5.0, 0.0, 0.0]
    bpy.context.view_layer.update()
    seen["far_gap"] = scene.host_of(root).gap

    # a handle on a point of a bar, put there at the 3D cursor
    link = next(one for one in root.children if one.get(scene.LINK) == "A")
    bpy.context.view_layer.objects.active = link
    host = scene.host_of(root)
    bpy.context.scene.cursor.location = place_of(host, "B")
    bpy.ops.kinegen.add_handle()
    (grip,) = (one for one in scene.handles_of(root) if one[scene.HANDLE] == "A")
    arm = place_of(host, "B") - place_of(host, "A")
    turned = np.cos(0.1) * arm + np.sin(0.1) * np.array([-arm[1], arm[0], 0.0])
    grip.location = place_of(host, "A") + turned
    bpy.context.view_layer.update()
    host = scene.host_of(root)
    seen["grip_off"] = float(np.linalg.norm(place_of(host, "B") - np.array(grip.location)))

    # an animated handle: loops stay closed in every frame
    handle.location = start = place_of(host, "handle")
    handle.keyframe_insert("location", frame=1)
    handle.location = start - [0.05, 0.0, 0.0]
    handle.keyframe_insert("location", frame=11)
    gaps, offs = [], []
    for frame in range(1, 12):
        bpy.context.scene.frame_set(frame)
        host = scene.host_of(root)
        gaps.append(host.gap)
        offs.append(float(np.linalg.norm(place_of(host, "handle") - np.array(handle.location))))
    seen["animated_gap"], seen["animated_off"] = max(gaps), max(offs)

    # a saved simulation becomes keyframes
    bpy.ops.kinegen.import_mechanism(filepath=os.path.join(folder, "four-bar.raff"))
    root = bpy.context.view_layer.objects.active
    bpy.ops.kinegen.import_motion(filepath=os.path.join(folder, "fall.json"))
    motion = scene.host_of(root).read_motion(os.path.join(folder, "fall.json"))
    rate, errors = bpy.context.scene.render.fps, []
    for frame in (1, 7, 25):
        bpy.context.scene.frame_set(frame)
        poses = scene.host_of(root).poses_at(motion.at((frame - 1) / rate))
        names = scene.host_of(root).link_names
        for one in root.children:
            if scene.LINK in one:
                shown = np.array(one.matrix_local)
                errors.append(np.abs(shown - poses[names.index(one[scene.LINK])]).max())
    seen["motion_off"], seen["keys"] = float(max(errors)), keys_of(root.children[0])

    # a saved scene needs nothing else
    path = os.path.join(folder, "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    name = root.name
    scene._hosts.clear()
    bpy.ops.wm.open_mainfile(filepath=path)
    seen["opened_gap"] = scene.host_of(bpy.data.objects[name]).gap

    bpy.ops.kinegen.import_mechanism(filepath=os.path.join(folder, "pendulum.urdf"))
    root = bpy.context.view_layer.objects.active
    meshes = [one for link in root.children for one in link.children if one.type == "MESH"]
    seen["meshes"] = [len(one.data.polygons) for one in meshes]
    with open(os.path.join(folder, "bad.raff"), "w", encoding="utf-8") as file:
        file.write("raff: 1\nname: bad\njoints:\n  - {name: A, parent: nowhere}\n")
    try:
        bpy.ops.kinegen.import_mechanism(filepath=os.path.join(folder, "bad.raff"))
    except RuntimeError as error:
        seen["refused"] = str(error)
    bpy.ops.preferences.addon_disable(module="kinegen_blender")
    return seen


def keys_of(thing: Any) -> int:
    """Keyframes of an object's first channel."""
    return len(thing.animation_data.action.fcurves[0].keyframe_points)


def place_of(host: Any, name: str) -> Any:
    """Where a link or frame is [m]."""
    import kinegen as kg

    return kg.pose(host.model, host.q, name).translation


def placed_off(scene: Any, root: Any, host: Any) -> float:
    """How far the objects are from the links at most."""
    poses = dict(zip(host.link_names, host.link_poses(), strict=True))
    return max(
        float(np.abs(np.array(one.matrix_local) - poses[one[scene.LINK]]).max())
        for one in root.children
        if scene.LINK in one
    )


folder = os.environ["KINEGEN_STEPS"]
try:
    report = run(folder)
except BaseException:
    report = {"error": traceback.format_exc()}
with open(os.path.join(folder, "blender.json"), "w", encoding="utf-8") as out:
    json.dump(report, out)
sys.stdout.flush()
