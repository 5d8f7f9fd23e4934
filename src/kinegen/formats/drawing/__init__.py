"""Drawings: pictures, figures and 3D models."""
