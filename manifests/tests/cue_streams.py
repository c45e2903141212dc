"""SCTE-35 in MPEG-TS, which FFmpeg does not make: sections, and a stream of them spliced into one that FFmpeg made.

`python cue_streams.py IN.ts OUT.ts SECONDS…` puts a break of two seconds into it at each of those times after the first
picture, announced a second before.
"""

import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PACKET = 188
CUE_PID = 0x1F0
SCALE = 90_000
AHEAD = 1
BREAK = 2
CLOCK = (1 << 33) - 1


@dataclass(frozen=True)
class Insertion:
    """Bytes that the stream of cues carries from some time on."""

    at: float
    """Seconds after the first picture: the first packet whose PCR is there follows it."""
    section: bytes


def crc32(data: bytes) -> int:
    """That of MPEG-2 systems (ISO/IEC 13818-1 annex A)."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value >> 31 else 0)) & 0xFFFFFFFF
    return value


def sealed(section: bytes) -> bytes:
    """A section with its checksum."""
    return section + struct.pack(">I", crc32(section))


def splice_time(pts: int | None) -> bytes:
    return b"\x7f" if pts is None else (0xFE << 32 | 1 << 39 | pts & CLOCK).to_bytes(5)


def splice_insert(event: int, pts: int | None, duration: int | None, *, is_out: bool = True) -> bytes:
    """The command (SCTE 35 §9.7.3); times in ticks, `pts` None: at once."""
    flags = is_out << 7 | 1 << 6 | (duration is not None) << 5 | (pts is None) << 4 | 0xF
    length = b"" if duration is None else (0xFE << 32 | duration).to_bytes(5)
    return struct.pack(">IBB", event, 0x7F, flags) + (b"" if pts is None else splice_time(pts)) + length + bytes(4)


def segmentation(event: int, type_id: int, duration: int | None = None) -> bytes:
    """A segmentation_descriptor (§10.3.3)."""
    flags = 1 << 7 | (duration is not None) << 6 | 0x3F
    length = b"" if duration is None else duration.to_bytes(5)
    body = b"CUEI" + struct.pack(">IBB", event, 0x7F, flags) + length + bytes([0, 0, type_id, 0, 0])
    return bytes([2, len(body)]) + body


def splice_info(kind: int, command: bytes, descriptors: bytes = b"", *, adjustment: int = 0) -> bytes:
    """A splice_info_section (§9.6)."""
    body = bytes([0]) + adjustment.to_bytes(5) + b"\0" + (0xFFF << 12 | len(command)).to_bytes(3)
    body += bytes([kind]) + command + struct.pack(">H", len(descriptors)) + descriptors
    return sealed(struct.pack(">BH", 0xFC, 0x3000 | len(body) + 4) + body)


def with_cues(stream: bytes, insertions: Sequence[Insertion]) -> bytes:
    """A stream of one programme with one more of cues; the rest of it is as it was."""
    packets = [stream[at : at + PACKET] for at in range(0, len(stream) - PACKET + 1, PACKET)]
    programme = next(_programme(packet) for packet in packets if _pid(packet) == 0)
    first = first_picture(stream)
    waiting = sorted(insertions, key=lambda one: one.at)
    out: list[bytes] = []
    counter = 0
    for packet in packets:
        out.append(_announcing(packet) if _pid(packet) == programme else packet)
        clock = _pcr(packet)
        while waiting and clock is not None and _since(clock, first) >= waiting[0].at * SCALE:
            made = _packets(waiting.pop(0).section, counter)
            counter += len(made)
            out += made
    assert not waiting
    return b"".join(out)


def first_picture(stream: bytes) -> int:
    """When the first picture is shown, in ticks."""
    for at in range(0, len(stream) - PACKET + 1, PACKET):
        payload = _payload(stream[at : at + PACKET])
        if stream[at + 1] & 0x40 and payload[:3] == b"\0\0\1" and payload[3] & 0xF0 == 0xE0:
            head = payload[9:14]
            return (head[0] >> 1 & 7) << 30 | (int.from_bytes(head[1:3]) >> 1) << 15 | int.from_bytes(head[3:5]) >> 1
    raise AssertionError("no picture")


def breaks(stream: bytes, seconds: Sequence[float]) -> bytes:
    """The stream with a break at each of those times after its first picture, announced `AHEAD` before, twice."""
    first = first_picture(stream)
    insertions: list[Insertion] = []
    for event, at in enumerate(seconds, 1):
        command = splice_insert(event, (first + round(at * SCALE)) & CLOCK, BREAK * SCALE)
        insertions += [Insertion(at - AHEAD + late, splice_info(5, command)) for late in (0, 0.3)]
    return with_cues(stream, insertions)


def _since(clock: int, first: int) -> int:
    return (clock - first + (1 << 32)) % (1 << 33) - (1 << 32)


def _pid(packet: bytes) -> int:
    return int.from_bytes(packet[1:3]) & 0x1FFF


def _payload(packet: bytes) -> bytes:
    return packet[5 + packet[4] :] if packet[3] & 0x20 else packet[4:]


def _pcr(packet: bytes) -> int | None:
    has_pcr = packet[3] & 0x20 and packet[4] > 0 and packet[5] & 0x10
    return int.from_bytes(packet[6:11]) >> 7 if has_pcr else None


def _programme(packet: bytes) -> int:
    section = _payload(packet)[1:]
    return int.from_bytes(section[10:12]) & 0x1FFF


def _announcing(packet: bytes) -> bytes:
    """A packet with a programme map that has the stream of cues, too."""
    section = _payload(packet)[1:]
    length = int.from_bytes(section[1:3]) & 0xFFF
    programme = int.from_bytes(section[10:12]) & 0xFFF
    registration = b"\x05\x04CUEI"
    descriptors = section[12 : 12 + programme] + registration
    streams = section[12 + programme : 3 + length - 4] + struct.pack(">BHH", 0x86, 0xE000 | CUE_PID, 0xF000)
    body = section[3:10] + struct.pack(">H", 0xF000 | len(descriptors)) + descriptors + streams
    made = sealed(struct.pack(">BH", section[0], 0xB000 | len(body) + 4) + body)
    return (packet[:4] + b"\0" + made).ljust(PACKET, b"\xff")


def _packets(section: bytes, counter: int) -> list[bytes]:
    """A section in packets of its own."""
    payload = b"\0" + section
    pieces = [payload[at : at + PACKET - 4] for at in range(0, len(payload), PACKET - 4)]
    return [
        (struct.pack(">BHB", 0x47, (0 if place else 0x4000) | CUE_PID, 0x10 | counter + place & 15) + piece).ljust(
            PACKET, b"\xff"
        )
        for place, piece in enumerate(pieces)
    ]


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(breaks(Path(sys.argv[1]).read_bytes(), [float(word) for word in sys.argv[3:]]))
