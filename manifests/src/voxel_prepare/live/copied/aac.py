"""AAC as inputs bring it: raw, or with ADTS headers (ISO/IEC 13818-7 §6.2), and how its decoder is configured."""

from dataclasses import dataclass

SAMPLE_RATES = (96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350)
"""Hz, by index (ISO/IEC 14496-3 table 1.18)."""
ESCAPE = 15
HEADER, CRC = 7, 2
CHANNELS = (0, 1, 2, 3, 4, 5, 6, 8)
"""Numbers of channels by channel configuration (table 1.19)."""
ESCAPED_TYPE = 31
LC = 2
SPECTRAL_BAND_REPLICATION, PARAMETRIC_STEREO = 5, 29


@dataclass(frozen=True, slots=True)
class AacFormat:
    """How a track of AAC is coded."""

    configuration: bytes
    """An AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1)."""
    object_type: int
    rate: int
    """Samples per second that a frame of 1024 counts in."""
    channels: int

    @property
    def codecs(self) -> str:
        """RFC 6381."""
        return f"mp4a.40.{self.object_type}"


def from_configuration(configuration: bytes) -> AacFormat | None:
    """None for one that is none, or is not by rates and channels of the tables."""
    bits = int.from_bytes(configuration[:8].ljust(8, b"\0"))
    object_type, rate_index, channels = bits >> 59, bits >> 55 & 15, bits >> 51 & 15
    if len(configuration) < 2 or object_type in {0, ESCAPED_TYPE}:
        return None
    return _format(configuration, object_type, rate_index, channels)


def read_adts(frame: bytes) -> tuple[AacFormat, bytes] | None:
    """The format and the raw frame of one with an ADTS header; None for another, or for several blocks in one."""
    if len(frame) < HEADER or frame[0] != 0xFF or frame[1] & 0xF6 != 0xF0:
        return None
    head = int.from_bytes(frame[:HEADER])
    object_type, rate_index, channels = (head >> 38 & 3) + 1, head >> 34 & 15, head >> 30 & 7
    size, blocks = head >> 13 & 0x1FFF, head & 3
    start = HEADER + (0 if frame[1] & 1 else CRC)
    if blocks or not start < size <= len(frame):
        return None
    configuration = (object_type << 11 | rate_index << 7 | channels << 3).to_bytes(2)
    found = _format(configuration, object_type, rate_index, channels)
    return (found, frame[start:size]) if found else None


def _format(configuration: bytes, object_type: int, rate_index: int, channels: int) -> AacFormat | None:
    if rate_index >= len(SAMPLE_RATES) or not 0 < channels < len(CHANNELS):
        return None
    return AacFormat(configuration, object_type, SAMPLE_RATES[rate_index], CHANNELS[channels])
