"""The index of a representation: the content of the `SegmentURL` attributes in a separate file (docs/MANIFEST.md)."""

import struct
from collections.abc import Iterable
from itertools import accumulate

from voxel_prepare.analysis.segment_analysis import Metric, SegmentAnalysis
from voxel_prepare.bits import BitReader, BitWriter
from voxel_prepare.errors import MalformedStream
from voxel_prepare.manifest.index_codes import CodeError, read_list, write_list
from voxel_prepare.manifest.index_entry import VERSION, IndexFormatError, read_entry, write_entry

VERSIONS = (VERSION, 1)
"""Those that are read, the one that is written first."""
INDEX_SCHEMES = tuple(f"urn:voxel-dash:index:{version}" for version in VERSIONS)
"""`SupplementalProperty@schemeIdUri`, likewise."""
INDEX_SCHEME = INDEX_SCHEMES[0]

MAGIC = b"VXIX"
METRICS = dict(enumerate(Metric))
METRIC_CODES = {metric: code for code, metric in METRICS.items()}
"""Codes of metrics in docs/MANIFEST.md."""
FIXED = struct.Struct(">4sBBBxII")
"""Magic, version, metric, decimals of a score, a zero, number of segments, bytes of head and table."""

MAX_DECIMALS = 9
MAX_SEGMENTS = 1 << 17
"""Three days of 2 s. Bounds the memory that a damaged index can make a reader use."""


def write_index(analyses: Iterable[SegmentAnalysis], decimals: int) -> bytes:
    """The index of all segments of a representation, at least one; scores and costs have `decimals` decimals."""
    entries: list[bytes] = []
    metrics: list[Metric] = []
    for analysis in analyses:
        entries.append(write_entry(analysis, 10**decimals))
        metrics.append(analysis.metric)
    table = BitWriter()
    write_list(table, [len(entry) for entry in entries])
    table.align(0)
    head_bytes = FIXED.size + table.position // 8
    metric = METRIC_CODES[metrics[0]]
    head = FIXED.pack(MAGIC, VERSION, metric, decimals, len(entries), head_bytes)
    return b"".join([head, table.to_bytes(), *entries])


def read_index(data: bytes) -> list[SegmentAnalysis | None]:
    """All segments of an index; None for one without an entry. Raises `IndexFormatError`."""
    if len(data) < FIXED.size:
        raise IndexFormatError(f"index: expected a head of {FIXED.size} bytes, found {len(data)} bytes")
    magic, version, metric, decimals, segments, head_bytes = FIXED.unpack_from(data)
    if magic != MAGIC or version not in VERSIONS:
        known = " or ".join(map(str, sorted(VERSIONS)))
        raise IndexFormatError(f"index: expected {MAGIC!r} version {known}, found {magic!r} version {version}")
    if metric not in METRICS or decimals > MAX_DECIMALS or segments > MAX_SEGMENTS or head_bytes < FIXED.size:
        raise IndexFormatError(
            f"index: bad head: metric {metric}, {decimals} decimals, {segments} segments, {head_bytes} bytes of head"
        )
    try:
        sizes = read_list(BitReader(data[FIXED.size : head_bytes]), segments)
    except (MalformedStream, CodeError) as error:
        raise IndexFormatError(f"index: damaged table: {error}") from error
    ends = list(accumulate(sizes, initial=head_bytes))
    if ends[-1] > len(data):
        raise IndexFormatError(f"index: expected {ends[-1]} bytes, found {len(data)}")
    return [
        read_entry(data[end - size : end], METRICS[metric], 10**decimals, version=version) if size else None
        for end, size in zip(ends[1:], sizes, strict=True)
    ]
