"""A file, a segment and a segment index: every sample lies in its fragment."""

from collections.abc import Iterable
from contextlib import suppress
from itertools import pairwise

from voxel_prepare.isobmff import Fragment, Mp4Error, SampleDefaults, parse_fragments, parse_track
from voxel_prepare.isobmff.sidx import read_sidx


def fuzz(data: bytes) -> None:
    with suppress(Mp4Error):
        track = parse_track(data)
        assert data.startswith(track.init)
        assert track.timescale > 0
        _check(track.fragments, len(data))
    with suppress(Mp4Error):
        _check(parse_fragments(data, SampleDefaults(512, 9, 0)), len(data))
    with suppress(Mp4Error):
        ranges = read_sidx(memoryview(data), 0, len(data))
        assert all(earlier.end == later.start for earlier, later in pairwise(ranges))
        assert all(0 < range_.start < range_.end <= len(data) for range_ in ranges)


def _check(fragments: Iterable[Fragment], size: int) -> None:
    at = 0
    for fragment in fragments:
        assert at <= fragment.start <= fragment.moof_start < fragment.moof_end <= fragment.mdat_start
        assert fragment.mdat_start < fragment.mdat_payload <= fragment.end <= size
        at = fragment.end
        position = fragment.mdat_payload
        for each in fragment.samples:
            assert position <= each.offset <= each.offset + each.size <= fragment.end
            assert each.size_field is None or fragment.moof_start < each.size_field <= fragment.moof_end - 4
            position = each.offset + each.size
