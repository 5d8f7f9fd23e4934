"""URDF and xacro files → Robot."""
