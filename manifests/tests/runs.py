"""Requests for quick runs."""

from pathlib import Path

from voxel_prepare.jobs.request import Request
from voxel_prepare.media.preset import Preset


def make_request(*inputs: Path, out: Path, **settings: object) -> Request:
    """A quick run; `settings` override."""
    fields = {
        "inputs": inputs,
        "out": out,
        "media": "encode",
        "representations": None,
        "segment_seconds": 2,
        "slices": 1,
        "preset": Preset.VERYFAST,
        "passes": 1,
        "start": 0,
        "duration": None,
        "jobs": 2,
    }
    return Request(**{**fields, **settings})  # type: ignore[arg-type]
