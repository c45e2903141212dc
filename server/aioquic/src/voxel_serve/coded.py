"""A response body that is sent in coded blocks: where its datagrams are cut, and the parity between them. No I/O."""

from collections.abc import Callable, Sequence

from .coding import Encoder
from .parity import Parity, blocks


class CodedBody:
    """One block at a time: its data pass by, then its parity is there to be sent, then the next block begins.

    No more is kept than the parity of that block, which is at most 64 symbols.
    """

    def __init__(self, ranges: Sequence[int], parity: Parity) -> None:
        """Codes a body that consists of ranges of these lengths."""
        self.parity = b""
        """Parity of the block whose data are sent, as far as it is not sent itself. The next block begins after it."""
        self.parity_offset = 0
        """Its place in the flow."""
        self._always = parity.always
        self._one_symbol = parity.symbol is not None
        self._blocks = blocks(ranges, parity)
        self._begin()

    def data_bytes(self, room: int) -> int:
        """Bytes of the next datagram, for which there is that much room: whole symbols of one block."""
        assert self._block is not None
        return min(self._whole_symbols(room), self._block.end - self._place)

    def parity_bytes(self, room: int) -> int:
        """The same, of parity."""
        return min(self._whole_symbols(room), len(self.parity))

    def data_sent(self, data: bytes, may_send_parity: Callable[[], bool]) -> None:
        """Takes the data of a datagram; `may_send_parity` is asked at the end of a block."""
        block = self._block
        assert block is not None
        first = (self._place - block.start) // block.symbol_bytes
        for number, start in enumerate(range(0, len(data), block.symbol_bytes), first):
            self._encoder.add(number, data[start : start + block.symbol_bytes])
        self._place += len(data)
        if self._place < block.end:
            return
        if self._always or may_send_parity():
            self.parity, self.parity_offset = b"".join(self._encoder.parity), block.parity_start
        if not self.parity:
            self._begin()

    def parity_sent(self, count: int) -> None:
        """That many bytes of parity are in a packet."""
        self.parity = self.parity[count:]
        self.parity_offset += count
        if not self.parity:
            self._begin()

    def _begin(self) -> None:
        self._block = block = next(self._blocks, None)
        if block is not None:
            self._place = block.start
            self._encoder = Encoder(block.sent_parity, block.symbol_bytes)

    def _whole_symbols(self, room: int) -> int:
        assert self._block is not None
        size = self._block.symbol_bytes
        return size if self._one_symbol else max(1, room // size) * size
