"""What the user can do: import a mechanism, add a handle, import a motion."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy_extras.io_utils import ImportHelper
from kinegen_host import Host

from kinegen.errors import KinegenError

from .scene import LINK, add_handle, add_mechanism, host_of, keyframe_motion, root_of

__all__ = ["register", "unregister"]

_ERRORS = (KinegenError, OSError, ValueError)


class ImportMechanism(bpy.types.Operator, ImportHelper):
    """Import a mechanism: RAFF, URDF, SDF, MJCF and more."""

    bl_idname = "kinegen.import_mechanism"
    bl_label = "Import mechanism"
    bl_options = {"REGISTER", "UNDO"}
    filter_glob: bpy.props.StringProperty(  # type: ignore[valid-type]
        default="*.raff;*.urdf;*.xacro;*.sdf;*.xml;*.mjcf;*.par;*.dh;*.mdh", options={"HIDDEN"}
    )

    def execute(self, context: Any) -> set[str]:
        try:
            root = add_mechanism(Host.open(self.filepath))
        except _ERRORS as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        context.view_layer.objects.active = root
        self.report({"INFO"}, f"{root.name}: move a handle, and the mechanism follows")
        return {"FINISHED"}


class AddHandle(bpy.types.Operator):
    """Add a handle to the selected link, at the 3D cursor."""

    bl_idname = "kinegen.add_handle"
    bl_label = "Add handle at cursor"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Whether a link of a mechanism is selected."""
        return context.object is not None and LINK in context.object

    def execute(self, context: Any) -> set[str]:
        link = context.object
        root = root_of(link)
        assert root is not None
        local = root.matrix_world.inverted() @ context.scene.cursor.location
        add_handle(root, link[LINK], np.array(local))
        return {"FINISHED"}


class ImportMotion(bpy.types.Operator, ImportHelper):
    """Import a recorded motion or a saved simulation as keyframes of the selected mechanism."""

    bl_idname = "kinegen.import_motion"
    bl_label = "Import motion"
    bl_options = {"REGISTER", "UNDO"}
    filter_glob: bpy.props.StringProperty(default="*.json;*.npz", options={"HIDDEN"})  # type: ignore[valid-type]

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Whether a mechanism is selected."""
        return root_of(context.object) is not None

    def execute(self, context: Any) -> set[str]:
        root = root_of(context.object)
        try:
            last = keyframe_motion(root, host_of(root).read_motion(self.filepath))
        except _ERRORS as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Keyframes up to frame {last}")
        return {"FINISHED"}


class PlayMotion(bpy.types.Operator):
    """Turn a motion of the mechanism's own file into keyframes."""

    bl_idname = "kinegen.own_motion"
    bl_label = "Motion of the file as keyframes"
    bl_options = {"REGISTER", "UNDO"}
    motion: bpy.props.StringProperty(name="Motion")  # type: ignore[valid-type]

    def execute(self, context: Any) -> set[str]:
        root = root_of(context.object)
        motions = {} if root is None else {one.name: one for one in host_of(root).recordings()}
        if self.motion not in motions:
            self.report({"ERROR"}, f"There is no motion '{self.motion}' here")
            return {"CANCELLED"}
        last = keyframe_motion(root, motions[self.motion])
        self.report({"INFO"}, f"Keyframes up to frame {last}")
        return {"FINISHED"}


class MechanismPanel(bpy.types.Panel):
    """The sidebar of a mechanism."""

    bl_idname = "VIEW3D_PT_kinegen"
    bl_label = "Mechanism"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Kinegen"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.operator(ImportMechanism.bl_idname)
        root = root_of(context.object)
        if root is None:
            layout.label(text="Select a part of a mechanism")
            return
        host = host_of(root)
        layout.label(text=f"{root.name}: gap {1e9 * host.gap:.3g} nm")
        layout.operator(AddHandle.bl_idname)
        layout.operator(ImportMotion.bl_idname)
        for motion in host.recordings():
            layout.operator(PlayMotion.bl_idname, text=motion.name).motion = motion.name


_CLASSES = (ImportMechanism, AddHandle, ImportMotion, PlayMotion, MechanismPanel)


def _menu(self: Any, _context: Any) -> None:
    self.layout.operator(ImportMechanism.bl_idname, text="Mechanism (.raff, .urdf, .sdf, .xml)")


def register() -> None:
    """Add the operators, the panel and the menu entry."""
    for one in _CLASSES:
        bpy.utils.register_class(one)
    bpy.types.TOPBAR_MT_file_import.append(_menu)


def unregister() -> None:
    """Remove them."""
    bpy.types.TOPBAR_MT_file_import.remove(_menu)
    for one in reversed(_CLASSES):
        bpy.utils.unregister_class(one)
