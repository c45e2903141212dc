"""Prepares video for voxel-dash.

Each sub-package imports only from those to its left, and from the modules beside them (`tests/test_layers.py`):
`isobmff`, `repair`, `h264`, `analysis`, `manifest`, `media`, `jobs`, `inspect`, `cli`.
"""
