"""A codec's configuration and samples of any content: what their frames need, or why that cannot be told."""

from collections.abc import Sequence
from itertools import accumulate

from voxel_prepare.byte_ranges import EVERYTHING, ByteRange, ReceivedRanges
from voxel_prepare.codecs import CODECS
from voxel_prepare.errors import MisalignedSegments, RepairError
from voxel_prepare.isobmff import Sample
from voxel_prepare.repair.codec import DependentFrame, whole_samples

CLEAR_BYTES = 6
"""What of each sample is in the clear, once: the length and the header of an HEVC NAL unit."""


def fuzz(data: bytes) -> None:
    """The first byte chooses the codec, the second is the length of its configuration; samples follow, each after its
    length in two bytes.
    """
    if len(data) < 2:
        return
    kind, at = CODECS[data[0] % len(CODECS)], 2 + data[1]
    codec, lengths, contents = kind(data[2:at].ljust(kind.least_configuration, b"\0")), [], []
    while at + 2 <= len(data):
        length = int.from_bytes(data[at : at + 2], "big")
        contents.append(data[at + 2 : at + 2 + length])
        lengths.append(len(contents[-1]))
        at += 2 + length
    segment, starts = b"".join(contents), accumulate(lengths, initial=0)
    samples = [Sample(start, size, 1, 0, 0, 0, None) for start, size in zip(starts, lengths, strict=False)]
    assert codec.codecs(codec.sample_entries[0]).isprintable()
    for sample in samples[:1]:
        try:
            codec.check_start(segment, sample)
        except MisalignedSegments as error:
            assert "\n" not in str(error)
    heads = ReceivedRanges(ByteRange(sample.offset, sample.offset + CLEAR_BYTES) for sample in samples)
    for clear in (EVERYTHING, heads):
        try:
            frames = codec.dependencies(segment, samples, clear)
        except RepairError as error:
            assert "\n" not in str(error)
        else:
            check(frames, samples)


def check(frames: Sequence[DependentFrame], samples: Sequence[Sample]) -> None:
    assert {frame.sample for frame in frames if frame.is_shown} == set(range(len(samples)))
    at = 0
    for place, frame in enumerate(frames):
        sample = samples[frame.sample]
        assert max(at, sample.offset) <= frame.start <= frame.end <= sample.offset + sample.size
        at = frame.end
        assert len(frame.needs) < 64
        assert all(need < place for need in frame.needs)
        assert not frame.must_arrive or all(frames[need].must_arrive for need in frame.needs)
    assert [frame.sample for frame in whole_samples(frames, samples)] == list(range(len(samples)))
