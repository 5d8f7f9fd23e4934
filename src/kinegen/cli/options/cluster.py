"""``--cluster``: where large work runs."""

from __future__ import annotations

import argparse

__all__ = ["add_cluster"]


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """``--cluster``."""
    parser.add_argument(
        "--cluster", metavar="ADDRESS",
        help="where to run: a Dask scheduler (tcp://127.0.0.1:8786), or local:4 for 4 processes",
    )  # fmt: skip
