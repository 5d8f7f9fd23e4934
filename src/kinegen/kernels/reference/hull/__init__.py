"""Visual hulls: voxels carved from silhouettes, their surface and its colours."""
