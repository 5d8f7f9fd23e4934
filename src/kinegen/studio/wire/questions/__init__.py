"""Questions of a page and their answers: one request and one result dataclass each."""

from kinegen.studio.wire.message import Question
from kinegen.studio.wire.questions.backlash import BacklashRequest
from kinegen.studio.wire.questions.design import DesignRequest, GoalsRequest
from kinegen.studio.wire.questions.grasp import GraspRequest
from kinegen.studio.wire.questions.maps import JointMapRequest, MapProposalRequest
from kinegen.studio.wire.questions.mobility import DiagnosisRequest, MobilityRequest
from kinegen.studio.wire.questions.singular import BranchesBeyondRequest, MatricesRequest
from kinegen.studio.wire.questions.solving import ModesRequest, SolveAllRequest, SolveRequest

__all__ = ["QUESTIONS"]

QUESTIONS: tuple[type[Question], ...] = (
    MobilityRequest, DiagnosisRequest, ModesRequest, BranchesBeyondRequest, SolveRequest,
    SolveAllRequest, MatricesRequest, GraspRequest, MapProposalRequest, JointMapRequest,
    BacklashRequest, GoalsRequest, DesignRequest,
)  # fmt: skip
