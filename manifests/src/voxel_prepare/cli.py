"""Console command `voxel-prepare`."""
