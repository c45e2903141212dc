"""Parts of an MPEG transport stream (ISO/IEC 13818-1) between which its tracks change: a reader of one part knows the
tracks that it began with.
"""

from typing import Protocol

PACKET = 188
SYNC = 0x47
PAT_PID = 0
PAT_TABLE, PMT_TABLE = 0, 2
PAYLOAD_START = 0x40
ASSOCIATION_HEAD, MAP_HEAD, CRC = 8, 12, 4
"""Bytes of tables before their entries, and after them."""
SYNC_PACKETS = 3
"""So many sync bytes in their places make a transport stream."""
READ_SIZE = PACKET * 64


class Source(Protocol):
    """A pipe or a file."""

    def read(self, size: int, /) -> bytes | None:
        """Up to `size` bytes; none at the end."""


def is_transport_stream(head: bytes) -> bool:
    """Whether a beginning of some packets is one of a transport stream."""
    places = head[: PACKET * SYNC_PACKETS : PACKET]
    return len(places) == SYNC_PACKETS and set(places) == {SYNC}


class Programs:
    """Follows the tables of a transport stream."""

    def __init__(self) -> None:
        self.association = b""
        """The packet with the last program association table."""
        self._map_pid: int | None = None
        self._types: dict[int, int] = {}
        """Stream types of the tracks so far, by their PIDs."""
        self._section = b""

    def changes(self, packet: bytes) -> bool:
        """Whether a packet announces a track that is new, or of another type than before."""
        pid = int.from_bytes(packet[1:3]) & 0x1FFF
        if pid == PAT_PID:
            self._read_association(packet)
        elif pid == self._map_pid:
            return self._read_map(packet)
        return False

    def _read_association(self, packet: bytes) -> None:
        payload = _payload(packet)
        table = payload[1 + payload[0] :] if payload else b""
        if len(table) < ASSOCIATION_HEAD + CRC or table[0] != PAT_TABLE:
            return
        end = _section_end(table) - CRC
        for at in range(ASSOCIATION_HEAD, min(end, len(table) - 3), 4):
            if int.from_bytes(table[at : at + 2]):  # 0 is the network's
                self.association, self._map_pid = packet, int.from_bytes(table[at + 2 : at + 4]) & 0x1FFF
                return

    def _read_map(self, packet: bytes) -> bool:
        payload = _payload(packet)
        if packet[1] & PAYLOAD_START and payload:
            self._section = payload[1 + payload[0] :]
        else:
            self._section += payload
        types = _types(self._section)
        is_changed = bool(self._types) and any(self._types.get(pid) != type_ for pid, type_ in types.items())
        self._types = types if is_changed else {**self._types, **types}
        return is_changed


class Parts:
    """Reads a transport stream part by part, and anything else as one part."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._programs = Programs()
        self._whole = b""
        """Read, and not looked at."""
        self._ready = b""
        self._is_stream: bool | None = None
        self.has_ended = False
        """At the end of a part: whether no other follows."""
        self._is_cut = False

    def begin(self) -> None:
        """Goes on with the next part, which begins with the tables of its tracks."""
        if self._is_cut:
            self._ready = self._programs.association + self._whole[:PACKET]
            self._whole, self._is_cut = self._whole[PACKET:], False

    def read(self, size: int) -> bytes:
        """Up to `size` bytes of this part; none at its end."""
        while not self._ready and not self._is_cut and not self.has_ended:
            data = self._source.read(READ_SIZE)
            self._whole += data or b""
            self.has_ended = not data
            if self._is_stream is None and (self.has_ended or len(self._whole) >= PACKET * SYNC_PACKETS):
                self._is_stream = is_transport_stream(self._whole)
            if self._is_stream:
                self._look()
            if not self._is_cut and (self.has_ended or self._is_stream is False):
                self._ready, self._whole = self._ready + self._whole, b""
        taken, self._ready = self._ready[:size], self._ready[size:]
        return taken

    def _look(self) -> None:
        """Takes whole packets up to a change of tracks; what is out of step is left to the reader of the part."""
        data, at = self._whole, 0
        while 0 <= at <= len(data) - PACKET:
            if data[at] != SYNC:
                at = data.find(SYNC, at)
                continue
            if self._programs.changes(data[at : at + PACKET]):
                self._ready, self._whole, self._is_cut, self.has_ended = data[:at], data[at:], True, False
                return
            at += PACKET
        end = len(data) if at < 0 else min(at, len(data))
        self._ready, self._whole = data[:end], data[end:]


def _payload(packet: bytes) -> bytes:
    control = packet[3] >> 4 & 3
    if not control & 1:
        return b""
    return packet[5 + packet[4] :] if control & 2 else packet[4:]


def _section_end(section: bytes) -> int:
    return 3 + (int.from_bytes(section[1:3]) & 0xFFF)


def _types(section: bytes) -> dict[int, int]:
    """Stream types by PID in a whole program map; none of another table, or of one that is not whole."""
    if len(section) < MAP_HEAD or section[0] != PMT_TABLE:
        return {}
    end = _section_end(section) - CRC
    if len(section) < end:
        return {}
    types: dict[int, int] = {}
    at = MAP_HEAD + (int.from_bytes(section[10:12]) & 0xFFF)
    while at + 5 <= end:
        types[int.from_bytes(section[at + 1 : at + 3]) & 0x1FFF] = section[at]
        at += 5 + (int.from_bytes(section[at + 3 : at + 5]) & 0xFFF)
    return types
