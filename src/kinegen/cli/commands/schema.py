"""``kinegen schema``: the JSON Schema of RAFF."""

from __future__ import annotations

import argparse
import json
import sys

from kinegen.cli.answers import print_json
from kinegen.cli.out import write_out
from kinegen.cli.terminal import has_unicode
from kinegen.raff.schema import json_schema

EXAMPLES = ["kinegen schema --out raff.schema.json", "kinegen schema | head"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to write."""
    parser.add_argument("--out", metavar="FILE", help="write to a file instead of the terminal")


def run(options: argparse.Namespace) -> int:
    """Print or write the schema."""
    schema = json_schema()
    is_escaped = not (options.out or has_unicode(sys.stdout))
    text = json.dumps(schema, indent=2, ensure_ascii=is_escaped) + "\n"
    if options.out:
        write_out(options.out, text)
    if options.json:
        print_json({"file": options.out} if options.out else {"schema": schema})
    else:
        print(f"wrote {options.out}\n" if options.out else text, end="")
    return 0
