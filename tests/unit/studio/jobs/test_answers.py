"""Every question of the wire has a job that takes it and gives its answer."""

from __future__ import annotations

import dataclasses
import typing

from kinegen.studio.jobs.answers import job_of
from kinegen.studio.jobs.processes.protocol import MadeFile
from kinegen.studio.wire.message import FileLink, PieceHead, Result
from kinegen.studio.wire.questions import QUESTIONS


def test_every_question_has_a_job_of_its_types() -> None:
    for cls in QUESTIONS:
        hints = typing.get_type_hints(job_of(cls))
        assert cls in hints.values(), cls
        assert hints["return"] is (MadeFile if cls.RESULT is FileLink else cls.RESULT), cls
        assert issubclass(cls.RESULT, Result) and dataclasses.is_dataclass(cls.RESULT)
        assert all(issubclass(one, PieceHead) for one in cls.PIECES)
