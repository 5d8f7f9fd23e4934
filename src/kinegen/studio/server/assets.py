"""The built page that the studio serves and exports; ``web/build_client.py`` puts it here."""

from __future__ import annotations

from pathlib import Path

__all__ = ["CLIENT", "EXPORTED"]

CLIENT = Path(__file__).parents[1] / "client"
"""Folder of the studio's page; absent in an installation that was built without Node."""
EXPORTED = CLIENT / "page"
"""Script and style of exported pages."""
