"""Handles at work: whenever one moves, by hand or by its animation, the mechanism follows."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from .scene import HANDLE, follow_handle

__all__ = ["register", "unregister"]

_busy = False
"""Whether the mechanism is just being moved: that is no move of the user's."""


@persistent
def _on_update(scene: Any, depsgraph: Any) -> None:
    """Something in the scene changed."""
    moved = [
        one.id.original
        for one in depsgraph.updates
        if one.is_updated_transform and isinstance(one.id, bpy.types.Object) and HANDLE in one.id
    ]
    _follow(moved)


@persistent
def _on_frame(scene: Any, _depsgraph: Any = None) -> None:
    """Another frame of the animation: handles that are animated have moved."""
    _follow(
        [
            one
            for one in scene.objects
            if HANDLE in one and one.animation_data is not None and one.animation_data.action
        ]
    )


def _follow(handles: list[Any]) -> None:
    global _busy  # noqa: PLW0603 - Blender calls plain functions
    if _busy or not handles:
        return
    _busy = True
    try:
        for handle in handles:
            if handle.parent is not None:
                follow_handle(handle)
    finally:
        _busy = False


def register() -> None:
    """Listen to the scene."""
    bpy.app.handlers.depsgraph_update_post.append(_on_update)
    bpy.app.handlers.frame_change_post.append(_on_frame)


def unregister() -> None:
    """Stop listening."""
    bpy.app.handlers.depsgraph_update_post.remove(_on_update)
    bpy.app.handlers.frame_change_post.remove(_on_frame)
