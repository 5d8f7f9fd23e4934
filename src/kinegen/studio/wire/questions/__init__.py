"""Questions of a page and their answers: one request and one result dataclass each.

The job of the same name answers a module's questions: ``wire/questions/cloud.py`` is answered in
``jobs/cloud.py``.
"""

from kinegen.studio.wire.message import Question
from kinegen.studio.wire.questions.avatar import (
    CameraFileRequest,
    CameraFilesRequest,
    CameraPicturesRequest,
)
from kinegen.studio.wire.questions.backlash import BacklashRequest
from kinegen.studio.wire.questions.body import (
    CloudBodyRequest,
    CloudSurfaceFileRequest,
    ZoneBodyRequest,
    ZoneSurfaceFileRequest,
)
from kinegen.studio.wire.questions.cloud import (
    CloudDetailRequest,
    CloudFileRequest,
    CloudPlanRequest,
    CloudPoseRequest,
    CloudRequest,
)
from kinegen.studio.wire.questions.collisions import BodiesRequest
from kinegen.studio.wire.questions.design import DesignRequest, GoalsRequest
from kinegen.studio.wire.questions.exports import ExportRequest
from kinegen.studio.wire.questions.grasp import GraspRequest
from kinegen.studio.wire.questions.hardware import OffersRequest, SerialPortsRequest
from kinegen.studio.wire.questions.maps import JointMapRequest, MapProposalRequest
from kinegen.studio.wire.questions.mobility import DiagnosisRequest, MobilityRequest
from kinegen.studio.wire.questions.path import (
    PathBranchesRequest,
    PathFileRequest,
    PathFitRequest,
    PathMenuRequest,
    PathPlaceRequest,
    PathPlanRequest,
)
from kinegen.studio.wire.questions.shapes import ShapesRequest
from kinegen.studio.wire.questions.singular import BranchesBeyondRequest, MatricesRequest
from kinegen.studio.wire.questions.solving import ModesRequest, SolveAllRequest, SolveRequest
from kinegen.studio.wire.questions.table import TableRequest
from kinegen.studio.wire.questions.zone import (
    ZoneFileRequest,
    ZonePoseRequest,
    ZoneRequest,
    ZoneWayRequest,
)

__all__ = ["QUESTIONS"]

QUESTIONS: tuple[type[Question], ...] = (
    ExportRequest, MobilityRequest, DiagnosisRequest, ModesRequest, BranchesBeyondRequest,
    SolveRequest, SolveAllRequest, MatricesRequest, GraspRequest, CloudPlanRequest, CloudRequest,
    CloudDetailRequest, CloudPoseRequest, CloudFileRequest, ZoneRequest, ZonePoseRequest,
    ZoneWayRequest, ZoneFileRequest, CloudBodyRequest, ZoneBodyRequest, CloudSurfaceFileRequest,
    ZoneSurfaceFileRequest, PathMenuRequest, PathPlaceRequest, PathFitRequest, PathPlanRequest,
    PathBranchesRequest, PathFileRequest, MapProposalRequest, JointMapRequest, BacklashRequest,
    GoalsRequest, DesignRequest, TableRequest, ShapesRequest, BodiesRequest,
    OffersRequest, SerialPortsRequest, CameraFilesRequest, CameraFileRequest,
    CameraPicturesRequest,
)  # fmt: skip
