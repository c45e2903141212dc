"""Cues: what says that advertisements or programmes begin and end (ANSI/SCTE 35), as far as their place in time needs.

Bytes come from the network: whatever they are, the answer is a cue or None.
"""

from dataclasses import dataclass

from voxel_prepare.manifest.live_mpd import Splice

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
BREAKS = {0x22, 0x30, 0x32, 0x34, 0x36, 0x44, 0x46}
"""segmentation_type_ids with which a break, an advertisement or an opportunity for one begins; the next one ends it."""
CALLED_OFF = 0x80
"""An event is cancelled."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue as a sender has sent it."""

    section: bytes
    """The splice_info_section."""
    time: int | None
    """When it is to take effect, by the sender's clock, in ticks; None: at once."""
    duration: int | None
    """How long what begins with it lasts, in ticks, where it says so."""
    splice: Splice | None
    splice_id: int | None
    """See `LiveEvent`."""
    identity: bytes
    """The same in cues that say the same of times that clocks of several inputs give: they are repeated, too."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What a command or a descriptor says of a break."""

    duration: int | None
    splice: Splice | None
    id: int | None


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
        time, untimed, descriptors, said = _read_command(section)
        said = said or _read_segmentations(descriptors)
    except IndexError:
        return None
    place = None if time is None else (time + adjustment) % CLOCK
    identity = bytes([section[13]]) + untimed + descriptors
    return Cue(section, place, said.duration, said.splice, said.id, identity)


def _read_command(section: bytes) -> tuple[int | None, bytes, bytes, _Said | None]:
    """A command: its time, its bytes without that, the descriptors after it, and what it says itself."""
    said = int.from_bytes(section[11:13]) & 0xFFF
    rest = section[HEAD:-CHECKSUM]
    reader = _Reader(rest if said == UNKNOWN_LENGTH else rest[:said])
    time: int | None = None
    splice: _Said | None = None
    untimed = b""
    if section[13] == SPLICE_INSERT:
        time, untimed, splice = _read_insert(reader)
    elif section[13] == TIME_SIGNAL:
        time = reader.time()
    else:
        untimed = reader.data
        reader.at = len(untimed)
    after = _Reader(rest[reader.at if said == UNKNOWN_LENGTH else said :])
    return time, untimed, after.take(after.number(2)), splice


def _read_insert(reader: _Reader) -> tuple[int | None, bytes, _Said]:
    """A splice_insert (§9.7.3)."""
    head = reader.take(5)
    id_ = int.from_bytes(head[:4])
    if head[4] & CALLED_OFF:
        return None, head, _Said(None, None, id_)
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
    untimed = head + bytes([flags]) + (duration or 0).to_bytes(5) + reader.take(4)
    return time, untimed, _Said(duration, "OUT" if flags & 0x80 else "IN", id_)


def _read_segmentations(descriptors: bytes) -> _Said:
    """What segmentation_descriptors say: the first that is a break's begin or end, or else the first."""
    reader = _Reader(descriptors)
    found = [_Said(None, "CMD", None)]
    while reader.at < len(descriptors):
        tag = reader.number(1)
        body = _Reader(reader.take(reader.number(1)))
        if tag == SEGMENTATION and body.take(4) == IDENTIFIER:
            found.append(_read_segmentation(body))
    breaks = [said for said in found if said.splice != "CMD"]
    return (breaks or found[1:] or found)[0]


def _read_segmentation(body: _Reader) -> _Said:
    id_ = body.number(4)
    if body.number(1) & CALLED_OFF:
        return _Said(None, None, id_)
    flags = body.number(1)
    if not flags & 0x80:
        body.take(6 * body.number(1))
    duration = body.number(5) if flags & 0x40 else None
    body.take(1)
    body.take(body.number(1))
    kind = body.number(1)
    splice: Splice = "OUT" if kind in BREAKS else "IN" if kind - 1 in BREAKS else "CMD"
    return _Said(duration, splice, id_)
