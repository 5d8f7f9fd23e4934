"""What all kernels build on: numbers, rotations, the model, forward kinematics."""
