"""The datagrams of one response body: `varint flow | varint offset | payload`. No I/O, no clock."""

from aioquic.buffer import encode_uint_var


class Flow:
    """The bytes of one body that are read but not yet sent, and the number of sent ones.

    Bytes come in with `push`, in order; they leave as datagrams with `peek` and `commit`.
    """

    def __init__(self, number: int, length: int, datagram_size: int, prefix: bytes = b"") -> None:
        """`length` is that of the body, `datagram_size` that of a datagram with its first bytes, `prefix`; in bytes."""
        self.number = number
        self.sent_bytes = 0
        self.sent_datagrams = 0
        self._length = length
        self._datagram_size = datagram_size
        self._head = prefix + encode_uint_var(number)
        self._pushed = 0
        self._unsent = bytearray()
        self._next: bytes | None = None
        self._next_payload = 0
        self._stopped = False

    @property
    def unsent_bytes(self) -> int:
        """Bytes pushed but not sent."""
        return len(self._unsent)

    @property
    def finished(self) -> bool:
        """True when no datagram of this flow will follow."""
        return self._stopped or self.sent_bytes == self._length

    def push(self, data: bytes) -> None:
        """Adds the body's next bytes."""
        self._pushed += len(data)
        self._unsent += data

    def stop(self) -> None:
        """Drops unsent bytes, because the deadline has passed or the client has cancelled."""
        self._stopped = True
        self._unsent.clear()
        self._next = None

    def peek(self) -> bytes | None:
        """The next datagram; None if there is none, or if not enough bytes have been pushed to fill it."""
        if self._next is None and not self.finished:
            head = self._head + encode_uint_var(self.sent_bytes)
            payload = self._datagram_size - len(head)
            if len(self._unsent) >= payload or self._pushed == self._length:
                data = self._unsent[:payload]
                self._next = head + data
                self._next_payload = len(data)
        return self._next

    def commit(self) -> None:
        """Counts the last peeked datagram as sent: it is in a packet."""
        del self._unsent[: self._next_payload]
        self.sent_bytes += self._next_payload
        self.sent_datagrams += 1
        self._next = None
