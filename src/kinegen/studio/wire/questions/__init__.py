"""Questions of a page and their answers: one request and one result dataclass each."""

from kinegen.studio.wire.message import Question
from kinegen.studio.wire.questions.mobility import DiagnosisRequest, MobilityRequest
from kinegen.studio.wire.questions.singular import BranchesBeyondRequest, MatricesRequest
from kinegen.studio.wire.questions.solving import ModesRequest, SolveAllRequest, SolveRequest

__all__ = ["QUESTIONS"]

QUESTIONS: tuple[type[Question], ...] = (
    MobilityRequest, DiagnosisRequest, ModesRequest, BranchesBeyondRequest, SolveRequest,
    SolveAllRequest, MatricesRequest,
)  # fmt: skip
