"""The engine mujoco: the same mechanism in MuJoCo."""
