"""``kinegen convert``: files of other formats to RAFF, and from RAFF to others."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from kinegen.cli.answers import print_json
from kinegen.cli.out import check_place, write_out
from kinegen.cli.output import count
from kinegen.errors import FormatError, UsageError
from kinegen.formats.format import Format
from kinegen.formats.load import format_of_file, load, read_text
from kinegen.formats.mechanisms.values import parse_values, read_values
from kinegen.formats.registry import format_named, format_of, formats
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.mesh_names import move_meshes

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
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[],
        help="an option of the source or target format; may be repeated",
    )  # fmt: skip
    parser.epilog = f"{parser.epilog}\n\nformats:\n{_formats()}"


def run(options: argparse.Namespace) -> int:
    """Read, turn, write."""
    if options.target is not None:
        check_place("TARGET", options.target)
    reader, writer = _reader(options), _writer(options)
    if writer.write is None:
        raise FormatError(f"format '{writer.name}' can be read but not written")
    given = dict(_assignments(options.option))
    for name in given.keys() - reader.options.keys() - writer.options.keys():
        (reader if reader.options else writer).check_options({name: given[name]})
    mechanism = _read(options, reader, {n: v for n, v in given.items() if n in reader.options})
    if options.target is not None and os.path.isfile(options.source):
        move_meshes(mechanism, Path(options.source).parent, Path(options.target).parent)
    text = writer.write(mechanism, options={n: v for n, v in given.items() if n in writer.options})
    if options.target is None:
        if options.json:
            print_json({"format": writer.name, "text": text})
        else:
            sys.stdout.write(text)
        return 0
    write_out(options.target, text)
    if options.json:
        notes = [str(one) for one in mechanism.remarks]
        print_json({"file": options.target, "format": writer.name, "notes": notes})
    else:
        for one in mechanism.remarks:
            print(f"note: {one}")
        joints = count(len(mechanism.joints), "joint")
        print(f"wrote {options.target}: '{mechanism.name}', {joints}, as {writer.title}")
    return 0


def _reader(options: argparse.Namespace) -> Format:
    if options.source_format:
        return format_named(options.source_format)
    if not Path(options.source).suffix:
        return format_named("raff")  # a library name
    return format_of_file(options.source)


def _writer(options: argparse.Namespace) -> Format:
    if options.target_format:
        return format_named(options.target_format)
    if options.target is None:
        return format_named("raff")
    return format_of(options.target, for_writing=True)


def _read(options: argparse.Namespace, reader: Format, format_options: dict[str, str]) -> Mechanism:
    values = read_values(read_text(options.values), options.values) if options.values else {}
    values |= parse_values(options.value)
    return load(options.source, format=reader.name, values=values, options=format_options)


def _assignments(words: Iterable[str]) -> Iterable[tuple[str, str]]:
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"--option takes NAME=VALUE, got '{word}'")
        yield name.strip(), value.strip()


def _formats() -> str:
    lines = []
    for known in formats().values():
        ways = " and ".join(
            way for way, can in (("read", known.read), ("written", known.write)) if can
        )
        lines.append(f"  {known.name:8} {known.title} ({', '.join(known.suffixes)}; {ways})")
        lines += [f"           --option {key}=…: {text}" for key, text in known.options.items()]
    return "\n".join(lines)
