"""Who may go on next: a connection with packets to handle or to send. No I/O, no clock.

The system hands packets over in the order of their arrival, and each makes work: whoever comes behind hundreds of
another client's would wait for seconds. Here all take turns.
"""

from collections import OrderedDict, deque
from collections.abc import Hashable
from typing import Generic, TypeVar

from aioquic.quic.connection import NetworkAddress

Packet = tuple[bytes, NetworkAddress]
"""A UDP payload and where it came from."""

OVERHEAD_BYTES = 256
"""Bytes of a packet that waits, beside its payload."""

Member = TypeVar("Member", bound=Hashable)


class Turns(Generic[Member]):
    """At most `each_bytes` of packets wait for a member's turn: the newest are lost, as in a full buffer of the system.

    While `together_bytes` wait there is no room: what comes then may wait in that buffer.
    """

    def __init__(self, *, each_bytes: int, together_bytes: int) -> None:
        self._each_bytes = each_bytes
        self._room_bytes = together_bytes
        self._waiting: OrderedDict[Member, deque[Packet]] = OrderedDict()
        """Whose turn it is comes first."""
        self._bytes: dict[Member, int] = {}

    def __bool__(self) -> bool:
        """Whether anybody waits."""
        return bool(self._waiting)

    @property
    def has_room(self) -> bool:
        """Whether more packets may come."""
        return self._room_bytes > 0

    def ask(self, member: Member) -> None:
        """Gives the member a turn, if it waits for none."""
        if member not in self._waiting:
            self._waiting[member] = deque()

    def add(self, member: Member, packet: Packet) -> None:
        """Keeps a packet for the member's turn."""
        size = len(packet[0]) + OVERHEAD_BYTES
        held = self._bytes.get(member, 0) + size
        if held > self._each_bytes:
            return
        self.ask(member)
        self._waiting[member].append(packet)
        self._bytes[member] = held
        self._room_bytes -= size

    def next(self) -> Member:
        """Whose turn it is."""
        return next(iter(self._waiting))

    def take(self, member: Member, most: int) -> list[Packet]:
        """The first `most` packets for the member's turn; if there are more its next turn comes after all others'."""
        waiting = self._waiting.pop(member)
        packets = [waiting.popleft() for _ in range(min(most, len(waiting)))]
        size = sum(len(data) + OVERHEAD_BYTES for data, _ in packets)
        self._room_bytes += size
        if waiting:
            self._waiting[member] = waiting
            self._bytes[member] -= size
        else:
            self._bytes.pop(member, None)
        return packets
