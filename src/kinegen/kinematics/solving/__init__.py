"""Solving: dragging, inverse kinematics, and closing loops."""
