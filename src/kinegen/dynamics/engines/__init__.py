"""Engines: what moves a mechanism through time. They are plug-ins."""
