"""Console command `voxel-serve`."""
