"""H.264 as far as damaged pictures need it: parameter sets, slice headers, all-skip slices.

Progressive 4:2:0 with any entropy coding, references, weights and slices; anything else raises `UnsupportedStream`.
"""

from voxel_prepare.h264.access_unit import AccessUnit, NalUnit, SliceUnit, read_access_unit
from voxel_prepare.h264.parameter_sets import ParameterSets, PictureParameterSet, SequenceParameterSet
from voxel_prepare.h264.skip_slice import skip_slice
from voxel_prepare.h264.slice_header import SliceHeader, SliceType, parse_slice_header

__all__ = [
    "AccessUnit",
    "NalUnit",
    "ParameterSets",
    "PictureParameterSet",
    "SequenceParameterSet",
    "SliceHeader",
    "SliceType",
    "SliceUnit",
    "parse_slice_header",
    "read_access_unit",
    "skip_slice",
]
