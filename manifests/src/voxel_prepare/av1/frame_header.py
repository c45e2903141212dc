"""Frame headers up to their references (AV1 §5.9.2)."""

from dataclasses import dataclass, replace

from voxel_prepare.av1.obu import Obu
from voxel_prepare.av1.sequence_header import SELECT, SequenceHeader
from voxel_prepare.bits import BitReader
from voxel_prepare.errors import UnsupportedStream
from voxel_prepare.isobmff import Buffer

KEY, INTER, INTRA_ONLY, SWITCH = range(4)
"""frame_type (§6.8.2)."""

SLOTS = 8
"""Reference frames that a decoder keeps (NUM_REF_FRAMES)."""

REFERENCES = 7
"""So many of them an inter frame names (REFS_PER_FRAME)."""

ALL_SLOTS = (1 << SLOTS) - 1

MAX_HEADER_BYTES = 256
"""The references end before: 32 operating points of 32 bits, 8 order hints and 7 references are less."""


@dataclass(frozen=True, slots=True)
class FrameHeader:
    """What a frame takes from the slots and leaves there."""

    type: int
    is_shown: bool
    shows: int | None = None
    """It has no tiles and shows the frame in this slot (show_existing_frame)."""
    references: tuple[int, ...] = ()
    """Slots that it names, whether a block uses them or not: all that it inherits lies there."""
    refresh: int = 0
    """The slots that keep it, a bit each."""
    end: int = 0
    """Where what was read of it ends, in the data that it was read from."""


def parse_frame_header(data: Buffer, obu: Obu, sequence: SequenceHeader) -> FrameHeader:
    """Parses the header at the start of an OBU. Raises `UnsupportedStream` or `MalformedStream`."""
    reader = BitReader(bytes(data[obu.payload : min(obu.end, obu.payload + MAX_HEADER_BYTES)]))
    header = _parse(reader, obu, sequence)
    return replace(header, end=obu.payload + (reader.position + 7) // 8)


def _parse(reader: BitReader, obu: Obu, sequence: SequenceHeader) -> FrameHeader:
    if reader.flag():
        return FrameHeader(INTER, is_shown=True, shows=reader.bits(3))
    type_, is_shown = reader.bits(2), reader.flag()
    if is_shown and sequence.timing.has_decoder_model:
        reader.bits(sequence.timing.presentation_bits)
    if not is_shown:
        reader.flag()  # showable_frame
    is_shown_key = type_ == KEY and is_shown
    error_resilient = type_ == SWITCH or is_shown_key or reader.flag()
    reader.flag()  # disable_cdf_update
    screen_content = sequence.screen_content
    if screen_content == SELECT:
        screen_content = reader.bits(1)
    if screen_content and sequence.integer_mv == SELECT:
        reader.flag()  # force_integer_mv
    reader.bits(sequence.number_bits[0])
    if type_ != SWITCH:
        reader.flag()  # frame_size_override_flag
    reader.bits(sequence.order_hint_bits)
    is_intra = type_ in (KEY, INTRA_ONLY)
    if not is_intra and not error_resilient:
        reader.bits(3)  # primary_ref_frame, one of the references
    _skip_removal_times(reader, obu, sequence)
    refresh = ALL_SLOTS if type_ == SWITCH or is_shown_key else reader.bits(SLOTS)
    if (not is_intra or refresh != ALL_SLOTS) and error_resilient:
        for _ in range(SLOTS):
            reader.bits(sequence.order_hint_bits)
    return FrameHeader(type_, is_shown, None, () if is_intra else _references(reader, sequence), refresh)


def _skip_removal_times(reader: BitReader, obu: Obu, sequence: SequenceHeader) -> None:
    if sequence.timing.has_decoder_model and reader.flag():
        for point in sequence.operating_points:
            if point.has_decoder_model and point.has_layer(obu.temporal_layer, obu.spatial_layer):
                reader.bits(sequence.timing.removal_bits)


def _references(reader: BitReader, sequence: SequenceHeader) -> tuple[int, ...]:
    if sequence.order_hint_bits and reader.flag():
        raise UnsupportedStream("AV1 with short signalling of references (frame_refs_short_signaling)")
    delta_bits = sequence.number_bits[1]
    return tuple(reader.bits(3 + delta_bits) >> delta_bits for _ in range(REFERENCES))
