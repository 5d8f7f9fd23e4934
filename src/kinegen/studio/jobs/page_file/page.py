"""A mechanism as one HTML file that anyone can drag: kernels, model and view inside, no server."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from kinegen.errors import AssemblyError, FormatError
from kinegen.formats.format import Format, Written
from kinegen.kernels import Floats, wasm_bytes
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.solving.assembling.assembly import assemble
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.mechanism.write import write
from kinegen.studio.jobs.page_file.html import page_html
from kinegen.studio.jobs.page_file.left_out import left_out
from kinegen.studio.jobs.page_file.meshes import CarriedMeshes, carried_meshes
from kinegen.studio.server.assets import EXPORTED

if TYPE_CHECKING:
    from kinegen.studio.wire.messages import ItemShown

__all__ = ["FORMAT", "export_page"]


def export_page(
    mechanism: Mechanism,
    q: Configuration = None,
    items: Sequence[ItemShown] = (),
    meshes: CarriedMeshes | None = None,
) -> str:
    """The page of a mechanism in a configuration.

    Args:
        mechanism: To be shown.
        q: The configuration; None: the file's start, loops closed.
        items: What a program draws on it.
        meshes: The mesh files that it carries; None: all that are not too large.
    """
    # imported here: the format is listed beside all others, and the messages take a while
    from kinegen.studio.wire.data.model import model_data
    from kinegen.studio.wire.data.scene import light_data, motion_data, object_data

    meshes = meshes or carried_meshes(mechanism)
    script, style = _client_file("page.js"), _client_file("page.css")
    model = mechanism.compile()
    pose = _pose(model, q)
    content = {
        "title": mechanism.title or mechanism.name,
        "description": mechanism.description or "",
        "text": mechanism.document.text if mechanism.document else write(mechanism),
        "model": model_data(mechanism, model, _pose(model, None)),
        "q": pose.tolist(),
        "objects": object_data(mechanism, model),
        "lights": light_data(mechanism, model),
        "motions": motion_data(mechanism, model),
        "items": list(items),
        "left_out": left_out(mechanism),
    }
    return page_html(
        str(content["title"]), style.decode(), meshes.files,
        {"code": script, "kernels": wasm_bytes(), "mechanism": _json(content)},
    )  # fmt: skip


def _json(content: dict[str, object]) -> bytes:
    """The content as the studio's messages have it, but without the studio's packages."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, default=asdict)
    return text.encode()


def _pose(model: Model, q: Configuration) -> Floats:
    if q is not None:
        return configuration(model, q)
    try:
        return assemble(model).q
    except AssemblyError:
        return model.start()  # the page says that the loops stay open


def _client_file(name: str) -> bytes:
    file = EXPORTED / name
    if not file.is_file():
        raise FormatError(
            "the page of the studio is not built into this installation, so no web page can be "
            "exported: install Kinegen with Node 20 present, or run 'make run' once in its sources"
        )
    return file.read_bytes()


def _write(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> Written:
    meshes = carried_meshes(mechanism)
    missing = left_out(mechanism)
    notes = (*meshes.notes, missing) if missing else meshes.notes
    return Written(export_page(mechanism, q, meshes=meshes), notes)


FORMAT = Format(
    "page",
    "a web page in which the mechanism can be dragged",
    (".html",),
    write=_write,
    media_type="text/html; charset=utf-8",
)
