"""``kinegen convert``: files of other formats to RAFF, and from RAFF to others."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kinegen.cli.answers import print_json
from kinegen.cli.options.formats import add_format_options, format_list, format_options
from kinegen.cli.out import check_place
from kinegen.cli.output import count
from kinegen.errors import FormatError, UsageError
from kinegen.formats.export import export, write_format, writer_of
from kinegen.formats.format import Format, Written
from kinegen.formats.load import format_of_file, load, read_text
from kinegen.formats.mechanisms.values import parse_values, read_values
from kinegen.formats.registry import format_named
from kinegen.mechanism.graph import Mechanism

EXAMPLES = [
    "kinegen convert arm.csv arm.raff    # a standard D-H table",
    "kinegen convert arm.csv arm.raff --from mdh --option angle=deg --option length=mm",
    "kinegen convert robot.par robot.raff --value L2=0.4 --values lengths.txt",
    "kinegen convert stewart stewart.svg --option theme=dark",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Source, target, formats, symbols."""
    parser.add_argument("source", metavar="SOURCE", help="a file, or a library name")
    parser.add_argument("target", metavar="TARGET", nargs="?", help="default: print RAFF text")
    parser.add_argument("--from", dest="source_format", metavar="FORMAT", help="default: by suffix")
    parser.add_argument("--to", dest="target_format", metavar="FORMAT", help="default: by suffix")
    parser.add_argument(
        "--value", metavar="SYMBOL=NUMBER", action="append", default=[],
        help="value of a symbol, e.g. L2='400 mm'; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--values", metavar="FILE", help="file of such values, one 'name = number' per line"
    )
    add_format_options(parser, "an option of the source or target format")
    parser.epilog = f"{parser.epilog}\n\nformats:\n{format_list()}"


def run(options: argparse.Namespace) -> int:
    """Read, turn, write."""
    if options.target is not None:
        check_place("TARGET", options.target)
    reader, writer = _reader(options), _writer(options)
    if writer.write is None:
        raise FormatError(f"format '{writer.name}' can be read but not written")
    given = format_options(options)
    for name in given.keys() - reader.options.keys() - writer.options.keys():
        (reader if reader.options else writer).check_options({name: given[name]})
    mechanism = _read(options, reader, {n: v for n, v in given.items() if n in reader.options})
    wanted = {n: v for n, v in given.items() if n in writer.options}
    if options.target is None:
        return _print(write_format(writer, mechanism, file="", options=wanted), writer, options)
    made = export(mechanism, options.target, format=writer.name, options=wanted)
    notes = [*map(str, mechanism.remarks), *made.notes]
    if options.json:
        print_json({"file": options.target, **made.to_dict(), "notes": notes})
    else:
        for one in notes:
            print(f"note: {one}")
        joints = count(len(mechanism.joints), "joint")
        print(f"wrote {options.target}: '{mechanism.name}', {joints}, as {writer.title}")
    return 0


def _print(made: Written, writer: Format, options: argparse.Namespace) -> int:
    """A file's text instead of the file; notes go where they do not mix with it."""
    if not isinstance(made.content, str) or made.files:
        what = "several files" if made.files else "no text"
        raise UsageError(
            f"format '{writer.name}' makes {what} here, which cannot be printed: specify TARGET"
        )
    if options.json:
        print_json({"format": writer.name, "text": made.content, "notes": list(made.notes)})
        return 0
    sys.stdout.write(made.content)
    for note in made.notes:
        print(f"note: {note}", file=sys.stderr)
    return 0


def _reader(options: argparse.Namespace) -> Format:
    if options.source_format:
        return format_named(options.source_format)
    if not Path(options.source).suffix:
        return format_named("raff")  # a library name
    return format_of_file(options.source)


def _writer(options: argparse.Namespace) -> Format:
    if options.target is None:
        return format_named(options.target_format or "raff")
    return writer_of(options.target, options.target_format)


def _read(options: argparse.Namespace, reader: Format, format_options: dict[str, str]) -> Mechanism:
    values = read_values(read_text(options.values), options.values) if options.values else {}
    values |= parse_values(options.value)
    return load(options.source, format=reader.name, values=values, options=format_options)
