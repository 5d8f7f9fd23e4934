"""Running one command: its errors become sentences or a JSON document, and an exit code."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO, cast

from kinegen.cli.answers import Document, failure, one_document, print_json
from kinegen.cli.main import (
    EXIT_DEFECT,
    EXIT_INPUT,
    EXIT_OK,
    EXIT_STOPPED,
    EXIT_USAGE,
    UNTIL_STOPPED,
)
from kinegen.cli.out import check_place
from kinegen.cli.parser import HelpWanted, MisunderstoodError, parse, wants_json
from kinegen.cli.terminal import Output, complain, drop, prepare_streams
from kinegen.errors import KinegenError

if TYPE_CHECKING:
    from kinegen.cli.interrupts import Interrupts

__all__ = ["run_command", "stopped"]

_FLOAT_WARNINGS = "(overflow|underflow|invalid value|divide by zero) encountered"
"""What NumPy warns of when numbers leave their range, unless that is expected."""


def run_command(arguments: Sequence[str], interrupts: Interrupts | None = None) -> int:
    """Run the command that some words ask for; returns its exit code."""
    with _answering(arguments) as (out, document):
        try:
            code = _run(arguments, interrupts)
            if document is not None:
                document.end(code, EXIT_STOPPED)
            # here, not at the interpreter's end, where a closed pipe would still be a traceback
            out.flush()
            return code
        except (Exception, KeyboardInterrupt) as error:
            if interrupts is not None and interrupts.count:
                interrupts.end()
                return _fail(out, document, *_explain(KeyboardInterrupt()))
            return _fail(out, document, *_explain(error))


def stopped(arguments: Sequence[str]) -> int:
    """Report Ctrl-C before a command could begin."""
    with _answering(arguments) as (out, document):
        return _fail(out, document, *_explain(KeyboardInterrupt()))


@contextlib.contextmanager
def _answering(arguments: Sequence[str]) -> Iterator[tuple[Output, Document | None]]:
    """Standard output, and with --json the document that it is kept for."""
    prepare_streams()
    out = Output(sys.stdout)
    stream = cast(TextIO, out)
    if wants_json(arguments):
        with one_document(stream) as document:
            yield out, document
    else:
        with contextlib.redirect_stdout(stream):
            yield out, None


def _run(arguments: Sequence[str], interrupts: Interrupts | None) -> int:
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        warnings.filterwarnings("error", _FLOAT_WARNINGS, RuntimeWarning)
        try:
            options = parse(arguments)
        except HelpWanted as wanted:
            if wants_json(arguments):
                print_json({"help": str(wanted)})
            else:
                print(wanted, end="")
            return EXIT_OK
        if options.verb is None:
            return _version(options.json)
        if getattr(options, "out", None) is not None:
            check_place("--out", options.out)
        code = int(options.run(options))
        lost = interrupts is not None and interrupts.count > 0 and code == EXIT_OK
        if lost and options.verb not in UNTIL_STOPPED:
            raise KeyboardInterrupt  # some library has swallowed it
        return code


def _version(as_json: bool) -> int:
    import kinegen

    if as_json:
        print_json({"version": kinegen.__version__})
    else:
        print(f"kinegen {kinegen.__version__}")
    return EXIT_OK


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning as one sentence: where in our code it arose helps nobody here."""
    complain(f"kinegen: {message}")


_Explained = tuple[int, str, str, Sequence[Mapping[str, Any]]]
"""Exit code, the text for people, one sentence, the problems if there are several."""


def _explain(error: BaseException) -> _Explained:
    if isinstance(error, KeyboardInterrupt):
        return EXIT_STOPPED, "kinegen: stopped", "stopped", ()
    if isinstance(error, MisunderstoodError):
        return EXIT_USAGE, f"{error.usage}kinegen: {error}", str(error), ()
    if isinstance(error, KinegenError):
        # errors of files carry their places; RAFF's and those of other formats alike
        found = getattr(error, "problems", ())
        if not found:
            return EXIT_INPUT, f"kinegen: {error}", str(error), ()
        more = f"{len(found)} problems, the first: " if len(found) > 1 else ""
        return EXIT_INPUT, str(error), f"{more}{found[0]}", [_problem(one) for one in found]
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        reason = f"{where}{error.strerror or error}"
    elif isinstance(error, MemoryError):
        from kinegen.memory import available_memory, byte_text

        asked = f" ({error})" if str(error) else ""
        reason = (
            f"there is not enough memory for this{asked}; {byte_text(available_memory())} are "
            "available: ask for fewer points, poses or rows"
        )
    elif isinstance(error, ArithmeticError | RuntimeWarning) or _is_of_matrices(error):
        reason = f"a number is too large or too small to compute with ({error})"
    else:
        if os.environ.get("KINEGEN_DEBUG"):
            import traceback

            traceback.print_exception(error, file=sys.stderr)
        reason = (
            f"{type(error).__name__}: {error}: this is a defect of Kinegen; please report it with "
            "the command and what KINEGEN_DEBUG=1 shows"
        )
        return EXIT_DEFECT, f"kinegen: {' '.join(reason.split())}", reason, ()
    return EXIT_INPUT, f"kinegen: {reason}", reason, ()


def _is_of_matrices(error: BaseException) -> bool:
    """Whether NumPy met a singular matrix; known by its name: NumPy is not imported for it."""
    return type(error).__name__ == "LinAlgError"


def _problem(problem: Any) -> dict[str, Any]:
    return {
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "message": problem.message,
    }


def _fail(
    out: Output,
    document: Document | None,
    code: int,
    text: str,
    reason: str,
    problems: Sequence[Mapping[str, Any]],
) -> int:
    lost = out.failure
    if lost is None:
        if document is not None and not document.is_printed:
            document.content = failure(reason, problems)
            with contextlib.suppress(OSError):
                document.print()
                return code
            drop(out.stream)
        complain(text)
        return code
    drop(out.stream)
    if isinstance(lost, BrokenPipeError):
        return EXIT_OK  # the reader of a pipe wants no more, as in `kinegen list | head`
    complain(f"kinegen: {lost.strerror or lost}")
    return EXIT_INPUT
