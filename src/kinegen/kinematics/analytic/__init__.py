"""Closed-form inverse kinematics of arms that have one."""
