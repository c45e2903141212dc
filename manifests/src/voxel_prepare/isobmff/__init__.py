"""Fragmented MP4 (ISO/IEC 14496-12): reads only what preparation and repair need."""

from voxel_prepare.isobmff.boxes import Mp4Error, UnsupportedMp4
from voxel_prepare.isobmff.fragments import Buffer, DataOffset, Fragment, Sample, SampleDefaults, parse_fragments
from voxel_prepare.isobmff.track import SampleDescription, Track, parse_track

__all__ = [
    "Buffer",
    "DataOffset",
    "Fragment",
    "Mp4Error",
    "Sample",
    "SampleDefaults",
    "SampleDescription",
    "Track",
    "UnsupportedMp4",
    "parse_fragments",
    "parse_track",
]
