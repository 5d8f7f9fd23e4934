"""The loop of a worker process: jobs come as lines of JSON, answers go out as lines of JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import IO, TypeVar

import orjson

from kinegen.errors import KinegenError
from kinegen.studio.jobs.processes.protocol import Failed, FileMade, Found, MadeFile, Part, Said
from kinegen.studio.server.processes.worker_process import worker_process
from kinegen.studio.wire.codec import decode_any, encode, kinds_of, tagged
from kinegen.studio.wire.message import Message, PieceHead

__all__ = ["Report", "serve"]


Job = TypeVar("Job", bound=Message)


class Report:
    """What a job reports while it runs, written as answers."""

    def __init__(self, answers: IO[bytes]) -> None:
        self._answers = answers

    def __call__(self, label: str, share: float | None) -> None:
        """Say how far it is, 0 … 1, None where it is not known."""
        self.answer(Said(label, share))

    def piece(self, head: PieceHead, data: bytes) -> None:
        """Send a part of the result."""
        message = _json(tagged(head))
        self.answer(Part(len(message), len(data)), message, data)

    def result(self, result: object) -> None:
        """Send the result: a dataclass, or a file."""
        if isinstance(result, MadeFile):
            head = FileMade(result.name, result.media_type, len(result.data), list(result.notes))
            self.answer(head, result.data)
        else:
            data = _json(result)
            self.answer(Found(len(data)), data)

    def answer(self, head: Message, *more: bytes) -> None:
        """Write one answer."""
        self._answers.write(b"".join((encode(head).encode(), b"\n", *more)))
        self._answers.flush()


def _json(data: object) -> bytes:
    return orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY)


def serve(job: type[Job], work: Callable[[Job, Report], object]) -> None:
    """Do jobs of one class until the input ends."""
    kinds = kinds_of(job)
    with worker_process() as answers:
        report = Report(answers)
        for line in sys.stdin.buffer:
            try:
                report.result(work(decode_any(line, kinds), report))
            except KinegenError as error:
                report.answer(Failed(str(error)))
            except BrokenPipeError:
                raise
            except (ArithmeticError, RecursionError, MemoryError) as error:
                report.answer(Failed(f"this could not be computed: {error}"))
            except Exception as error:
                # a defect: the next job finds this process as if nothing had been
                words = f"the studio failed to compute this ({type(error).__name__}: {error})"
                report.answer(Failed(words))
