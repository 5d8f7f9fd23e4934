"""Forward kinematics of many configurations."""
