"""The datagrams of one response body: `varint flow | varint offset | payload`. No I/O, no clock."""

import itertools
from collections.abc import Callable, Sequence

from aioquic.buffer import encode_uint_var

from .coded import CodedBody
from .parity import Parity, longest_symbol

LONGEST_VARINT = 8
"""Bytes (RFC 9000 section 16)."""


class Flow:
    """The bytes of one body that are read but not yet sent, and the number of sent ones.

    Bytes come in with `push`, in order; they leave as datagrams with `peek` and `commit`.
    """

    def __init__(
        self,
        number: int,
        length: int,
        datagram_size: int,
        prefix: bytes = b"",
        *,
        parity: Parity | None = None,
        ranges: Sequence[int] = (),
        first_offset: int = 0,
        pieces: Sequence[int] = (),
        is_held: Callable[[], bool] = lambda: False,
    ) -> None:
        """`length` is that of the body, `datagram_size` that of a datagram with its first bytes, `prefix`; in bytes.

        `parity`: what is asked for, of a body that consists of `ranges` of these lengths. `first_offset`: that of the
        body's first byte. `pieces`: no datagram has bytes of two of these lengths. `is_held`: whether none leaves now.
        """
        self.number = number
        self.sent_bytes = 0
        """Bytes of the body."""
        self.sent_parity_bytes = 0
        self.sent_datagrams = 0
        """Datagrams with those of parity."""
        self._length = length
        self._first_offset = first_offset
        self._is_held = is_held
        self._ends = list(itertools.accumulate(pieces)) or [length]
        """Ends of the pieces of the body that are not sent."""
        self._datagram_size = datagram_size
        self._head = prefix + encode_uint_var(number)
        self._pushed = 0
        self._unsent = bytearray()
        self._next: bytes | None = None
        self._next_payload = 0
        self._stopped = False
        room = datagram_size - len(self._head) - LONGEST_VARINT
        self.parity = parity if parity is not None and longest_symbol(ranges, parity) <= room else None
        """Parity as it is honoured: not if a symbol is too long for a datagram."""
        self._coded = None if self.parity is None else CodedBody(ranges, self.parity)

    @property
    def unsent_bytes(self) -> int:
        """Bytes pushed but not sent."""
        return len(self._unsent)

    @property
    def finished(self) -> bool:
        """True when no datagram of this flow will follow."""
        return self._stopped or (self.sent_bytes == self._length and not self._parity_is_due)

    @property
    def _parity_is_due(self) -> bool:
        return self._coded is not None and len(self._coded.parity) > 0

    def push(self, data: bytes) -> None:
        """Adds the body's next bytes."""
        self._pushed += len(data)
        self._unsent += data

    def stop(self) -> None:
        """Drops unsent bytes, because the deadline has passed or the client has cancelled."""
        self._stopped = True
        self._unsent.clear()
        self._coded = None
        self._next = None

    def peek(self) -> bytes | None:
        """The next datagram; None if there is none, or if not enough bytes have been pushed to fill it."""
        if self._is_held():
            return None
        if self._next is None and not self.finished:
            self._next = self._datagram()
        return self._next

    def _datagram(self) -> bytes | None:
        coded = self._coded
        if coded is not None and self._parity_is_due:
            head = self._head + encode_uint_var(coded.parity_offset)
            self._next_payload = coded.parity_bytes(self._datagram_size - len(head))
            return head + coded.parity[: self._next_payload]
        head = self._head + encode_uint_var(self._first_offset + self.sent_bytes)
        while self._ends[0] == self.sent_bytes:
            del self._ends[0]
        room = min(self._datagram_size - len(head), self._ends[0] - self.sent_bytes)
        payload = room if coded is None else coded.data_bytes(room)
        if len(self._unsent) < payload and self._pushed < self._length:
            return None
        data = self._unsent[:payload]
        self._next_payload = len(data)
        return head + data

    def commit(self, may_send_parity: Callable[[], bool] = lambda: True) -> None:
        """Counts the last peeked datagram as sent: it is in a packet.

        `may_send_parity` is asked after the last data of a block.
        """
        count = self._next_payload
        self.sent_datagrams += 1
        self._next = None
        if self._coded is not None and self._parity_is_due:
            self._coded.parity_sent(count)
            self.sent_parity_bytes += count
            return
        if self._coded is not None:
            self._coded.data_sent(bytes(self._unsent[:count]), may_send_parity)
        del self._unsent[:count]
        self.sent_bytes += count
