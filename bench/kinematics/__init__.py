"""Benches of kinematics: poses, drags, solving, paths."""
