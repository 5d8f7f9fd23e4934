"""``kinegen schema``: the JSON Schema of RAFF."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from kinegen.cli.output import print_json
from kinegen.raff.schema import json_schema

EXAMPLES = ["kinegen schema --out raff.schema.json", "kinegen schema | head"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to write."""
    parser.add_argument("--out", metavar="FILE", help="write to a file instead of the terminal")


def run(options: argparse.Namespace) -> int:
    """Print or write the schema."""
    if not options.out:
        print_json(json_schema())
        return 0
    text = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    Path(options.out).write_text(text, encoding="utf-8")
    if options.json:
        print_json({"ok": True, "file": options.out})
    else:
        print(f"wrote {options.out}")
    return 0
