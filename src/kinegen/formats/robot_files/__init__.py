"""Writers of robot files: URDF, MJCF, SDF, USD, X3D, from one outline of the mechanism."""
