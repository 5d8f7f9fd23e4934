"""The solver of drags, assembly and inverse kinematics."""
