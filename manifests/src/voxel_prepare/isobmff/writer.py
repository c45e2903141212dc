"""Writes fragmented MP4 (ISO/IEC 14496-12, 14496-14, 14496-15): initialization segments and chunks with one track."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

TRACK = 1
"""The id of the only track."""

IDENTITY = struct.pack(">9i", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
SELF_CONTAINED = 1
"""Flag of a `url ` box: the media are in the same file."""
DEFAULT_BASE_IS_MOOF = 0x020000
DEFAULT_DURATION_PRESENT = 0x8
"""Flag of a `tfhd` (§8.8.7)."""
DURATION_PRESENT = 0x100
RUN_FLAGS = 0x1 | 0x200 | 0x400 | 0x800
"""Flags of a `trun` (§8.8.8): duration of each sample; data offset, and size, flags and composition offset of each."""
NTP_POSITION = 16
"""Place of the time in a `prft`."""
CAPTURED = 24
"""Flags of a `prft`: the time is that of capture (§8.16.5)."""

SYNC = 0x02000000
DEPENDS_ON_OTHERS = 0x01010000
NO_OTHERS_DEPEND_ON_IT = 0x00800000
"""Sample flags (§8.8.3.1)."""

NTP_EPOCH_SECONDS = 2_208_988_800
"""Seconds from 1900 to 1970 (RFC 5905)."""


@dataclass(frozen=True, slots=True)
class NewSample:
    """A frame to be written."""

    data: bytes | memoryview
    flags: int
    """Sample flags (§8.8.3.1), see `sample_flags`."""
    duration: int
    """Time to the decode time of the next one; both times in the track's timescale."""
    composition_offset: int = 0
    """Presentation time less decode time; not negative, as FFmpeg adds the greatest negative one to all times."""


@dataclass(frozen=True, slots=True)
class ChunkTimes:
    """When a chunk plays and was captured; media times in the track's timescale."""

    decode_time: int
    presentation_time: int
    """Presentation time of its earliest frame."""
    captured: int
    """When that frame was captured, in ms since 1970 (UTC)."""


@dataclass(frozen=True, slots=True)
class VideoEntry:
    """What a sample entry says of a video track."""

    type: str
    """Four-character code, as `avc1`."""
    configuration_box: str
    """That of the box which configures the decoder, as `avcC`."""
    configuration: bytes
    """The payload of that box."""
    width: int
    height: int


def video_init(video: VideoEntry, timescale: int) -> bytes:
    """`ftyp` and `moov` of a video track."""
    size = video.width, video.height
    fields = bytes(6) + _u16(1) + bytes(16) + _u16(*size) + _u32(0x480000, 0x480000, 0) + _u16(1)
    configuration = _box(video.configuration_box, video.configuration)
    entry = _box(video.type, fields, bytes(32), _u16(24, 0xFFFF), configuration)
    return _init("vide", entry, _full("vmhd", 0, 1, bytes(8)), timescale, size)


def audio_init(audio_specific_config: bytes, channels: int, sample_rate: int) -> bytes:
    """`ftyp` and `moov` of an AAC track, whose timescale is the sample rate in Hz."""
    fields = bytes(6) + _u16(1) + bytes(8) + _u16(channels, 16) + bytes(4) + _u32(sample_rate << 16)
    specific = _descriptor(0x05, audio_specific_config)
    decoder = _descriptor(0x04, b"\x40\x15" + bytes(11) + specific)
    stream = _descriptor(0x03, _u16(TRACK) + b"\0" + decoder + _descriptor(0x06, b"\x02"))
    entry = _box("mp4a", fields, _full("esds", 0, 0, stream))
    return _init("soun", entry, _full("smhd", 0, 0, bytes(4)), sample_rate, (0, 0))


def write_chunk_boxes(samples: Sequence[NewSample], times: ChunkTimes, sequence: int) -> bytes:
    """`prft`, and the fragment; `sequence` counts the track's fragments."""
    clock = _full(
        *("prft", 1, CAPTURED),
        *(_u32(TRACK), struct.pack(">Q", _ntp(times.captured)), struct.pack(">Q", times.presentation_time)),
    )
    return clock + write_fragment(samples, times.decode_time, sequence)


def write_fragment(samples: Sequence[NewSample], decode_time: int, sequence: int) -> bytes:
    """`moof` and `mdat`; `decode_time`: that of the first sample."""
    size = len(_moof(samples, decode_time, sequence, 0))
    return _moof(samples, decode_time, sequence, size + 8) + _box("mdat", *(sample.data for sample in samples))


def with_capture_time(chunk: bytes, captured: int) -> bytes:
    """A chunk of `write_chunk_boxes` with another capture time, in ms since 1970 (UTC)."""
    return chunk[:NTP_POSITION] + struct.pack(">Q", _ntp(captured)) + chunk[NTP_POSITION + 8 :]


def _moof(samples: Sequence[NewSample], decode_time: int, sequence: int, data_offset: int) -> bytes:
    duration = samples[0].duration
    is_constant = all(sample.duration == duration for sample in samples)
    track_fields = [TRACK, duration] if is_constant else [TRACK]
    track_flags = DEFAULT_BASE_IS_MOOF | (DEFAULT_DURATION_PRESENT if is_constant else 0)
    run_flags = RUN_FLAGS | (0 if is_constant else DURATION_PRESENT)
    run = [len(samples), data_offset]
    for sample in samples:
        run += [] if is_constant else [sample.duration]
        run += [len(sample.data), sample.flags, sample.composition_offset]
    return _box(
        "moof",
        _full("mfhd", 0, 0, _u32(sequence)),
        _box(
            "traf",
            _full("tfhd", 0, track_flags, _u32(*track_fields)),
            _full("tfdt", 1, 0, struct.pack(">Q", decode_time)),
            _full("trun", 0, run_flags, _u32(*run)),
        ),
    )


def sample_flags(*, is_sync: bool, is_reference: bool) -> int:
    """`is_reference`: other frames may refer to it."""
    if is_sync:
        return SYNC
    return DEPENDS_ON_OTHERS | (0 if is_reference else NO_OTHERS_DEPEND_ON_IT)


def _init(handler: str, entry: bytes, media_header: bytes, timescale: int, size: tuple[int, int]) -> bytes:
    is_audio = handler == "soun"
    data = _box("dinf", _full("dref", 0, 0, _u32(1), _full("url ", 0, SELF_CONTAINED)))
    empty = (_full(name, 0, 0, _u32(0)) for name in ("stts", "stsc", "stco"))
    table = _box("stbl", _full("stsd", 0, 0, _u32(1), entry), *empty, _full("stsz", 0, 0, _u32(0, 0)))
    media = _box(
        "mdia",
        _full("mdhd", 0, 0, _u32(0, 0, timescale, 0), _u16(0x55C4, 0)),  # language und
        _full("hdlr", 0, 0, _u32(0), handler.encode(), bytes(12), b"\0"),
        _box("minf", media_header, data, table),
    )
    volume = _u16(0, 0, 0x100 if is_audio else 0, 0)
    header = _full("tkhd", 0, 7, _u32(0, 0, TRACK, 0, 0, 0, 0), volume, IDENTITY, _u32(*(edge << 16 for edge in size)))
    movie = _full("mvhd", 0, 0, _u32(0, 0, 1000, 0, 0x10000), _u16(0x100), bytes(10), IDENTITY, bytes(24), _u32(2))
    defaults = _box("mvex", _full("trex", 0, 0, _u32(TRACK, 1, 0, 0, 0)))
    brands = _box("ftyp", b"iso6", _u32(0), b"iso6cmfcdash")
    return brands + _box("moov", movie, _box("trak", header, media), defaults)


def _box(fourcc: str, *payloads: bytes | memoryview) -> bytes:
    payload = b"".join(payloads)
    return struct.pack(">I4s", 8 + len(payload), fourcc.encode()) + payload


def _full(fourcc: str, version: int, flags: int, *payloads: bytes) -> bytes:
    return _box(fourcc, _u32(version << 24 | flags), *payloads)


def _descriptor(tag: int, content: bytes) -> bytes:
    """A descriptor of MPEG-4 systems, with up to 127 bytes (ISO/IEC 14496-1 §8.3.3)."""
    return bytes([tag, len(content)]) + content


def _u16(*values: int) -> bytes:
    return struct.pack(f">{len(values)}H", *values)


def _u32(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *values)


def _ntp(milliseconds: int) -> int:
    """Seconds since 1900 in 32.32 bits, modulo 2^64."""
    return ((milliseconds + 1000 * NTP_EPOCH_SECONDS) << 32) // 1000 & (1 << 64) - 1
