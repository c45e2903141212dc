"""Prepares video for voxel-dash."""
