"""Objects of a scene as meshes in the world: what seams are cut from."""

from __future__ import annotations

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.curves.shape_meshes import shape_mesh
from kinegen.curves.stl import stl_mesh
from kinegen.errors import FormatError, UsageError
from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.scene import scene_object
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.raff.opener import LARGEST_MESH
from kinegen.spatial.pose import SE3

__all__ = ["object_mesh"]


def object_mesh(
    mechanism: Mechanism,
    model: Model,
    name: str,
    *,
    X_WO: SE3 | None = None,
    q: Configuration = None,
    largest: int = LARGEST_MESH,
) -> TriangleMesh:
    """The surface of an object of the scene [m].

    Args:
        mechanism: The mechanism with its scene.
        model: The same, compiled.
        name: The object's name.
        X_WO: Where the object is; default: where the file puts it.
        q: The pose of the mechanism that the object may hang on; default: the file's start.
        largest: Size of a mesh file at most [bytes].

    Raises:
        UsageError: When there is no such object, or it has a mesh that cannot be read.
    """
    thing = scene_object(mechanism, model, name, q)

    def read(file: str) -> TriangleMesh:
        if not file.lower().endswith(".stl"):
            raise UsageError(f"only STL meshes can be intersected, not '{file}'")
        document = mechanism.document
        if document is None or document.opener is None:
            raise UsageError("the project folder of its mesh is unknown")
        return stl_mesh(document.opener.content(file, largest=largest), file)

    try:
        return shape_mesh(thing.shapes, thing.X_WO if X_WO is None else X_WO, read_mesh=read)
    except (UsageError, FormatError) as error:
        raise UsageError(f"object '{name}': {error}") from None
