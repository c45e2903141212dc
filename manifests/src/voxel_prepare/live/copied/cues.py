"""Cues: what says that advertisements or programmes begin and end (ANSI/SCTE 35), as far as their place in time needs.

Bytes come from the network: whatever they are, the answer is a cue or None.
"""

from dataclasses import dataclass

SCTE_35 = "scte_35"
"""FFmpeg's name of the stream."""

TABLE = 0xFC
"""table_id of a splice_info_section (§9.6)."""
HEAD, CHECKSUM = 14, 4
"""Bytes before a command, and of the end."""
MOST_BYTES = 4096
ENCRYPTED = 0x80
SPLICE_SCHEDULE, SPLICE_INSERT, TIME_SIGNAL, PRIVATE = 4, 5, 6, 0xFF
"""Commands that say something; the others keep a stream alive."""
UNKNOWN_LENGTH = 0xFFF
CLOCK = 1 << 33
SEGMENTATION = 2
"""Tag of a segmentation_descriptor (§10.3.3)."""
IDENTIFIER = b"CUEI"


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue as a sender has sent it."""

    section: bytes
    """The splice_info_section."""
    time: int | None
    """When it is to take effect, by the sender's clock, in ticks; None: at once."""
    duration: int | None
    """Of what begins with it, in ticks, where it says so."""
    identity: bytes
    """The same in cues that say the same of times that clocks of several inputs give: they are repeated, too."""


class _Reader:
    """Takes bytes off; raises `IndexError` where there are none."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise IndexError("expected more bytes")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, count: int) -> int:
        return int.from_bytes(self.take(count))

    def time(self) -> int | None:
        """A splice_time (§9.7.1)."""
        if not self.data[self.at] & 0x80:
            self.at += 1
            return None
        return self.number(5) % CLOCK


def read_cue(data: bytes) -> Cue | None:
    """None for what is no cue, cannot be read, is encrypted, or only keeps the stream alive."""
    length = 3 + (int.from_bytes(data[1:3]) & 0xFFF)
    if len(data) < HEAD + CHECKSUM or data[0] != TABLE or not HEAD + CHECKSUM <= length <= min(len(data), MOST_BYTES):
        return None
    section = data[:length]
    if section[4] & ENCRYPTED or section[13] not in {SPLICE_SCHEDULE, SPLICE_INSERT, TIME_SIGNAL, PRIVATE}:
        return None
    adjustment = int.from_bytes(section[4:9]) % CLOCK
    try:
        time, duration, untimed, descriptors = _read_command(section)
        if duration is None:
            duration = _segmentation_duration(descriptors)
    except IndexError:
        return None
    place = None if time is None else (time + adjustment) % CLOCK
    return Cue(section, place, duration, bytes([section[13]]) + untimed + descriptors)


def _read_command(section: bytes) -> tuple[int | None, int | None, bytes, bytes]:
    """Time and duration of a command, its bytes without the time, and the descriptors after it."""
    said = int.from_bytes(section[11:13]) & 0xFFF
    rest = section[HEAD:-CHECKSUM]
    reader = _Reader(rest if said == UNKNOWN_LENGTH else rest[:said])
    time: int | None = None
    duration: int | None = None
    untimed = b""
    match section[13]:
        case 5:
            time, duration, untimed = _read_insert(reader)
        case 6:
            time = reader.time()
        case _:
            untimed = reader.data
            reader.at = len(untimed)
    after = _Reader(rest[reader.at if said == UNKNOWN_LENGTH else said :])
    return time, duration, untimed, after.take(after.number(2))


def _read_insert(reader: _Reader) -> tuple[int | None, int | None, bytes]:
    """A splice_insert (§9.7.3)."""
    head = reader.take(5)
    if head[4] & 0x80:  # cancelled
        return None, None, head
    flags = reader.number(1)
    is_programme, has_duration, is_immediate = flags & 0x40, flags & 0x20, flags & 0x10
    time: int | None = None
    if is_programme:
        time = None if is_immediate else reader.time()
    else:
        for place in range(reader.number(1)):
            reader.take(1)
            of_component = None if is_immediate else reader.time()
            time = of_component if place == 0 else time
    duration = reader.number(5) % CLOCK if has_duration else None
    return time, duration, head + bytes([flags]) + (duration or 0).to_bytes(5) + reader.take(4)


def _segmentation_duration(descriptors: bytes) -> int | None:
    """That of the first segmentation_descriptor that has one."""
    reader = _Reader(descriptors)
    while reader.at < len(descriptors):
        tag = reader.number(1)
        body = _Reader(reader.take(reader.number(1)))
        if tag != SEGMENTATION or body.take(4) != IDENTIFIER or body.take(5)[4] & 0x80:
            continue
        flags = body.number(1)
        if not flags & 0x80:
            body.take(6 * body.number(1))
        if flags & 0x40:
            return body.number(5)
    return None
