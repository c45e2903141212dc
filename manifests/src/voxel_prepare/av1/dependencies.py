"""What AV1 frames need.

All that a frame takes from others lies in the slots that it names, whether a block uses them or not: pictures, motion
fields, CDFs, segmentation, loop filter deltas, global motion, film grain (§7.20, §7.21). So a frame that no kept frame
names leaves no trace.
"""

from collections.abc import Sequence
from dataclasses import replace

from voxel_prepare.av1.configuration import LEAST_BYTES, sequence_header
from voxel_prepare.av1.frame_header import ALL_SLOTS, KEY, SLOTS, FrameHeader, parse_frame_header
from voxel_prepare.av1.obu import (
    FRAME,
    FRAME_HEADER,
    METADATA,
    SEQUENCE_HEADER,
    TEMPORAL_DELIMITER,
    Obu,
    read_obus,
)
from voxel_prepare.av1.sequence_header import SequenceHeader, parse_sequence_header
from voxel_prepare.byte_ranges import Received
from voxel_prepare.errors import MalformedStream, UnsupportedStream
from voxel_prepare.isobmff import Buffer, Sample
from voxel_prepare.repair.codec import DependentFrame


class Dependencies:
    """Reads a segment's samples one after the other and keeps what lies in the decoder's slots."""

    def __init__(self, configuration: bytes, clear: Received) -> None:
        self._clear = clear
        self._content = sequence_header(configuration, LEAST_BYTES)
        self._sequence: SequenceHeader | None = None
        self._slots: list[int | None] = [None] * SLOTS
        """The frame in each, by its place; of a header that shows a key frame again the header's."""
        self._is_key: list[bool] = []
        """Whether each frame so far is a key frame, or shows one again."""
        self.frames: list[DependentFrame] = []

    def read(self, segment: Buffer, place: int, sample: Sample) -> None:
        """Raises `UnsupportedStream` or `MalformedStream`."""
        before, start = len(self.frames), None
        end = sample.offset + sample.size
        for obu in read_obus(segment, sample.offset, end):
            self._check_clear(obu.start, obu.end if obu.type == SEQUENCE_HEADER else obu.payload)
            if obu.spatial_layer or not self._is_decoded(obu):
                raise UnsupportedStream("AV1 with spatial layers, or layers that are not decoded")
            if obu.type == SEQUENCE_HEADER:
                self._take_sequence_header(bytes(segment[obu.payload : obu.end]))
                start = None
            elif obu.type in (FRAME, FRAME_HEADER):
                if len(self.frames) > before and self.frames[-1].is_shown:
                    raise UnsupportedStream("AV1 frames behind the shown one of their sample")
                self._add(segment, place, obu, obu.start if start is None else start)
                start = None
            elif obu.type == METADATA:
                start = obu.start if start is None else start
            elif obu.type != TEMPORAL_DELIMITER and start is None and len(self.frames) > before:
                self.frames[-1] = replace(self.frames[-1], end=obu.end)
        if len(self.frames) == before or not self.frames[-1].is_shown:
            raise UnsupportedStream("AV1 samples without a shown frame")
        if start is not None:  # what describes a picture behind it
            self.frames[-1] = replace(self.frames[-1], end=end)

    def check_numbers(self) -> None:
        """Raises `UnsupportedStream` unless decoders take the step in the frames' numbers over any that are removed."""
        bits = self._sequence.number_bits[0] if self._sequence else 0
        if bits and len(self.frames) >= 1 << bits - 1:
            raise UnsupportedStream(f"AV1 with frame numbers of {bits} bits in a segment of {len(self.frames)} frames")

    def _check_clear(self, start: int, end: int) -> None:
        if not self._clear.contains(start, end):
            raise UnsupportedStream("AV1 frame headers that are encrypted")

    def _is_decoded(self, obu: Obu) -> bool:
        if self._sequence is None or obu.type in (SEQUENCE_HEADER, TEMPORAL_DELIMITER):
            return True
        return self._sequence.operating_points[0].has_layer(obu.temporal_layer, obu.spatial_layer)

    def _take_sequence_header(self, content: bytes) -> None:
        if self.frames and content != self._content:
            raise UnsupportedStream("AV1 sequence headers that change inside a segment")
        if content != self._content:
            self._content, self._sequence = content, None

    def _add(self, segment: Buffer, place: int, obu: Obu, start: int) -> None:
        if self._sequence is None:
            if self._content is None:
                raise MalformedStream("AV1 without a sequence header")
            self._sequence = parse_sequence_header(self._content)
        header = parse_frame_header(segment, obu, self._sequence)
        self._check_clear(obu.payload, header.end)
        number = len(self.frames)
        needs = self._needs(header)
        self.frames.append(DependentFrame(place, start, obu.end, needs, header.is_shown, number == 0))
        is_key, refresh = header.type == KEY, header.refresh
        if header.shows is not None and self._is_key[needs[0]]:
            is_key, refresh = True, ALL_SLOTS  # the key frame is loaded into all slots (§7.21)
        self._is_key.append(is_key)
        for slot in range(SLOTS):
            if refresh >> slot & 1:
                self._slots[slot] = number

    def _needs(self, header: FrameHeader) -> tuple[int, ...]:
        slots = header.references if header.shows is None else (header.shows,)
        found = {self._slots[slot] for slot in slots}
        needs = sorted(number for number in found if number is not None)
        if len(needs) < len(found):
            raise UnsupportedStream("AV1 frames that need one before their segment")
        return tuple(needs)


def read_dependencies(
    configuration: bytes, segment: Buffer, samples: Sequence[Sample], clear: Received
) -> list[DependentFrame]:
    """The frames of a segment with what they need. Raises `UnsupportedStream` or `MalformedStream`."""
    read = Dependencies(configuration, clear)
    for place, sample in enumerate(samples):
        read.read(segment, place, sample)
    read.check_numbers()
    return read.frames
