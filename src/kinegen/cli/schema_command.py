"""``kinegen schema``: the JSON Schema of RAFF."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from kinegen.raff.schema import json_schema

EXAMPLES = ["kinegen schema --out raff.schema.json", "kinegen schema | head"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to write."""
    parser.add_argument("--out", metavar="FILE", help="write to a file instead of the terminal")


def run(options: argparse.Namespace) -> int:
    """Print or write the schema."""
    text = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    if options.out:
        Path(options.out).write_text(text, encoding="utf-8")
        report = {"ok": True, "file": options.out}
        print(json.dumps(report) if options.json else f"wrote {options.out}")
    else:
        print(text, end="")
    return 0
