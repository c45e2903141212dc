"""What readers have said and nobody has taken yet, as while the disk is full."""

from queue import Queue

from voxel_prepare.live.copied.notes import Note
from voxel_prepare.live.copied.packets import Packet

MOST_BYTES = 128_000_000
"""The most that packets take: two and a half minutes of a ladder of 6.4 Mbit/s."""


class Backlog(Queue[Note]):
    """Notes in the order in which they came. Packets for which there is no room are left out, and those of their track
    that follow, up to the next with which decoding can start.
    """

    # A SimpleQueue of CPython 3.11 waits for ever where a signal is handled for longer than its timeout.

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        super().__init__()
        self._room = most_bytes
        self._interrupted: set[tuple[int, str, int]] = set()
        """Tracks of which packets were left out: input, kind and place."""

    def _put(self, item: Note) -> None:
        if not isinstance(item.content, Packet) or self._takes(item.input, item.content):
            super()._put(item)

    def _get(self) -> Note:
        note = super()._get()
        if isinstance(note.content, Packet):
            self._room += len(note.content.data)
        return note

    def _takes(self, number: int, packet: Packet) -> bool:
        track = number, packet.kind, packet.track
        if len(packet.data) > self._room or (track in self._interrupted and not packet.is_key):
            self._interrupted.add(track)
            return False
        self._interrupted.discard(track)
        self._room -= len(packet.data)
        return True
