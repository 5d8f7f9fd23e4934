"""Answers about avatars from cameras: camera files of the project folder, and their pictures."""

from __future__ import annotations

import numpy as np

from kinegen.errors import KinegenError, UsageError
from kinegen.hull.camera import PinholeCamera
from kinegen.hull.folders import PictureFolders
from kinegen.kernels import Floats
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.camera_files import (
    camera_files,
    check_inside,
    read_camera_file,
    shortened,
)
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.questions.avatar import (
    CameraFileRequest,
    CameraFileResult,
    CameraFilesRequest,
    CameraFilesResult,
    CameraPicturePiece,
    CameraPicturesRequest,
    CameraPicturesResult,
    PinholeData,
)

__all__ = ["answer_camera_file", "answer_camera_files", "answer_camera_pictures"]


def answer_camera_files(
    compiled: CompiledText, q: Floats, request: CameraFilesRequest, report: Progress
) -> CameraFilesResult:
    """All YAML and JSON files of the project folder that declare cameras."""
    project = Project.again(compiled.root)
    return CameraFilesResult(camera_files(project))


def answer_camera_file(
    compiled: CompiledText, q: Floats, request: CameraFileRequest, report: Progress
) -> CameraFileResult:
    """A camera file, read by the reader that the command line uses too."""
    file = read_camera_file(Project.again(compiled.root), request.file)
    frames, trouble = 0, ""
    try:
        frames = len(PictureFolders(file))
    except KinegenError as error:
        trouble = shortened(str(error), compiled.root)
    return CameraFileResult(
        cameras=[_data(one) for one in file.cameras],
        lower=vec3(file.box[0]),
        upper=vec3(file.box[1]),
        threshold=file.threshold,
        frames=frames,
        trouble=trouble,
    )


def answer_camera_pictures(
    compiled: CompiledText, q: Floats, request: CameraPicturesRequest, report: Progress
) -> CameraPicturesResult:
    """The pictures of one frame with their silhouettes."""
    project = Project.again(compiled.root)
    file = read_camera_file(project, request.file)
    try:
        folders = PictureFolders(file)
        if request.frame >= len(folders):
            raise UsageError(
                f"'{request.file}' has {len(folders)} frames, numbered from 0; got {request.frame}"
            )
        for row in file.rows:
            assert row.images is not None
            check_inside(project, row.images / folders.names[request.frame])
        frame = folders.frame(request.frame)
    except KinegenError as error:
        raise UsageError(shortened(str(error), compiled.root)) from None
    for index, (picture, mask) in enumerate(zip(frame.pictures, frame.silhouettes, strict=True)):
        opacity = np.where(mask, 255, 0).astype(np.uint8)[..., None]
        report.piece(CameraPicturePiece(index), np.concatenate([picture, opacity], -1).tobytes())
    return CameraPicturesResult(frame.name)


def _data(camera: PinholeCamera) -> PinholeData:
    pose = [*camera.X_WC.rotation.ravel().tolist(), *camera.X_WC.translation.tolist()]
    return PinholeData(camera.name, camera.width, camera.height, camera.focal, camera.centre, pose)
