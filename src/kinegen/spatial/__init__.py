"""Rotations, poses, twists, wrenches and inertias as small frozen values."""
