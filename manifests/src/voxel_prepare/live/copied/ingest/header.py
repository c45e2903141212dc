"""What the header of a CMAF track says of it."""

from dataclasses import dataclass
from fractions import Fraction

from voxel_prepare.codecs import codec_named
from voxel_prepare.errors import MalformedStream, RepairError
from voxel_prepare.isobmff import Mp4Error, SampleDefaults, SampleDescription, UnsupportedMp4, parse_track
from voxel_prepare.isobmff.descriptors import AAC, decoder_config
from voxel_prepare.isobmff.edits import edit_offset
from voxel_prepare.live.copied.aac import AacFormat, from_configuration
from voxel_prepare.live.copied.demux import COPIED
from voxel_prepare.live.copied.notes import VideoFacts

MOST_OFFSET_SECONDS = 60
"""An edit list moves a track no further."""
SETS_COUNT, SETS_MASK = 5, 0x1F
"""Where an `avcC` says how many SPS it has (ISO/IEC 14496-15 §5.3.3.1)."""


@dataclass(frozen=True, slots=True)
class TrackHeader:
    """A track that can be copied."""

    content: VideoFacts | AacFormat
    timescale: int
    """Units per second."""
    offset: Fraction
    """Seconds to add to its times."""
    defaults: SampleDefaults
    language: str
    """Three letters."""


def read_header(moov: bytes) -> TrackHeader:
    """Reads a `moov`. Raises `Mp4Error`; `UnsupportedMp4` for a track that cannot be copied."""
    track = parse_track(moov)
    description = track.description
    if description.encryption is not None:
        raise UnsupportedMp4("expected media that is not encrypted, found encrypted media")
    content = _pictures(description) if track.handler == "vide" else _sound(description, track.handler)
    offset = edit_offset(moov)
    if abs(offset) > MOST_OFFSET_SECONDS:
        raise UnsupportedMp4(f"an edit list may move times by {MOST_OFFSET_SECONDS} s, found {float(offset):.3g} s")
    return TrackHeader(content, track.timescale, offset, track.defaults, track.language)


def _pictures(description: SampleDescription) -> VideoFacts:
    kind = codec_named(COPIED)
    assert kind is not None
    if description.sample_entry not in kind.sample_entries:
        raise UnsupportedMp4(f"expected H.264 to be copied, found {description.sample_entry}")
    codec = kind(description.entry_boxes.get(kind.configuration_box, b""))
    if len(codec.configuration) < kind.least_configuration:
        raise Mp4Error("expected an avcC box, found none")
    if not codec.configuration[SETS_COUNT] & SETS_MASK:
        raise UnsupportedMp4("expected parameter sets in the header of the track, found none")
    try:
        codec.reader(b"")
    except MalformedStream as error:
        raise Mp4Error(str(error)) from error
    except RepairError:
        pass  # It plays, and all of it must arrive.
    if not description.width or not description.height:
        raise Mp4Error(f"expected pictures, found {description.width}x{description.height}")
    return VideoFacts(codec, description.width, description.height)


def _sound(description: SampleDescription, handler: str) -> AacFormat:
    if handler != "soun" or description.sample_entry != "mp4a" or "esds" not in description.entry_boxes:
        raise UnsupportedMp4(f"expected H.264 or AAC to be copied, found {description.sample_entry}")
    config = decoder_config(description.entry_boxes["esds"])
    found = from_configuration(config.specific) if config.object_type == AAC else None
    if found is None:
        raise UnsupportedMp4(f"expected AAC to be copied, found object type {config.object_type:#x} of mp4a")
    return found
