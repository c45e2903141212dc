"""Serves voxel-dash streams."""
