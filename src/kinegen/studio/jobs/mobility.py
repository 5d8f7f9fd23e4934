"""Answers about how a mechanism can move, and what is wrong with it."""

from __future__ import annotations

from kinegen.kernels import Floats
from kinegen.kinematics.diagnosis.diagnosis import diagnose
from kinegen.kinematics.diagnosis.suspects import Suspect
from kinegen.kinematics.mobility.mobility import Mobility, mobility
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.questions.mobility import (
    DiagnosisRequest,
    DiagnosisResult,
    FindingData,
    MobilityRequest,
    MobilityResult,
    SuspectData,
)

__all__ = ["answer_diagnosis", "answer_mobility"]


def answer_mobility(
    compiled: CompiledText, q: Floats, request: MobilityRequest, report: Progress
) -> MobilityResult:
    """The degrees of freedom, and the directions of each free motion over v."""
    report("counting degrees of freedom", None)
    return _mobility_data(mobility(compiled.model, q, locked=request.locked))


def _mobility_data(found: Mobility) -> MobilityResult:
    return MobilityResult(
        text=found.text,
        instantaneous=found.instantaneous,
        finite=found.finite,
        gruebler=found.gruebler,
        gruebler_planar=found.gruebler_planar,
        redundant=found.redundant,
        idle=found.idle,
        directions=found.directions.T.tolist(),
        is_closed=found.is_closed,
        gap=(found.gap.distance, found.gap.angle),
        q=found.q.tolist(),
    )


def answer_diagnosis(
    compiled: CompiledText, q: Floats, request: DiagnosisRequest, report: Progress
) -> DiagnosisResult:
    """Findings in words, and the joints that may be placed wrongly."""
    report("diagnosing faults", None)
    found = diagnose(compiled.model, q)
    return DiagnosisResult(
        text=found.text,
        is_healthy=found.is_healthy,
        mobility=_mobility_data(found.mobility),
        findings=[
            FindingData(
                kind=finding.kind.value,
                is_fault=finding.kind.is_fault,
                joints=list(finding.joints),
                text=finding.text,
                suspects=[_suspect(suspect) for suspect in finding.suspects.likely],
            )
            for finding in found.findings
        ],
    )


def _suspect(suspect: Suspect) -> SuspectData:
    return SuspectData(
        joint=suspect.joint,
        axis=vec3(suspect.axis),
        proposed_axis=vec3(suspect.proposed_axis),
        tilt=suspect.tilt,
        shift=vec3(suspect.shift),
        dof=suspect.dof,
        numbers=[str(number) for number in suspect.numbers],
    )
