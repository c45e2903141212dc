"""The index of a representation: what `SegmentURL` attributes say, in a file of its own (docs/MANIFEST.md)."""

import struct
from collections.abc import Sequence
from itertools import accumulate

from voxel_prepare.analysis.segment_analysis import Metric, SegmentAnalysis
from voxel_prepare.h264.bits import BitReader, BitWriter
from voxel_prepare.h264.errors import MalformedStream
from voxel_prepare.manifest.index_codes import CodeError, read_list, write_list
from voxel_prepare.manifest.index_entry import IndexFormatError, read_entry, write_entry

INDEX_SCHEME = "urn:voxel-dash:index:1"
"""`SupplementalProperty@schemeIdUri`."""

MAGIC = b"VXIX"
VERSION = 1
METRIC_CODES = {Metric.SSIM: 0, Metric.PSNR: 1, Metric.VMAF: 2}
"""As in docs/MANIFEST.md."""
METRICS = {code: metric for metric, code in METRIC_CODES.items()}
FIXED = struct.Struct(">4sBBBxII")
"""Magic, version, metric, decimals of a score, a zero, segments, bytes of this and the table."""

MAX_DECIMALS = 9
MAX_SEGMENTS = 1 << 17
"""Three days of 2 s. A reader of a bad index must not be made to build more."""


def write_index(analyses: Sequence[SegmentAnalysis], decimals: int) -> bytes:
    """The index of all segments of a representation, with scores and costs of so many decimals."""
    entries = [write_entry(analysis, 10**decimals) for analysis in analyses]
    table = BitWriter()
    write_list(table, [len(entry) for entry in entries])
    table.align(0)
    head_bytes = FIXED.size + table.position // 8
    metric = METRIC_CODES[analyses[0].metric]
    head = FIXED.pack(MAGIC, VERSION, metric, decimals, len(entries), head_bytes)
    return b"".join([head, table.to_bytes(), *entries])


def read_index(data: bytes) -> list[SegmentAnalysis | None]:
    """All segments of an index; None for one without an entry. Raises `IndexFormatError`."""
    if len(data) < FIXED.size:
        raise IndexFormatError("index: shorter than its head")
    magic, version, metric, decimals, segments, head_bytes = FIXED.unpack_from(data)
    if magic != MAGIC or version != VERSION:
        raise IndexFormatError("index: not an index, or of another version")
    if metric not in METRICS or decimals > MAX_DECIMALS or segments > MAX_SEGMENTS or head_bytes < FIXED.size:
        raise IndexFormatError("index: a bad head")
    try:
        sizes = read_list(BitReader(data[FIXED.size : head_bytes]), segments)
    except (MalformedStream, CodeError) as error:
        raise IndexFormatError("index: a damaged table") from error
    ends = list(accumulate(sizes, initial=head_bytes))
    if ends[-1] > len(data):
        raise IndexFormatError("index: it ends inside an entry")
    return [
        read_entry(data[end - size : end], METRICS[metric], 10**decimals) if size else None
        for end, size in zip(ends[1:], sizes, strict=True)
    ]
